//! The options with which a project runs controller-gen, as in `controller-gen crd:maxDescLen=0 paths=./...` in a Makefile, a script or a
//! `//go:generate` comment.

use crate::variables::Variables;

/// The begin of arguments that only controller-gen has.
const OF_CONTROLLER_GEN: [&str; 2] = ["paths=", "output:"];

/// The generator of CRDs.
const CRD: &str = "crd";

/// The names of generators, and the begin of other arguments.
const ARGUMENTS: [&str; 7] = [
    "crd",
    "object",
    "rbac",
    "webhook",
    "applyconfiguration",
    "paths=",
    "output:",
];

/// The maximum number of runs to read in a text.
const MOST_RUNS: usize = 50;

/// The options of the generator `crd` in all commands of a project that run it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CrdOptions {
    runs: Vec<Run>,
}

/// The options of one command, with their values. `None` if they are not literal.
type Run = Option<Vec<(String, String)>>;

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<'o> {
    /// No command is known, a command is not literal, or commands have different values.
    Unknown,
    /// No command sets the option.
    Default,
    /// All commands set this value.
    Given(&'o str),
}

impl CrdOptions {
    /// Adds the commands in the text of a Makefile or a script.
    pub fn add(&mut self, text: &str) {
        if !OF_CONTROLLER_GEN.iter().any(|it| text.contains(it)) {
            return;
        }
        let variables = Variables::of(text);
        let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
        let lines = joined
            .lines()
            .filter(|it| OF_CONTROLLER_GEN.iter().any(|begin| it.contains(begin)));
        for words in lines.flat_map(commands).take(MOST_RUNS) {
            self.runs.extend(run(&words, &variables));
        }
    }

    /// Adds the `//go:generate` comments of a Go file.
    pub fn add_go(&mut self, text: &str) {
        let lines = text.lines().filter_map(|it| it.strip_prefix("//go:generate "));
        lines.for_each(|it| self.add(it));
    }

    /// The value of an option.
    pub fn get(&self, name: &str) -> Value<'_> {
        let mut values = self.runs.iter().map(|run| {
            let options = run.as_ref()?;
            Some(options.iter().find(|it| it.0 == name).map(|it| it.1.as_str()))
        });
        match values.next() {
            Some(Some(first)) if values.all(|it| it == Some(first)) => first.map_or(Value::Default, Value::Given),
            _ => Value::Unknown,
        }
    }

    /// Whether an option that is off by default is on. `None` if that is unknown.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Value::Unknown => None,
            Value::Default => Some(false),
            Value::Given(value) => value.parse().ok(),
        }
    }
}

/// The options of a command if it generates CRDs.
fn run(words: &[String], variables: &Variables<'_>) -> Option<Run> {
    let is_of = |it: &String| OF_CONTROLLER_GEN.iter().any(|begin| it.starts_with(begin));
    if !words.iter().any(is_of) {
        return None;
    }
    let mut options = None;
    let mut is_begun = false;
    // The first word is the program.
    for word in words.iter().skip(1) {
        let Some(written) = variables.put_in_only(word) else {
            let begin = word.split('$').next().unwrap_or_default();
            let is_of_program = begin.is_empty() && !is_begun && words.iter().any(|it| is_crd(it));
            // The begin of an argument says which one it is.
            let may_be_crd = "crd:".starts_with(begin) || begin.starts_with("crd:");
            if may_be_crd && !is_of_program {
                return Some(None);
            }
            is_begun |= !is_of_program;
            continue;
        };
        for argument in written.split_whitespace() {
            is_begun |= ARGUMENTS.iter().any(|it| argument.starts_with(it));
            if is_crd(argument) {
                let text = argument.strip_prefix("crd:").unwrap_or_default();
                let each = text.split(',').filter(|it| !it.is_empty());
                let each = each.map(|it| it.split_once('=').unwrap_or((it, "true")));
                options = Some(each.map(|it| (it.0.to_owned(), it.1.to_owned())).collect());
            }
        }
    }
    options.map(Some)
}

fn is_crd(argument: &str) -> bool {
    argument == CRD || argument.starts_with("crd:")
}

