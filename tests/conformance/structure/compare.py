#!/usr/bin/env python3
"""Compares structural schemas, defaults and metadata with the server on generated definitions.

    cargo build --profile fast -p crd-analyzer-apiextensions --example judge
    tests/conformance/structure/compare.py ORACLE JUDGE MINOR COUNT SEED [--defaults | --metadata] [--update]

ORACLE is the oracle of that minor, JUDGE the example above. Without an option the schemas are odd in structure, with
--defaults they are mostly structural and full of defaults, with --metadata only the definition's own metadata varies.

Where two fields of one resource are of the wrong type, the server names either: such a pair is not generated. The
addresses of booleans that older minors print are not compared.
"""

import json
import random
import re
import subprocess
import sys

NAMES = ["a", "b", "metadata", "kind", "apiVersion", "name", "generateName", "spec", "labels", "c.d", "x-y", "é", "a[b]"]
SCALARS = [1, 1.5, "a", "", True, None, "abc", -3, [1], {"a": 1}, [], {}]
INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
VERSIONS = ["v1", "a/b", "a/b/c", ""]
KINDS = ["K", "Foo", "a.b", ""]
TEXTS = ["a", "", "A-b", "a.b", "a/b", "x" * 63, "x" * 64, "é", "a_b", "-a", "a-", "a/", "/a", "a/b/c", "x" * 254 + "/y",
         "A.B/c", "a..b", "\u0007", "a b", "İ"]
