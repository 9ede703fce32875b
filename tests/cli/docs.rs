//! Tests of `docs`, which writes reference documentation.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;

use crate::{Sandbox, definition};

const EXAMPLE: &str = include_str!("../../examples/crontab.crd.yaml");

fn read(sandbox: &Sandbox, path: &str) -> String {
    std::fs::read_to_string(sandbox.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn documents_each_field_with_what_it_asks_for() {
    let sandbox = Sandbox::new(&[("crontab.yaml", EXAMPLE)]);
    let found = sandbox.run(&["docs", "crontab.yaml"]);
    found.expect(
        0,
        &[
            "# CronTab\n",
            "- Other names: `crontab`, `ct`\n",
            "- Served versions: [`v1`](#crontabs.stable.example.com-v1) (stored)\n",
            "- Kubernetes: 1.30 or newer.",
            "| <a id=\"crontabs.stable.example.com-v1-spec.replicas\"></a>`replicas` | `integer`<br>default `1` | How many run side by side.<br>",
            "<br>`maximum`: `100`<br>",
            "<br>each item: `maxLength`: `253` |\n",
            "`image` | `string`<br>required | What to run.",
            "Rule: replicas must not be greater than maxReplicas\n",
            "Rule: only the tag of an image can change: `self.split(':')[0] == oldSelf.split(':')[0]` (runs on updates only, when there is an old value) |\n",
        ],
    );
    assert_eq!(found.stdout, sandbox.run(&["docs", "crontab.yaml"]).stdout);
    let html = sandbox.run(&["docs", "crontab.yaml", "--format", "html"]);
    html.expect(
        0,
        &[
            "<!DOCTYPE html>\n",
            "<tr id=\"crontabs.stable.example.com-v1-spec.replicas\"><td><code>replicas</code></td><td><code>integer</code><br>default <code>1</code></td>",
        ],
    );
    assert!(!html.stdout.contains("<script"), "{}", html.stdout);
}

#[test]
fn an_example_is_accepted_by_check() {
    let sandbox = Sandbox::new(&[("crontab.yaml", EXAMPLE)]);
    let found = sandbox.run(&["docs", "crontab.yaml"]);
    let example = found
        .stdout
        .split("```yaml\n")
        .nth(1)
        .and_then(|it| it.split("```").next());
    sandbox.write("example.yaml", example.expect("an example"));
    sandbox
        .run(&["check", "example.yaml", "--crd", "crontab.yaml", "--require-crd"])
        .expect(0, &["1 CR, 0 errors, 0 warnings"]);
}

#[test]
fn every_link_leads_somewhere() {
    let sandbox = Sandbox::new(&[
        ("a.yaml", EXAMPLE),
        ("b.yaml", &EXAMPLE.replace("stable.example", "other.example")),
        ("c.yaml", include_str!("../../examples/versions.crd.yaml")),
    ]);
    let markdown = sandbox.run(&["docs", "."]).stdout;
    let anchors: BTreeSet<&str> = markdown
        .split("<a id=\"")
        .skip(1)
        .filter_map(|it| it.split('"').next())
        .collect();
    let links: Vec<&str> = markdown
        .split("](#")
        .skip(1)
        .filter_map(|it| it.split(')').next())
        .collect();
    assert!(links.len() > 8 && anchors.len() > 20, "{markdown}");
    assert!(links.iter().all(|it| anchors.contains(it)), "{links:?}");
    sandbox.run(&["docs", ".", "--output-dir", "out"]).expect(0, &[]);
    let index = read(&sandbox, "out/README.md");
    let pages: Vec<&str> = index
        .split("](")
        .skip(1)
        .filter_map(|it| it.split(')').next())
        .collect();
    assert_eq!(pages.len(), 3, "{index}");
    for page in pages {
        assert!(read(&sandbox, &format!("out/{page}")).starts_with("<a id="), "{page}");
    }
}

#[test]
fn says_what_is_not_documented() {
    let rejected = include_str!("../../examples/broken.crd.yaml");
    let unsatisfiable = definition(
        "              type: object
              required: [name]
              properties:
                name: {type: string, enum: [a], minLength: 2}
",
    );
    let unsatisfiable = unsatisfiable.replacen(
        "          properties:",
        "          required: [spec]\n          properties:",
        1,
    );
    let newer = definition(
        "              type: object
              properties:
                name: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: '!format.named(\"dns1123Label\").value().validate(self).hasValue()'}]}
",
    );
    let sandbox = Sandbox::new(&[
        ("rejected.yaml", rejected),
        ("unsatisfiable.yaml", &unsatisfiable),
        ("newer.yaml", &newer),
        ("same/a.yaml", EXAMPLE),
        ("same/b.yaml", &EXAMPLE.replace("maximum: 100", "maximum: 9")),
        ("empty/none.yaml", "a: b\n"),
    ]);
    let outcome = sandbox.run(&["docs", "rejected.yaml"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("rejects it"), "{}", outcome.stderr);
    sandbox
        .run(&["docs", "unsatisfiable.yaml"])
        .expect(0, &["did not find an object that the API server accepts"]);
    sandbox
        .run(&["docs", "newer.yaml"])
        .expect(0, &["Kubernetes: 1.32 or newer. Older versions reject the CRD."]);
    let twice = sandbox.run(&["docs", "same"]);
    assert_eq!(
        (twice.code, twice.stdout.matches("\n# CronTab\n").count()),
        (Some(0), 1),
        "{twice:?}"
    );
    assert!(twice.stderr.contains("differently than"), "{}", twice.stderr);
    assert_eq!(sandbox.run(&["docs", "empty"]).code, Some(1));
    assert_eq!(sandbox.run(&["docs", "missing.yaml"]).code, Some(3));
    assert_eq!(
        sandbox.run(&["docs", "newer.yaml", "--kubernetes-version", "all"]).code,
        Some(2)
    );
}

