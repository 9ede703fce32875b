#!/usr/bin/env python3
"""Compares value validation with the server's on generated schemas and values.

    cargo build --profile fast -p crd-analyzer-resource --example values_answer
    tests/conformance/values/compare.py ORACLE ANSWER MINOR COUNT SEED [--update | --defaults]

ORACLE is the oracle of that minor, ANSWER the example above. With --defaults, values are defaults
of a definition, and the answers about the definition are compared. Definitions that the oracle does not accept are left out.
"""

import json
import random
import subprocess
import sys

FORMATS = ["date", "date-time", "ipv4", "email", "uri", "uuid", "byte", "duration", "int32", "int64", "float", "double",
           "password", "k8s-short-name", "k8s-long-name", "no-such", "hostname", "ssn"]
PATTERNS = ["^a", "b$", "^[a-z]+$", "\\d", "^.{2}$", "(?i)A"]
STRINGS = ["", "a", "ab", "abc", "A", "B1", "é", "日本", "1", "true", "2024-01-01", "1.2.3.4", "a@b", "/x", "YQ==", "1h",
           "a-b", "2024-01-01T00:00:00Z", "x\"y\\", "<&>", "\n", "111-22-3333", "\u0001", "\u00ad", "\u2028", "\U0010ffff", "\u200b", "\ufffd", "`", "\x27"]
NUMBERS = [0, 1, -1, 2, 3, 5, 10, 65, 100, 2**31 - 1, 2**31, -2**31 - 1, 2**53, 2**53 + 1, 2**63 - 1, -2**63, 2**63, 0.5, 1.5,
           -0.5, 2.0, 3.0, 0.1, 0.3, 1e20, 1e21, 1e-7, 3.4e38, 3.5e38, 1e300, -2.0, 5.0000000001, -5.0000000001, 4.9999999999, 1e6,
           123456789.5]
BOUNDS = [0, 1, 2, 3, 10, -1, 0.5, 2.5, -0.5, 2**31, 1e19, 1e20, -1e20, 2**53, 3.5e38, 100.25]
NAMES = ["a", "b", "c", "d-e", "x.y", "é", "", ".z", "x[0]", "a\nb"]


def some(r, p):
    return r.random() < p


def scalar_constraints(r, kind):
    s = {}
    if kind in ("integer", "number", "int-or-string"):
        if some(r, .4):
            s["minimum"] = r.choice(BOUNDS)
            if some(r, .3):
                s["exclusiveMinimum"] = True
        if some(r, .4):
            s["maximum"] = r.choice(BOUNDS)
            if some(r, .3):
                s["exclusiveMaximum"] = True
        if some(r, .3):
            s["multipleOf"] = r.choice([1, 2, 3, 0.5, 0.1, 1.5, 1e20, 2.5])
    if kind in ("string", "int-or-string"):
        if some(r, .3):
            s["minLength"] = r.choice([0, 1, 2, 3])
        if some(r, .3):
            s["maxLength"] = r.choice([0, 1, 2, 3])
        if some(r, .3):
            s["pattern"] = r.choice(PATTERNS)
    if some(r, .3):
        s["format"] = r.choice(FORMATS)
    if some(r, .25):
        s["enum"] = [value_of(r, kind) for _ in range(r.randint(1, 3))]
    return s


def value_of(r, kind):
    if some(r, .08):
        kind = r.choice(["integer", "number", "string", "boolean", "array", "object", "null"])
    return {
        "integer": lambda: r.choice([n for n in NUMBERS if isinstance(n, int)]) if some(r, .8) else r.choice(NUMBERS),
        "number": lambda: r.choice(NUMBERS),
        "string": lambda: r.choice(STRINGS),
        "boolean": lambda: some(r, .5),
        "int-or-string": lambda: r.choice(STRINGS) if some(r, .5) else r.choice(NUMBERS),
        "array": lambda: [r.choice(STRINGS) for _ in range(r.randint(0, 3))],
        "object": lambda: {r.choice(NAMES): r.choice(STRINGS) for _ in range(r.randint(0, 2))},
        "null": lambda: None,
    }[kind]()


