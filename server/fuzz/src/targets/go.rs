//! Go sources: the declarations and markers of files that need not compile.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_gosource::{
    Folders, Kind, Module, Step,
    check::{self, catalog::Release, declared::Declared},
    marker_for, root_of,
};
use crd_analyzer_ide::{
    fixes::{Problem, apply},
    language::Language as _,
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::sources::go_file::{self, Markers};

use crate::{
    Target,
    dictionary::owned,
    input::{Input, input},
    spans::assert_range_in,
};

pub(super) const TARGET: Target = Target {
    name: "go",
    run,
    seeds: |_| {
        vec![
            input(&[0], &[TYPES, SHARED, "spec.nested.deep[].size"]),
            input(&[1], &[TYPES, "", "spec.loop.labels{}"]),
        ]
    },
    words: || owned(WORDS),
};

const WORDS: &[&str] = &[
    "package v1\n",
    "import (",
    "import x \"example.com/operator/api/shared\"\n",
    "type A struct {\n",
    "type B = A\n",
    "type (\n",
    "map[string]",
    "[]",
    "*",
    "`json:\",inline\"`",
    "`json:\"a,omitempty\"`",
    "// +kubebuilder:validation:Minimum=1\n",
    "// +groupName=example.com\n",
    "/* +optional */",
    "// +k8s:maxItems=3\n",
    "// +listType=map\n",
    "// +kubebuilder:validation:XValidation:rule=\"self != \u{201D}\",mesage=\"no\"\n",
    "// +kubebuilder:rbac:groups=a,verbs=get,list\n",
    "// +kubebuilder:validation:MaxLenght=\"3\"\n",
    "// +optional because\n",
    "interface{}",
    "func f() {}\n",
    "[3]int",
    "chan ",
    "generic[T any]",
    "const (",
    "\\x60",
    "`",
];

const TYPES: &str = "// +groupName=example.com\npackage v1\n\nimport (\n\t\"example.com/operator/api/shared\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n\n\
    // Port is a number.\n// +kubebuilder:validation:Minimum=1\ntype Port int32\n\ntype (\n\t// +kubebuilder:validation:MaxItems=8\n\tHosts []string\n)\n\n\
    type Common struct {\n\tMode string `json:\"mode\"`\n}\n\n\
    // +kubebuilder:validation:XValidation:rule=\"self.min <= self.max\"\ntype WidgetSpec struct {\n\tCommon `json:\",inline\"`\n\
    \tReplicas *int32 `json:\"replicas,omitempty\"`\n\tHosts Hosts `json:\"hosts\"`\n\tPorts, More []Port `json:\"ports\"`\n\tLabels map[string]string `json:\"labels\"`\n\
    \tNested struct {\n\t\t// +optional\n\t\tDeep []*shared.Thing `json:\"deep\"`\n\t} `json:\"nested\"`\n\tLoop *WidgetSpec `json:\"loop\"`\n}\n\n\
    // +kubebuilder:object:root=true\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tSpec WidgetSpec `json:\"spec\"`\n}\n";

const SHARED: &str =
    "package shared\n\ntype Thing struct {\n\t// +kubebuilder:validation:Maximum=10\n\tSize int `json:\"size\"`\n}\n";

struct Memory(BTreeMap<PathBuf, String>);

impl Folders for Memory {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let below = self.0.keys().filter_map(|it| it.strip_prefix(folder).ok());
        let mut names: Vec<_> = below
            .filter_map(|it| {
                let mut parts = it.components();
                let first = parts.next()?.as_os_str().to_str()?.to_owned();
                Some((first, parts.next().is_some()))
            })
            .collect();
        names.dedup();
        names
    }

    fn read(&self, file: &Path) -> Option<String> {
        self.0.get(file).cloned()
    }
}

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let is_generated = input.number() & 1 == 0;
    let texts = [input.text(), input.text(), input.text()];
    let [types, shared, path] = texts.map(|it| it.to_string());
    check_markers(&types);
    let files = [
        ("/go.mod", "module example.com/operator\n".to_owned()),
        ("/api/v1/types.go", types),
        ("/api/shared/shared.go", shared),
    ];
    let files = files.map(|(path, text)| (PathBuf::from(path), text));
    let memory = Memory(files.into());
    let root = root_of(Path::new("/config/crd.yaml"), &memory).expect("the folder of go.mod");
    let module = Module::new(root, Arc::new(memory));
    let of = Kind {
        group: "example.com",
        version: "v1",
        kind: "Widget",
        is_generated,
    };
    let mut steps = Vec::new();
    // Checks the path itself, and all its prefixes.
    for length in 0..=path.len().min(60) {
        let Some(written) = path
            .get(..length)
            .filter(|_| path[length..].starts_with(['.', '[', '{']) || length == path.len())
        else {
            continue;
        };
        steps.clear();
        for name in written.split('.') {
            let bare = name.trim_end_matches(['[', ']', '{', '}']);
            steps.push(Step::Property(bare.to_owned()));
            steps.extend(name[bare.len()..].chars().filter_map(|it| match it {
                '[' => Some(Step::Items),
                '{' => Some(Step::Values),
                _ => None,
            }));
        }
        let Some(declared) = module.declaration(&of, &steps) else {
            continue;
        };
        for site in std::iter::once(&declared.site).chain(&declared.types) {
            assert_range_in(&site.file.text, site.span.clone());
            for marker in site.markers.iter() {
                assert_range_in(&site.file.text, marker.span.clone());
            }
        }
        for keyword in [
            "maximum",
            "maxItems",
            "x-kubernetes-validations",
            "enum",
            "default",
            "shortNames",
        ] {
            for is_schema in [true, false] {
                if let Some(marker) = marker_for(keyword, is_schema) {
                    let _ = declared.marked(marker, Some("10")).written;
                    let _ = declared.marked(marker, None).name;
                }
            }
        }
    }
}

/// The maximum number of positions to check in a file.
const MOST_PLACES: usize = 40;

/// Diagnostics, completion, hover and quick fixes of markers.
fn check_markers(text: &str) {
    let markers = Markers {
        release: Release::NEWEST,
        declared: Declared::new(["example:size"]).expect("a name"),
        path: "/widget_types.go".into(),
        module: None,
    };
    let comments = check::read(text);
    let found = markers.find(text, &comments);
    let problems: Vec<_> = found
        .iter()
        .map(|it| {
            assert_range_in(text, it.span.clone());
            let span = Span::new(it.span.start as u32, it.span.end as u32);
            let code = go_file::code(&it.problem);
            Problem::new(code, span)
        })
        .collect();
    let ends = comments.markers.iter().flat_map(|it| [it.span.start + 1, it.span.end]);
    for at in ends.take(MOST_PLACES) {
        if let Some(found) = markers.complete(text, at as u32, true) {
            assert_range_in(text, found.replace.range());
            assert!(found.replace.start <= found.insert.end && found.insert.end <= found.replace.end);
        }
        if let Some(found) = markers.hover(text, at as u32) {
            assert_range_in(text, found.span.range());
        }
    }
    let whole = Span::new(0, text.len() as u32);
    for fix in markers.repairs(text, problems.clone(), whole) {
        assert!(apply(text, &fix.edits).is_some(), "the edits of {fix:?} fit");
    }
    for fix in markers.ignores(text, problems, whole) {
        assert!(apply(text, &fix.edits).is_some(), "the edits of {fix:?} fit");
    }
}