/// The words of each command in a line of a Makefile or script, without quotes. Comments are left out.
fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut all, mut words) = (Vec::new(), Vec::new());
    let (mut word, mut quote, mut depth) = (String::new(), None, 0usize);
    for character in line.trim_start().trim_start_matches(['@', '-']).chars() {
        let is_free = quote.is_none() && depth == 0;
        match character {
            '"' | '\'' if quote == Some(character) => quote = None,
            '"' | '\'' if is_free => quote = Some(character),
            '#' if is_free && word.is_empty() => break,
            ' ' | '\t' | ';' | '&' | '|' if is_free => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if matches!(character, ';' | '&' | '|') {
                    all.push(std::mem::take(&mut words));
                }
            }
            _ => {
                // Functions of make, such as `$(abspath $<)`, have spaces.
                depth += usize::from(character == '(' && (word.ends_with('$') || depth > 0));
                depth -= usize::from(character == ')' && depth > 0);
                word.push(character);
            }
        }
    }
    words.extend(Some(word).filter(|it| !it.is_empty()));
    all.push(words);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> CrdOptions {
        let mut options = CrdOptions::default();
        options.add(text);
        options
    }

    #[test]
    fn commands_say_the_options() {
        let (unknown, default) = (Value::Unknown, Value::Default);
        let long = Value::Given("0");
        for (text, expected) in [
            ("", unknown),
            (
                "\t$(CONTROLLER_GEN) rbac:roleName=manager-role crd webhook paths=\"./...\"\n",
                default,
            ),
            ("\t$(CONTROLLER_GEN) crd:maxDescLen=0 paths=./...\n", long),
            (
                "\t@$(GEN) \\\n\t\tpaths=./a/... \\\n\t\tcrd:crdVersions=v1,maxDescLen=0 \\\n\t\toutput:dir=$(OUT)\n",
                long,
            ),
            (
                "O ?= \"crd:maxDescLen=0\"\n\t$(GEN) $(O) rbac:roleName=$(NAME) paths=\"./...\"\n",
                long,
            ),
            (
                "O ?= maxDescLen=0 # short\ngen:\n\tcd api && $(abspath $<) crd:${O} paths=./...\n",
                long,
            ),
            ("O = $(shell a)\n\t$(GEN) $(O) paths=./...\n", unknown),
            ("O = crd\nO += webhook\n\t$(GEN) $(O) paths=./...\n", unknown),
            (
                "O = crd\n\t$(GEN) $(O) paths=./...\nx:\n\t$(MAKE) O=crd:maxDescLen=1 y\n",
                unknown,
            ),
            ("\t$(GEN) crd:maxDescLen=$(N) paths=./...\n", unknown),
            ("\t$(GEN) crd $(MORE) paths=./...\n", unknown),
            ("\t$(GO) run $(PACKAGE) crd paths=./...\n", default),
            ("\t$(GEN) object:headerFile=$(H) paths=./...\n", unknown),
            ("\t$(GEN) crd paths=./a\n\t$(GEN) crd:maxDescLen=0 paths=./b\n", unknown),
            (
                "\t$(GEN) crd:maxDescLen=0 paths=./a\n\t$(GEN) crd:maxDescLen=0,x paths=./b\n",
                long,
            ),
            ("\t$(GEN) object paths=./a; $(GEN) crd:maxDescLen=0 paths=./b\n", long),
            (
                "go run sigs.k8s.io/x/controller-gen object paths=./... crd:maxDescLen=0 output:dir=x\n",
                long,
            ),
            (
                "# gen crd:maxDescLen=1 paths=./...\n\tgen crd:maxDescLen=0 paths=./...\n",
                long,
            ),
            ("echo crd:maxDescLen=1\n", unknown),
        ] {
            assert_eq!(of(text).get("maxDescLen"), expected, "{text}");
        }
    }

    #[test]
    fn comments_of_go_files_say_the_options() {
        let mut options = CrdOptions::default();
        options.add_go("// gen crd:maxDescLen=1 paths=./...\n//go:generate gen crd:maxDescLen=0 paths=./...\n");
        assert_eq!(options.get("maxDescLen"), Value::Given("0"));
    }

    #[test]
    fn options_are_on_or_off() {
        let options = of("gen crd:allowDangerousTypes=true,ignoreUnexportedFields,x=y paths=./...");
        assert_eq!(options.is_on("allowDangerousTypes"), Some(true));
        assert_eq!(options.is_on("ignoreUnexportedFields"), Some(true));
        assert_eq!(options.is_on("generateEmbeddedObjectMeta"), Some(false));
        assert_eq!(options.is_on("x"), None);
        assert_eq!(CrdOptions::default().is_on("allowDangerousTypes"), None);
    }
}