def constraints(r, node, depth):
    """Constraints for a node, without its type; nested ones speak only of what the node specifies."""
    kind = kind_of(node)
    s = {}
    if kind in ("integer", "number", "string", "boolean", "int-or-string"):
        s.update(scalar_constraints(r, kind))
    elif kind == "array":
        if some(r, .4):
            s["minItems"] = r.randint(0, 3)
        if some(r, .4):
            s["maxItems"] = r.randint(0, 3)
        if depth > 0 and some(r, .4):
            nested = constraints(r, node["items"], depth - 1)
            if nested:
                s["items"] = nested
    elif kind == "object":
        if some(r, .2):
            s["minProperties"] = r.randint(0, 3)
        if some(r, .2):
            s["maxProperties"] = r.randint(0, 3)
        if some(r, .4):
            s["required"] = r.sample(NAMES, r.randint(1, 2))
        if depth > 0:
            for name, child in node.get("properties", {}).items():
                if some(r, .4):
                    nested = constraints(r, child, depth - 1)
                    if nested:
                        s.setdefault("properties", {})[name] = nested
    if depth > 0:
        for keyword in ("allOf", "anyOf", "oneOf"):
            if some(r, .15):
                branches = [b for b in (constraints(r, node, depth - 1) for _ in range(r.randint(1, 3))) if b]
                if branches:
                    s[keyword] = branches
        if some(r, .1):
            nested = constraints(r, node, depth - 1)
            if nested:
                s["not"] = nested
    return s


def kind_of(node):
    return "int-or-string" if node.get("x-kubernetes-int-or-string") else node["type"]


def schema(r, depth, update):
    kinds = ["integer", "number", "string", "boolean", "int-or-string"]
    if depth > 0:
        kinds += ["array", "object", "object", "array"]
    kind = r.choice(kinds)
    node = {"x-kubernetes-int-or-string": True} if kind == "int-or-string" else {"type": kind}
    if some(r, .2):
        node["nullable"] = True
    if kind == "int-or-string" and some(r, .4):
        node["anyOf"] = [{"type": "integer"}, {"type": "string"}]
        return node
    if kind == "array":
        if update and some(r, .6):
            node["x-kubernetes-list-type"] = "map"
            keys = r.sample(["a", "b"], r.randint(1, 2))
            node["x-kubernetes-list-map-keys"] = keys
            node["items"] = {"type": "object", "properties": {"c": schema(r, depth - 1, update)}, "required": keys}
            for key in keys:
                node["items"]["properties"][key] = {"type": r.choice(["string", "integer", "number"])}
        else:
            node["items"] = schema(r, depth - 1, update)
            if some(r, .1):
                node["x-kubernetes-list-type"] = "atomic"
    elif kind == "object":
        how = r.random()
        if how < .6:
            node["properties"] = {name: schema(r, depth - 1, update) for name in r.sample(NAMES, r.randint(1, 4))}
        elif how < .65:
            node["additionalProperties"] = some(r, .5)
        elif how < .85:
            node["additionalProperties"] = schema(r, depth - 1, update)
        else:
            node["x-kubernetes-preserve-unknown-fields"] = True
    own = constraints(r, node, 2)
    for keyword in ("properties", "items"):
        own.pop(keyword, None)
    for key, value in own.items():
        node.setdefault(key, value)
    return node


def root_constraints(r):
    s = {}
    if some(r, .1):
        s["required"] = r.sample(["spec", "status", "kind", "x"], r.randint(1, 3))
    if some(r, .1):
        s["maxProperties"] = r.randint(2, 5)
    if some(r, .1):
        s["minProperties"] = r.randint(3, 6)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if some(r, .1):
            s[keyword] = [r.choice([{"required": ["spec"]}, {"required": ["status"]}, {"maxProperties": 3}, {"minProperties": 5},
                                    {"properties": {"kind": {"pattern": "^B"}}}, {"properties": {"kind": {"minLength": 2}}}])
                          for _ in range(r.randint(1, 3))]
    return s


def value(r, node, depth=6):
    kind = kind_of(node)
    if some(r, .06):
        return None
    if some(r, .06):
        return value_of(r, r.choice(["integer", "number", "string", "boolean", "array", "object"]))
    enum = node.get("enum")
    if enum and some(r, .7):
        return r.choice(enum)
    if kind == "array" and depth > 0:
        if node.get("x-kubernetes-list-type") == "map":
            items = []
            for n in range(r.randint(0, 3)):
                item = value(r, node["items"], depth - 1)
                if isinstance(item, dict):
                    for n, key in enumerate(node["x-kubernetes-list-map-keys"]):
                        item[key] = r.choice(["a", "b", 1, 2, 1.5])
                items.append(item)
            return items
        return [value(r, node["items"], depth - 1) for _ in range(r.randint(0, 4))]
    if kind == "object" and depth > 0:
        out = {}
        for name, child in node.get("properties", {}).items():
            if some(r, .75):
                out[name] = value(r, child, depth - 1)
        if isinstance(node.get("additionalProperties"), dict):
            for name in r.sample(NAMES, r.randint(0, 3)):
                out[name] = value(r, node["additionalProperties"], depth - 1)
        if node.get("x-kubernetes-preserve-unknown-fields") or some(r, .05):
            out[r.choice(NAMES)] = value_of(r, r.choice(["string", "integer", "object"]))
        return out
    return value_of(r, kind)


