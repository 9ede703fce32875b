//! Signature help for the call around the cursor in an expression: its signatures, and the current argument.

use std::ops::Range;

use crd_analyzer_cel::{decls::OverloadDecl, parser::TokenClass, types::Type};
use crd_analyzer_schema::KubernetesVersion;

use crate::{
    cel::{Expression, Meaning, cel_at},
    file::Document,
};

/// The signatures of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signatures {
    /// All signatures; never empty.
    pub all: Vec<Signature>,
    /// The index of the signature that fits the written arguments best.
    pub active: usize,
    /// The index of the current argument.
    pub parameter: usize,
}

/// A signature of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The whole signature.
    pub label: String,
    /// The byte ranges of the parameters in the label.
    pub parameters: Vec<Range<usize>>,
    /// A description of the function.
    pub doc: &'static str,
}

/// The signatures of the call around an offset in an expression.
pub fn signatures(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Option<Signatures> {
    let at = cel_at(document, offset, version)?;
    let expression = &at.expression;
    let (paren, commas) = open_call(expression, at.byte)?;
    let name = paren.checked_sub(1)?;
    let text = expression.tokens[name].text(expression.text());
    let before = name.checked_sub(1).map(|it| expression.tokens[it].class);
    let is_member = before == Some(TokenClass::Dot);
    let macros = expression.context.environment().parsing().macros().iter();
    let mut all: Vec<_> = macros
        .filter(|it| it.name == text && it.is_method() == is_member)
        .map(|it| {
            signature(
                it.name,
                it.parameters.iter().map(|it| (*it).to_owned()),
                "",
                it.documentation,
            )
        })
        .collect();
    if all.is_empty() {
        let (doc, overloads) = if let Some(Meaning::Function { doc, overloads, .. }) = expression.meaning(name) {
            (doc, overloads)
        } else {
            let declared = expression.declared(text)?;
            (declared.doc, declared.overloads.clone())
        };
        let fits = |it: &&std::sync::Arc<OverloadDecl>| it.member == is_member;
        all = overloads
            .iter()
            .filter(fits)
            .map(|it| of_overload(text, it, doc))
            .collect();
    }
    let active = all.iter().position(|it| it.parameters.len() > commas).unwrap_or(0);
    (!all.is_empty()).then_some(Signatures {
        all,
        active,
        parameter: commas,
    })
}

fn of_overload(name: &str, overload: &OverloadDecl, doc: &'static str) -> Signature {
    let skipped = usize::from(overload.member);
    let parameters = overload.params.iter().skip(skipped).map(Type::to_string);
    let result = format!(" -> {}", overload.result);
    let mut made = signature(name, parameters, &result, doc);
    if let Some(target) = overload.params.first().filter(|_| overload.member) {
        let target = format!("{target}.");
        made.label.insert_str(0, &target);
        for it in &mut made.parameters {
            *it = it.start + target.len()..it.end + target.len();
        }
    }
    made
}

fn signature(name: &str, parameters: impl Iterator<Item = String>, result: &str, doc: &'static str) -> Signature {
    let mut label = format!("{name}(");
    let mut ranges = Vec::new();
    for (at, parameter) in parameters.enumerate() {
        if at > 0 {
            label.push_str(", ");
        }
        ranges.push(label.len()..label.len() + parameter.len());
        label.push_str(&parameter);
    }
    label.push(')');
    label.push_str(result);
    Signature {
        label,
        parameters: ranges,
        doc,
    }
}

/// The opening parenthesis of the innermost call around an offset, and the number of commas between its arguments before the offset.
fn open_call(expression: &Expression<'_>, byte: usize) -> Option<(usize, usize)> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, token) in expression.tokens.iter().enumerate() {
        if token.end as usize > byte {
            break;
        }
        match token.class {
            TokenClass::Open => open.push((at, 0)),
            TokenClass::Close => {
                open.pop();
            }
            TokenClass::Comma => {
                if let Some(last) = open.last_mut() {
                    last.1 += 1;
                }
            }
            _ => {}
        }
    }
    let is_call = |(at, _): &(usize, usize)| {
        expression.tokens[*at].text(expression.text()) == "("
            && at
                .checked_sub(1)
                .is_some_and(|it| expression.tokens[it].class == TokenClass::Identifier)
    };
    open.into_iter().rev().find(is_call)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::file::File;

    /// Checks the signature help at `$` in a rule: the active signature, with its parameter in angle brackets, and the number of signatures.
    #[track_caller]
    fn check(rule: &str, expected: Option<&str>) {
        check_at(KubernetesVersion::NEWEST, rule, expected);
    }

    fn check_at(version: KubernetesVersion, rule: &str, expected: Option<&str>) {
        let head = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - schema:
      openAPIV3Schema:
        type: object
        properties: {a: {type: string}, l: {type: array, items: {type: integer}}}
        x-kubernetes-validations:
        - rule: >-
            ";
        let text = format!("{head}{rule}\n");
        let offset = text.find('$').expect("a cursor");
        let file = File::new(text.replace('$', ""), Arc::default());
        let document = file.document_at(offset as u32).expect("a document");
        let found = signatures(&document, offset as u32, version);
        let shown = found.map(|it| {
            let signature = &it.all[it.active];
            let mut label = signature.label.clone();
            if let Some(range) = signature.parameters.get(it.parameter) {
                label.insert(range.end, '>');
                label.insert(range.start, '<');
            }
            format!("{label} of {}", it.all.len())
        });
        assert_eq!(shown.as_deref(), expected, "{rule}");
    }

    #[test]
    fn only_macros_that_new_rules_may_use_are_shown() {
        let call = "self.l.transformList($i, x, x)";
        check_at(KubernetesVersion::minor(32), call, None);
        let shown = Some("transformList(<key>, value, transform) of 2");
        check_at(KubernetesVersion::minor(33), call, shown);
    }

    #[test]
    fn the_call_around_the_cursor_is_shown() {
        check(
            "self.a.startsWith($'x')",
            Some("string.startsWith(<string>) -> bool of 1"),
        );
        check(
            "self.a.substring(1, $",
            Some("string.substring(int, <int>) -> string of 2"),
        );
        check("self.l.all($", Some("all(<element>, predicate) of 2"));
        check("self.l.all(x, x > $1)", Some("all(element, <predicate>) of 2"));
        check("self.l.all(x, size([x, $1]) > 0)", Some("size(<list(A)>) -> int of 1"));
        check("size(self.l$) > 1", Some("size(<list(A)>) -> int of 1"));
        check("(self.a$)", None);
        check("size(self.l) $> 1", None);
    }
}