/// Text that a renderer could mistake for markup, as a YAML scalar.
const MARKUP: &str = r#""<script>alert(1)</script>\n# Heading\n\n![i](https://example.com/i.png) [x](javascript:alert(1)) <img src=x onerror=alert(1)>\n===\n- item <b>\n\n```html\n<script>\n# no heading\n```\n</code></pre><h1 id='a'>&amp; `code` | \" ' ]]>""#;

#[test]
fn texts_of_authors_are_no_markup() {
    let crd = definition(&format!(
        "              type: object
              description: {MARKUP}
              properties:
                {MARKUP}:
                  type: string
                  description: {MARKUP}
                  enum: [{MARKUP}]
                  default: {MARKUP}
                  x-kubernetes-validations:
                    - {{rule: 'self != \"</code><script>\"', message: '</p><script>x</script> <b> [x](javascript:a)'}}
"
    ));
    let sandbox = Sandbox::new(&[("crd.yaml", &crd)]);
    let markdown = sandbox.run(&["docs", "crd.yaml"]);
    assert_eq!(markdown.code, Some(0), "{markdown:?}");
    let anchor =
        Regex::new(r#"^\s*<a id="[A-Za-z0-9._-]*">(</a>)?\s*$|^</a>$|^</?code>$|^<br>$"#).expect("it compiles");
    let (mut headings, mut cells) = (0, 0);
    for event in Parser::new_ext(&markdown.stdout, Options::ENABLE_TABLES) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => assert!(anchor.is_match(&html), "{html}"),
            Event::Start(Tag::Image { dest_url, .. }) => panic!("an image: {dest_url}"),
            Event::Start(Tag::Link { dest_url, .. }) => {
                assert!(
                    dest_url.starts_with('#') || dest_url.starts_with("https://"),
                    "{dest_url}"
                );
            }
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Start(Tag::TableCell) => cells += 1,
            _ => {}
        }
    }
    assert_eq!(
        (headings, cells),
        (3, 12),
        "the kind, the version and spec; two tables of one field: {}",
        markdown.stdout
    );
    let html = sandbox.run(&["docs", "crd.yaml", "--format", "html"]);
    let body = html.stdout.split("<body>").nth(1).expect("a body");
    let tag = Regex::new("<[^>]*>").expect("it compiles");
    let known = Regex::new(
        r##"^</?(h1|h2|h3|p|ul|li|pre|code|a|body|html|table|tr|th|td|br)>$|^<tr id="[A-Za-z0-9._-]*">$|^<h[1-3] id="[A-Za-z0-9._-]*">$|^<p class="description">$|^<a href="#[A-Za-z0-9._-]*">$"##,
    )
    .expect("it compiles");
    let tags: Vec<&str> = tag.find_iter(body).map(|it| it.as_str()).collect();
    assert!(tags.len() > 20, "{body}");
    for tag in tags {
        assert!(known.is_match(tag), "{tag}");
    }
}

