//! Placeholders as people and programs write them: `HCP_NAMESPACE`, `$$name$$`, `{GATEWAY_NAME}`, `[PROJECT_ID]`, `$BUCKET_NAME`, `$cluster`, `<endpoint>`,
//! `...`, `{{ .Files.Get "a" }}`. Something replaces them before the object is sent.

use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue},
    tree::NodeId,
};

/// Marks that are on both sides of a placeholder, anywhere in a string.
const AROUND: [&str; 2] = ["$$", "@@"];

/// Brackets that enclose a placeholder, if it is the whole value.
const BETWEEN: [(&str, &str); 4] = [("{", "}"), ("<<", ">>"), ("<", ">"), ("**", "**")];

/// Text for what is left out.
const LEFT_OUT: [&str; 2] = ["...", "…"];

/// The least length of a variable's name. Shorter ones may be something else, such as the end of a pattern.
const LEAST_VARIABLE: usize = 3;

/// The starts of words in capitals that ask the user to replace them.
const ASK: [&str; 4] = ["REPLACE", "CHANGEME", "PLACEHOLDER", "YOUR"];

/// The ends of words in capitals that describe what the user puts there: `MY_BUCKET_NAME`. Words with other ends may be values of an enumeration.
const DESCRIBE: [&str; 3] = ["_NAME", "_NAMESPACE", "_ID"];

/// Whether a text may contain a placeholder, other than in a name.
pub(crate) fn may_be_in(text: &str) -> bool {
    let of_words = || ASK.iter().chain(&DESCRIBE).any(|it| text.contains(it));
    AROUND.iter().any(|it| text.contains(it))
        || text.contains(['<', '{', '…'])
        || text.contains("...")
        || text.contains("**")
        || text.contains('$')
        || of_words()
}

/// Whether a value is a placeholder.
pub(crate) fn is_placeholder(written: &str) -> bool {
    let between = BETWEEN.iter().any(|(begin, end)| {
        let inside = written.strip_prefix(begin).and_then(|it| it.strip_suffix(end));
        inside.is_some_and(|it| is_word(it.trim(), &['-', '_', ' ', '.']))
    });
    between
        || LEFT_OUT.contains(&written)
        || is_action(written)
        || has_variable(written)
        || is_variable_of_template(written)
        || has_described(written)
        || AROUND.iter().any(|it| is_around(written, it))
        || written.split('/').any(asks)
}

/// Whether a part of a text is in angle brackets, and describes what belongs there in several words: `<secret-name>.crt`. A single word may be the name
/// of a group in a pattern.
fn has_described(text: &str) -> bool {
    text.split('<').skip(1).any(|it| {
        let inside = it.split_once('>').map_or("", |it| it.0);
        inside.contains(['-', '_']) && is_word(inside, &['-', '_'])
    })
}

/// Whether a word in capitals asks the user to replace it, or describes what belongs there.
fn asks(word: &str) -> bool {
    is_in_capitals(word)
        && (word.split('_').any(|it| ASK.iter().any(|ask| it.starts_with(ask)))
            || DESCRIBE.iter().any(|it| word.ends_with(it)))
}

fn is_in_capitals(word: &str) -> bool {
    let is_of_name = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
    word.starts_with(|it: char| it.is_ascii_uppercase()) && word.bytes().all(is_of_name)
}

/// Whether a value is nothing but a variable with a name of any case, as templates of Python write it: `$cluster_name`.
fn is_variable_of_template(written: &str) -> bool {
    let name = written.strip_prefix('$');
    name.is_some_and(|it| it.len() >= LEAST_VARIABLE && is_word(it, &['_']))
}

/// Whether a value is nothing but a variable in capitals, as shells write it: `$AUTH_STRATEGY`. Tools that substitute `${NAME}` substitute this form,
/// too, except for Flux.
pub(crate) fn is_variable(written: &str) -> bool {
    let name = written.strip_prefix('$');
    name.is_some_and(|it| it.len() >= LEAST_VARIABLE && is_in_capitals(it))
}

/// Whether a text has the name of a variable in capitals after a dollar sign: `test-$BUCKET_NAME`.
pub(crate) fn has_variable(text: &str) -> bool {
    text.split('$').skip(1).any(|it| {
        let end = it
            .find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
            .unwrap_or(it.len());
        end >= LEAST_VARIABLE && it.starts_with(|c: char| c.is_ascii_uppercase())
    })
}

/// Whether a value consists of one or more actions of a template: `{{- .Values.a | b64enc }}`.
fn is_action(written: &str) -> bool {
    let written = written.trim();
    written.len() > "{{}}".len() && written.starts_with("{{") && written.ends_with("}}")
}

/// Whether a string has a word that is enclosed in the same mark on both sides.
fn is_around(written: &str, mark: &str) -> bool {
    let mut parts = written.split(mark);
    parts.next();
    let inside = parts.next();
    parts.next().is_some() && inside.is_some_and(|it| is_word(it, &['-', '_', '.']))
}

fn is_word(text: &str, joins: &[char]) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || joins.contains(&it))
}