def mutate(r, old, node, depth=6):
    """A new value that keeps much of the old one."""
    if some(r, .15):
        return value(r, node, depth)
    if isinstance(old, dict):
        out = {}
        for name, part in old.items():
            child = node.get("properties", {}).get(name) or node.get("additionalProperties")
            if some(r, .05):
                continue
            out[name] = mutate(r, part, child, depth - 1) if isinstance(child, dict) and some(r, .4) else part
        return out
    if isinstance(old, list):
        child = node.get("items")
        out = [mutate(r, part, child, depth - 1) if isinstance(child, dict) and some(r, .3) else part for part in old]
        if some(r, .3):
            r.shuffle(out)
        if some(r, .2) and isinstance(child, dict):
            out.append(value(r, child, depth - 1))
        return out
    return old


def definition(spec, extra):
    return json.dumps({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
                               "spec": spec}, **extra}}}],
        },
    }, ensure_ascii=False)


def resource(spec, old=False):
    metadata = {"name": "foo", "namespace": "default"}
    return json.dumps({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": metadata, "spec": spec}, ensure_ascii=False)


def ask(command, requests):
    text = "".join(json.dumps(it, ensure_ascii=False) + "\n" for it in requests)
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def causes(answer):
    """What to compare: the causes, without those that other parts of the server add."""
    return sorted(
        (e["type"], e["field"], e["detail"], e.get("bad_value") or "") for e in answer["errors"] or []
        if e["type"] != "FieldValueDuplicate" and "list-type map" not in e["detail"])


def cut(text):
    data = text.encode()
    return text if len(data) <= 200 else data[:200].decode(errors="ignore")


def main():
    oracle, answer, minor, count, seed, *rest = sys.argv[1:]
    update, defaults = "--update" in rest, "--defaults" in rest
    r = random.Random(int(seed))
    requests = []
    while len(requests) < int(count):
        node = schema(r, 3, update)
        crd = definition(node, root_constraints(r))
        for _ in range(4):
            spec = value(r, node)
            if defaults:
                crd = definition({**node, "default": spec}, {})
                requests.append({"id": str(len(requests)), "crd_text": crd, "text": None})
                continue
            request = {"id": str(len(requests)), "crd_text": crd, "text": resource(spec)}
            if update:
                request["old_text"] = request["text"]
                request["text"] = resource(mutate(r, spec, node))
            requests.append(request)
    if defaults:
        compare(minor, "defaults", requests, ask([oracle, "crd", "-media", "json", "-list", "-"],
                [{"id": q["id"], "text": q["crd_text"]} for q in requests]), ask([answer, minor], requests))
    theirs = ask([oracle, "cr", "-object", "never", "-media", "json", "-list", "-"], requests)
    kept = [(q, a) for q, a in zip(requests, theirs) if a.get("crd_accepted") and not a.get("decode_error") and not a.get("panic")]
    ours = ask([answer, minor], [q for q, _ in kept])
    compare(minor, "update" if update else "create", [q for q, _ in kept], [a for _, a in kept], ours)


def compare(minor, what, requests, theirs, ours):
    if not len(requests) == len(theirs) == len(ours):
        sys.exit(f"{len(requests)} requests, {len(theirs)} answers of the server, {len(ours)} of ours")
    differences = failed = 0
    kinds = {}
    for request, a, b in zip(requests, theirs, ours):
        a, b = causes(a), causes(b)
        a = [(t, f, d, v if not v.endswith("…") else v[:-1]) for t, f, d, v in a]
        b = [(t, f, d, cut(v)) for t, f, d, v in b]
        failed += bool(a)
        for t, _, d, _ in a:
            kinds[t] = kinds.get(t, 0) + 1
        if a != b:
            differences += 1
            if differences <= 8:
                print(json.dumps({"request": request, "go": [x for x in a if x not in b], "ours": [x for x in b if x not in a]},
                                 ensure_ascii=False))
    print(f"1.{minor} {what}: {len(requests)} requests, {failed} refused, {differences} differences; causes {kinds}")
    sys.exit(bool(differences))


main()