#[test]
fn reads_crds_in_lists() {
    let items = format!("- {}\n", EXAMPLE.trim_end().replace('\n', "\n  "));
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}}}\n{items}"
    );
    let sandbox = Sandbox::new(&[("list.yaml", &list), ("crontab.yaml", EXAMPLE)]);
    let alone = sandbox.run(&["docs", "crontab.yaml"]);
    let listed = sandbox.run(&["docs", "list.yaml"]);
    assert_eq!((listed.code, &listed.stdout), (Some(0), &alone.stdout));
    // Other commands that read CRDs also accept a list.
    let published = sandbox.run(&["schema", "list.yaml"]);
    assert_eq!(published.stdout, sandbox.run(&["schema", "crontab.yaml"]).stdout);
    let changed = list.replace("maximum: 100", "maximum: 10");
    std::fs::write(sandbox.path().join("next.yaml"), &changed).expect("a file");
    let line = changed
        .lines()
        .position(|it| it.contains("maximum: 10"))
        .expect("a line")
        + 1;
    let compared = sandbox.run(&["compat", "list.yaml", "next.yaml"]);
    compared.expect(
        1,
        &[
            "v1 spec.replicas [maximum-changed]: 100 → 10",
            &format!("at next.yaml:{line}"),
        ],
    );
}

/// A CRD with an embedded Pod template, whose `spec` has these rules.
fn with_template(rules: &str) -> String {
    definition(&format!(
        "              type: object
              description: What is wanted. More of it.
              properties:
                note: {{type: string, description: 'a | b', pattern: '^(a|b)$'}}
                template:
                  type: object
                  properties:
                    spec:
                      type: object
                      properties:
                        containers: {{type: array, maxItems: 9, items: {{type: object, properties: {{image: {{type: string, maxLength: 9{rules}}}}}}}}}
                        nodeSelector: {{type: object, additionalProperties: {{type: string}}}}
                        restartPolicy: {{type: string}}
                        volumes: {{type: array, items: {{type: object, properties: {{name: {{type: string}}}}}}}}
"
    ))
}

#[test]
fn fields_of_kubernetes_types_and_deep_ones_are_listed_if_asked() {
    let rules = ", x-kubernetes-validations: [{rule: self != 'x'}]";
    let sandbox = Sandbox::new(&[("crd.yaml", &with_template("")), ("rules.yaml", &with_template(rules))]);
    let known = sandbox.run(&["docs", "crd.yaml"]);
    known.expect(
        0,
        &[
            "| [`spec`](#widgets.example.com-v1-spec) | `Object` | What is wanted. |",
            "Its fields are those of [`PodSpec`](https://kubernetes.io/",
            // A bar in a pattern must not end the cell.
            "a &#124; b<br>`pattern`: <code>&#94;&#40;a&#124;b&#41;&#36;</code> |",
        ],
    );
    assert!(!known.stdout.contains("nodeSelector"), "{}", known.stdout);
    sandbox
        .run(&["docs", "crd.yaml", "--all-types"])
        .expect(0, &["`nodeSelector` |", "### `spec.template.spec.volumes`"]);
    // A rule inside the template was written by the author, so it is shown.
    sandbox
        .run(&["docs", "rules.yaml"])
        .expect(0, &["`nodeSelector` |", "Rule: `self != 'x'`"]);
    let shallow = sandbox.run(&["docs", "crd.yaml", "--depth", "2"]);
    shallow.expect(0, &["`template` | `Object` | 7 fields inside are not listed. |"]);
    assert_eq!(sandbox.run(&["docs", "crd.yaml", "--depth", "0"]).code, Some(2));
}