/// The objects that actions of Helm charts and of programs such as gomplate begin with.
const OF_ACTIONS: [&str; 5] = [".Values", ".Release.", ".Chart.", ".Capabilities.", ".Env."];

/// Whether a text has an action that only Helm or a similar program fills in: `{{ .Values.size }}`. Files of a kustomization have such actions in
/// strings if its output becomes a chart.
pub(crate) fn has_action_of_chart(text: &str) -> bool {
    text.split("{{").skip(1).any(|it| {
        let inside = it.split("}}").next().unwrap_or_default();
        OF_ACTIONS.iter().any(|it| inside.contains(it))
    })
}

/// Whether the name of an object is a placeholder. The API server accepts no capitals in a name.
fn is_placeholder_of_name(written: &str) -> bool {
    has_variable(written)
        || is_variable_of_template(written)
        || is_in_capitals(written) && (written.contains('_') || asks(written))
}

/// The names in an object's metadata that are placeholders.
pub(crate) fn names(json: &JsonDoc<'_>) -> Vec<NodeId> {
    let metadata = json.root().and_then(|it| it.get("metadata"));
    let names = ["name", "namespace"].into_iter().filter_map(|it| metadata?.get(it));
    let names = names.filter(|it| it.as_str().is_some_and(is_placeholder_of_name));
    names.map(|it| it.node).collect()
}

/// Whether a mapping or a list is really a placeholder in brackets: `name: {GATEWAY_NAME}`, `project: [PROJECT_ID]`.
pub(crate) fn is_in_brackets(json: &Json<'_>) -> bool {
    if let Some([item]) = json.items() {
        let is_name = |it: &str| asks(it) || is_in_capitals(it) && it.contains('_');
        return item.as_str().is_some_and(is_name);
    }
    let [member] = json.members().unwrap_or_default() else {
        return false;
    };
    matches!(member.value.value, JsonValue::Null) && member.key.contains('_') && is_placeholder_of_name(&member.key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_words_in_marks() {
        for (written, expected) in [
            ("{GATEWAY_NAME}", true),
            ("<endpoint>", true),
            ("<your endpoint>", true),
            ("<< Endpoint >>", true),
            ("<<endpoint>>", true),
            ("{{ .Values.a }}", true),
            ("  {{- (.Files.Get \"a.tar.gz\") | b64enc | nindent 6 }}\n", true),
            ("{{ a }} {{ b }}", true),
            ("{{}}", false),
            ("a {{ b }}", false),
            ("step-$$name$$", true),
            ("@@name@@-x", true),
            ("$$name", false),
            ("$BUCKET_NAME", true),
            ("test-$BUCKET_NAME/a", true),
            ("^a$", false),
            ("$1", false),
            ("$cluster_name", true),
            ("$na", false),
            ("$name^", false),
            ("$$$$", false),
            ("{}", false),
            ("<a> and <b>", false),
            ("<3>", false),
            ("{\"a\": 1}", false),
            ("name", false),
            ("HCP_NAMESPACE", true),
            ("ROUND_ROBIN", false),
            ("PLACEHOLDER_USABLE_ADDRS", true),
            ("CROSS_NS_PLACEHOLDER/auth", true),
            ("MY_BUCKET_NAME", true),
            ("https://YOUR_HOST", true),
            ("YOUR_HOST_URL", true),
            ("<cert-secret>.crt", true),
            ("(?P<name>a)", false),
            ("...", true),
            ("**app ID goes here**", true),
        ] {
            assert_eq!(is_placeholder(written), expected, "{written}");
        }
    }

    #[test]
    fn placeholders_may_be_in_brackets() {
        for (written, expected) in [
            ("[PROJECT_ID]", true),
            ("[CLUSTER_LOCATION]", true),
            ("[ECDSA]", false),
            ("[A_B, C_D]", false),
            ("{GATEWAY_NAME: }", true),
        ] {
            let text = crate::documents::text::Text::whole(written.into());
            let tree = text.read(text.documents().documents[0]).expect("a tree");
            let json = crd_analyzer_syntax::read_json(&tree).expect("JSON");
            assert_eq!(is_in_brackets(json.root().expect("a root")), expected, "{written}");
        }
    }

    #[test]
    fn actions_of_charts_have_values_of_charts() {
        for (written, expected) in [
            ("{{ .Values.size }}", true),
            ("a-{{- $.Release.Name | quote }}", true),
            ("{{ index .Values \"a\" }}{{ b }}", true),
            ("app-{{ .Env.APP_ID }}", true),
            ("{{ .name }}", false),
            ("{{inputs.parameters.a}} .Values.b", false),
            (".Values.a", false),
        ] {
            assert_eq!(has_action_of_chart(written), expected, "{written}");
        }
    }

    #[test]
    fn names_in_capitals_are_placeholders() {
        for (written, expected) in [
            ("HCP_NAMESPACE", true),
            ("REPLACEME", true),
            ("$BUCKET_NAME", true),
            ("a-$RANDOM_NAME", true),
            ("ROLLOUT_NAME_2", true),
            ("WIDGET", false),
            ("My_Widget", false),
            ("_A", false),
            ("a_b", false),
        ] {
            assert_eq!(is_placeholder_of_name(written), expected, "{written}");
        }
    }
}