METADATA = {
    "name": ["a", "a/b", "..", None, ""],
    "generateName": ["a-", "a%"],
    "namespace": ["ns", "N S", ""],
    "labels": [{"a": "b"}, {"a/b/c": "d"}, {"a": None}, {"a": "-"}],
    "annotations": [{"A": "b"}, {"a b": "x"}, {}],
    "finalizers": [["a/b"], ["bad one"], ["orphan", "foregroundDeletion"]],
    "generation": [1, -1, 1.0],
    "creationTimestamp": [None, "2020-01-01T00:00:00Z", "2020-01-01T00:00:00+02:00"],
    "ownerReferences": [
        [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}],
        [{"apiVersion": "v1", "kind": "Event", "name": "n"}],
        [{"controller": True, "kind": "A"}, {"controller": True, "kind": "B"}],
    ],
    "managedFields": [[{"operation": "Apply", "fieldsType": "FieldsV1"}], [{"operation": "x", "manager": "a\u0007"}], [{}]],
    "unknown": [1],
}
MALFORMED = {
    "name": 1, "labels": {"a": 1}, "annotations": 1, "finalizers": "x", "generation": 1.5, "creationTimestamp": "x",
    "ownerReferences": [{"uid": 1}], "uid": 1, "deletionGracePeriodSeconds": "x",
}


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def some(self, share):
        return self.random.random() < share

    def few(self, make, most=3):
        return [make() for _ in range(self.random.randint(0, most))]

    def schemas(self, make, most=3):
        return {self.pick(NAMES): make() for _ in range(self.random.randint(0, most))}

    def type(self):
        return self.random.choices(["object", "string", "integer", "array", "boolean", "number", ""], [8, 5, 4, 4, 2, 2, 2])[0]

    # Odd structure.

    def odd(self, depth, is_root=False):
        schema = {}
        kind = "object" if is_root and self.some(.93) else self.type()
        if kind:
            schema["type"] = kind
        for keyword, share, values in [
            ("description", .06, ["d"]), ("nullable", .05, [True]), ("x-kubernetes-validations", .03, [[]]),
            ("x-kubernetes-preserve-unknown-fields", .07, [True, True, True, False]), ("required", .03, [[]]),
            ("x-kubernetes-embedded-resource", .07, [True]), ("x-kubernetes-list-map-keys", .03, [[]]),
            ("$ref", .01, ["", "x"]), ("id", .01, ["x"]), ("definitions", .01, [{"x": {}}]), ("pattern", .03, ["^a$", "(", "[a"]),
            ("patternProperties", .01, [{"x": {}}]), ("additionalItems", .01, [True]), ("example", .03, [1]),
            ("externalDocs", .03, [{"url": "u"}]), ("minLength", .05, [2]), ("enum", .05, [["a"], [None]]),
        ]:
            if self.some(share):
                schema[keyword] = self.pick(values)
        if self.some(.08):
            schema["x-kubernetes-int-or-string"] = True
            if self.some(.8):
                schema.pop("type", None)
        if depth:
            below = lambda: self.odd(depth - 1)
            if kind in ("object", "") and self.some(.8) or self.some(.05):
                schema["properties"] = self.schemas(below)
            elif self.some(.4 if kind == "object" else .03):
                schema["additionalProperties"] = self.pick([True, False, below()])
            if self.some(.85 if kind == "array" else .03):
                schema["items"] = below() if self.some(.97) else [below()]
        elif kind == "array":
            schema["items"] = {"type": "string"}
        if self.some(.1):
            schema["not"] = self.clause(depth)
        for junctor in ("allOf", "anyOf", "oneOf"):
            if self.some(.12):
                schema[junctor] = self.clauses(depth)
        return schema

    def clause(self, depth):
        schema = {}
        for keyword, share, values in [
            ("minLength", .35, [1]), ("type", .12, ["string", "object"]), ("description", .08, ["d"]), ("title", .06, ["t"]),
            ("nullable", .06, [True, False]), ("x-kubernetes-int-or-string", .05, [True, False]),
            ("x-kubernetes-preserve-unknown-fields", .05, [True]), ("x-kubernetes-embedded-resource", .03, [True]),
            ("x-kubernetes-list-type", .03, ["atomic"]), ("x-kubernetes-map-type", .03, ["atomic"]),
            ("x-kubernetes-list-map-keys", .03, [[], ["a"]]), ("x-kubernetes-validations", .03, [[], [{"rule": "true"}]]),
            ("default", .05, [None, 1, {}]), ("example", .05, [None, 1]), ("externalDocs", .04, [{"url": "u"}]),
            ("additionalProperties", .08, [True, False, {}, {"type": "string"}]), ("required", .05, [[], ["a"]]),
            ("pattern", .05, ["^a$", "(", "(?!x)"]),
        ]:
            if self.some(share):
                schema[keyword] = self.pick(values)
        if depth:
            below = lambda: self.clause(depth - 1)
            if self.some(.25):
                schema["properties"] = self.schemas(below, 2)
            if self.some(.12):
                schema["items"] = below()
            if self.some(.1):
                schema["not"] = below()
            for junctor in ("allOf", "anyOf", "oneOf"):
                if self.some(.1):
                    schema[junctor] = self.clauses(depth - 1)
        return schema

    def clauses(self, depth):
        kind = self.random.random()
        if kind < .2:
            return INT_OR_STRING
        if kind < .27:
            return [{"anyOf": INT_OR_STRING}] + self.few(lambda: self.clause(depth), 1)
        if kind < .3:
            almost = [dict(it) for it in INT_OR_STRING]
            self.pick(almost).update(self.clause(0))
            return almost
        return self.few(lambda: self.clause(depth), 2)

    # Defaults.

    def plain(self, depth, is_root=False):
        kind = "object" if is_root else self.pick(["object", "object", "string", "integer", "array", "boolean", "number"])
        if not depth and kind in ("object", "array"):
            kind = "string"
        schema = {"type": kind}
        if not is_root:
            if kind == "object" and self.some(.2):
                schema["x-kubernetes-embedded-resource"] = True
            if kind == "object" and self.some(.2):
                schema["x-kubernetes-preserve-unknown-fields"] = True
            if self.some(.06):
                schema = {"x-kubernetes-int-or-string": True}
        for keyword, share, values in [
            ("nullable", 0 if is_root else .1, [True]), ("minLength", .1, [2]), ("maximum", .1, [0]), ("enum", .05, [["a"], [1, "abc"]]),
            ("format", .05, ["date-time", "int32", "foo", "ipv4", "byte"]), ("anyOf", .08, [[{"minLength": 1}, {"maximum": 5}]]),
            ("not", .03, [{"additionalProperties": False, "minLength": 9}]),
        ]:
            if self.some(share):
                schema[keyword] = self.pick(values)
        if kind == "object" and (is_root or self.some(.75) or schema.get("x-kubernetes-embedded-resource")):
            schema["properties"] = {"a": self.plain(0)}
            for _ in range(self.random.randint(0, 3)):
                name = self.pick(NAMES)
                schema["properties"][name] = self.property(name, depth, is_root)
        elif kind == "object":
            schema["additionalProperties"] = self.pick([True, {"type": "string"}, {"type": "integer", "minimum": 1}])
        if kind == "array":
            schema["items"] = self.plain(depth - 1)
        if not is_root and self.some(.45):
            schema["default"] = self.value(schema)
        return schema

    def property(self, name, depth, is_root):
        if name in ("kind", "apiVersion"):
            return self.with_default({"type": "string"}, VERSIONS + KINDS)
        if name != "metadata":
            return self.plain(depth - 1)
        properties = {}
        for name, schema in [
            ("name", {"type": "string"}), ("generateName", {"type": "string"}),
            ("labels", {"type": "object", "additionalProperties": {"type": "string"}}), ("generation", {"type": "integer"}),
            ("finalizers", {"type": "array", "items": {"type": "string"}}),
        ]:
            if self.some(.3) and not (is_root and name not in ("name", "generateName")):
                properties[name] = self.with_default(schema, METADATA[name])
        return self.with_default({"type": "object", "properties": properties}, [self.metadata()])

    def with_default(self, schema, values):
        return {**schema, "default": self.pick(values)} if self.some(.5) else schema

    def value(self, schema):
        kind = schema.get("type")
        if self.some(.2):
            return self.pick(SCALARS)
        if kind == "object":
            value = {name: self.value(below) for name, below in schema.get("properties", {}).items() if self.some(.6)}
            if self.some(.3):
                value[self.pick(NAMES)] = self.pick(SCALARS)
            if schema.get("x-kubernetes-embedded-resource"):
                value.update({"apiVersion": self.pick(VERSIONS), "kind": self.pick(KINDS), "metadata": self.metadata()})
            return value
        if kind == "array":
            return self.few(lambda: self.value(schema["items"]), 2)
        return self.pick({"string": ["a", "", "abc", "2020-01-01T00:00:00Z"], "integer": [1, 0, -5, 1.0, 1.5],
                          "number": [1, 1.5], "boolean": [True, False]}.get(kind, [1, "a", {}, 1.5]))

    def metadata(self):
        metadata = {name: self.pick(values) for name, values in METADATA.items() if self.some(.13)}
        if self.some(.2):
            name = self.pick(list(MALFORMED))
            return {**metadata, name: MALFORMED[name]} if self.some(.8) else self.pick([1, "x", None, [1]])
        return metadata

    # A definition's own metadata.

    def own_metadata(self):
        texts = lambda: {self.pick(TEXTS): self.pick(TEXTS) for _ in range(self.random.randint(0, 2))}
        reference = lambda: {field: self.pick(["", "v1", "a/b", "a/b/c", "/", "a/", "/b", "Event"])
                             for field in ("apiVersion", "kind", "name", "uid") if self.some(.8)}
        metadata = {"name": self.pick(["foos.example.com"] * 4 + TEXTS)}
        for field, share, make in [
            ("labels", .5, texts), ("annotations", .5, texts), ("finalizers", .4, lambda: self.few(lambda: self.pick(TEXTS))),
            ("ownerReferences", .3, lambda: self.few(reference)), ("generateName", .2, lambda: self.pick(TEXTS)),
            ("namespace", .2, lambda: self.pick(TEXTS)), ("generation", .2, lambda: self.pick([0, -1, 3])),
            ("resourceVersion", .5, lambda: "1"), ("uid", .1, lambda: "u"),
            ("deletionTimestamp", .1, lambda: "2020-01-01T00:00:00Z"),
        ]:
            if self.some(share):
                metadata[field] = make()
        return metadata


