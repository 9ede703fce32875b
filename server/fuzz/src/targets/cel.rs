//! CEL: parses, checks, estimates and runs expressions on values, within their budgets.

use std::sync::LazyLock;

use crd_analyzer_cel::{
    ast::Source,
    decls::ExpressionSet,
    parser::{Extents, ParseOptions, parse, tokens},
};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion, structural::Structural};
use crd_analyzer_workspace::eval::{EvalRequest, Subject, read_schema, read_value};

use crate::{
    Target,
    dictionary::expression,
    input::{Input, input},
    spans::assert_range_in,
};

pub(super) const TARGET: Target = Target {
    name: "cel",
    run,
    seeds: |cases| {
        let expressions = cases.expressions.iter().enumerate();
        expressions
            .map(|(n, it)| input(&[0, (n % SCHEMAS.len()) as u8, (n % 8) as u8], &[it, VALUE, VALUE]))
            .collect()
    },
    words: expression,
};

/// Schemas for `self`: an object with properties of each type, and individual values.
const SCHEMAS: [&str; 4] = [
    r#"{"type":"object","properties":{
        "a":{"type":"string"},"s":{"type":"string","maxLength":20,"enum":["a","b"]},"t":{"type":"string","format":"date-time"},
        "u":{"type":"string","format":"duration"},"b":{"type":"string","format":"byte"},"n":{"type":"integer"},
        "i":{"type":"integer","minimum":0,"maximum":9},"f":{"type":"number"},"y":{"type":"boolean"},
        "l":{"type":"array","items":{"type":"string"}},"k":{"type":"array","maxItems":5,"items":{"type":"array","items":{"type":"integer"}}},
        "e":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"}},
        "p":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["x"],
             "items":{"type":"object","required":["x"],"properties":{"x":{"type":"string"},"y":{"type":"integer","nullable":true}}}},
        "o":{"type":"object","properties":{"x":{"type":"integer"},"in":{"type":"string"},"a-b":{"type":"string"}}},
        "m":{"type":"object","additionalProperties":{"type":"string"}},"d":{"x-kubernetes-preserve-unknown-fields":true,"type":"object"},
        "q":{"x-kubernetes-int-or-string":true}}}"#,
    r#"{"type":"object","properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},
        "spec":{"type":"object","properties":{"a":{"type":"integer"}}}}}"#,
    r#"{"type":"array","maxItems":10,"items":{"type":"object","properties":{"a":{"type":"string","maxLength":10}}}}"#,
    r#"{"type":"string","maxLength":100}"#,
];

const VALUE: &str = "a: abc\nt: 2024-01-01T00:00:00Z\nu: 1h\nb: YWJj\nn: 3\nf: 1.5\ny: true\nl: [x, y]\nk: [[1], [2]]\ne: [1, 2]\np: [{x: a, y: 1}]\no: {x: 1}\n\
                     m: {k: v}\nd: {q: [1]}\nq: 5\n";

static READ: LazyLock<Vec<JsonSchemaProps>> = LazyLock::new(|| {
    let read = |text: &str| read_schema(text.as_bytes().to_vec(), KubernetesVersion::NEWEST);
    SCHEMAS.iter().map(|it| read(it).expect("a schema")).collect()
});

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let schema = Structural::new(&READ[input.below(SCHEMAS.len())]).expect("structural");
    let flags = input.number();
    let text = input.text();
    parse_alone(&text, version);
    let mut value = || {
        read_value(input.part().to_vec())
            .ok()
            .and_then(|it| it.into_iter().next())
    };
    let (this, old) = (value(), value());
    // A list cannot be the root of a resource, so it has no type.
    let Ok(subject) = Subject::of_schema(schema, flags & 1 != 0, Some(1), version) else {
        return;
    };
    let asked = EvalRequest {
        text: &text,
        optional_old_self: flags & 2 != 0,
        set: if flags & 4 == 0 {
            ExpressionSet::Stored
        } else {
            ExpressionSet::New
        },
        explain: flags & 8 != 0,
    };
    let outcome = subject.try_expression(asked, this.as_ref(), old.as_ref());
    let again = subject.try_expression(
        EvalRequest {
            explain: false,
            ..asked
        },
        this.as_ref(),
        old.as_ref(),
    );
    assert_eq!(outcome.compiled.as_ref().ok(), again.compiled.as_ref().ok(), "{text:?}");
    if let (Some(a), Some(b)) = (&outcome.ran, &again.ran) {
        assert_eq!(
            a.evaluation.cost, b.evaluation.cost,
            "{text:?} costs the same each time"
        );
    }
    if flags & 16 != 0
        && let Some(this) = &this
    {
        drop(Subject::of_values([this], version).try_expression(asked, Some(this), old.as_ref()));
    }
}

/// Checks the results that do not need types.
fn parse_alone(text: &str, version: KubernetesVersion) {
    let source = Source::new(text);
    let mut from = 0;
    for token in tokens(&source) {
        assert_eq!(
            text.get(token.start as usize..token.end as usize),
            Some(token.text(text))
        );
        assert!(from <= token.start, "tokens of {text:?} are in order");
        from = token.end;
    }
    let parsed = parse(&source, &ParseOptions::kubernetes(version, version));
    for issue in &parsed.issues {
        let _ = source.location_byte(issue.location);
    }
    let _ = parsed.issues.display(&source);
    for range in Extents::new(&source).all(&parsed.ast).into_values() {
        assert_range_in(text, range);
    }
}