def below(schema, found):
    """The schema and those below it, out of junctors."""
    if isinstance(schema, dict):
        found.append(schema)
        for property in schema.get("properties", {}).values():
            below(property, found)
        below(schema.get("items"), found)
        below(schema.get("additionalProperties"), found)
    return found


def definition(metadata, schemas):
    versions = [{"name": f"v{n + 1}", "served": True, "storage": n == 0, "schema": {"openAPIV3Schema": schema}}
                for n, schema in enumerate(schemas)]
    return json.dumps({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata,
        "spec": {"group": "example.com", "scope": "Namespaced", "versions": versions,
                 "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"}},
    })


def request(generator, what, is_update, number):
    name = {"name": "foos.example.com", "resourceVersion": "1"}
    answer = {"id": str(number)}
    if what == "--metadata":
        make = lambda: definition(generator.own_metadata(), [{"type": "object"}])
        answer["text"] = make()
        if is_update:
            answer["old_text"] = make()
        return answer
    schema = generator.plain if what == "--defaults" else generator.odd
    schemas = [schema(3, True) for _ in range(generator.pick([1, 1, 1, 2]))]
    if is_update:
        answer["old_text"] = definition(name, schemas)
        schemas = json.loads(json.dumps(schemas))
        for _ in range(generator.random.randint(0, 2)):
            changed = generator.pick(below(generator.pick(schemas), []))
            changed.update(generator.clause(1) if generator.some(.3) else generator.with_default({}, SCALARS))
    answer["text"] = definition(name, schemas)
    return answer


def ask(command, requests):
    lines = "".join(json.dumps(it) + "\n" for it in requests)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return {it["file"]: it for it in map(json.loads, done.stdout.splitlines())}


def causes(answer):
    plain = lambda text: re.sub("0x[0-9a-f]+", "0x", text)
    shown = lambda error: plain(error.get("bad_value") or "").encode()[:150]
    errors = [(error["type"], error["field"], plain(error["detail"]), shown(error)) for error in answer.get("errors") or []]
    return sorted(errors) or [answer.get("decode_error")]


def main():
    oracle, judge, minor, count, seed = sys.argv[1:6]
    options = sys.argv[6:]
    what = next((it for it in options if it != "--update"), "")
    generator = Generator(int(seed))
    requests = [request(generator, what, "--update" in options, number) for number in range(int(count))]
    theirs = ask([oracle, "crd", "-media", "json", "-list", "-"], requests)
    ours = ask([judge, "--k8s", minor], requests)
    differences = refused = 0
    for asked in requests:
        a, b = causes(theirs[asked["id"]]), causes(ours[asked["id"]])
        refused += a != [None]
        if a != b:
            differences += 1
            if differences <= 8:
                print({"request": asked["id"], "server": [it for it in a if it not in b], "ours": [it for it in b if it not in a]})
    print(f"1.{minor} {' '.join(options)}: {count} requests, {refused} refused, {differences} differences")
    sys.exit(bool(differences))


main()
