// Values against the types of the protocol's meta-model, strictly: a property that a type does not have, an unknown member of a closed
// enumeration, a missing property are all errors.
const fs = require("node:fs");

const isObject = (it) => typeof it === "object" && it !== null && !Array.isArray(it);
const isInteger = (least, most) => (it) => Number.isInteger(it) && it >= least && it <= most;
const isUri = (it) => typeof it === "string" && /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/.test(it);
const BASES = {
  string: (it) => typeof it === "string",
  boolean: (it) => typeof it === "boolean",
  null: (it) => it === null,
  integer: isInteger(-(2 ** 31), 2 ** 31 - 1),
  uinteger: isInteger(0, 2 ** 31 - 1),
  decimal: (it) => typeof it === "number",
  URI: isUri,
  DocumentUri: isUri,
  RegExp: (it) => typeof it === "string",
};

class MetaModel {
  constructor(file) {
    const model = JSON.parse(fs.readFileSync(file, "utf8"));
    const byName = (list) => new Map(list.map((it) => [it.name, it]));
    this.structures = byName(model.structures);
    this.enumerations = byName(model.enumerations);
    this.aliases = byName(model.typeAliases);
    const byMethod = (list) => new Map(list.map((it) => [it.method, it]));
    this.requests = byMethod(model.requests);
    this.notifications = byMethod(model.notifications);
  }

  /** What is wrong with a value: `[{path, what}]`. */
  check(type, value, path = "") {
    const wrong = (what) => [{ path, what: `${what}, not ${JSON.stringify(value)?.slice(0, 120)}` }];
    switch (type.kind) {
      case "base":
        return BASES[type.name](value) ? [] : wrong(`a ${type.name}`);
      case "stringLiteral":
        return value === type.value ? [] : wrong(`"${type.value}"`);
      case "array":
        return Array.isArray(value) ? value.flatMap((it, i) => this.check(type.element, it, `${path}[${i}]`)) : wrong("a list");
      case "tuple":
        return Array.isArray(value) && value.length === type.items.length
          ? value.flatMap((it, i) => this.check(type.items[i], it, `${path}[${i}]`))
          : wrong(`a list of ${type.items.length}`);
      case "map":
        return isObject(value)
          ? Object.entries(value).flatMap(([key, it]) => [...this.check(type.key, key, `${path}{key}`), ...this.check(type.value, it, `${path}.${key}`)])
          : wrong("an object");
      case "literal":
        return this.checkProperties(type.value.properties, value, path);
      case "and":
        return this.checkProperties(type.items.flatMap((it) => this.propertiesOf(it)), value, path);
      case "or":
        return this.checkOneOf(type.items, value, path);
      case "reference":
        return this.checkNamed(type.name, value, path);
      default:
        throw new Error(`the meta-model has a kind of types that is not known here: ${type.kind}`);
    }
  }

  checkNamed(name, value, path) {
    // Anything at all; the alias is recursive.
    if (name === "LSPAny" || name === "LSPObject" || name === "LSPArray") return [];
    const structure = this.structures.get(name);
    if (structure) return this.checkProperties(this.propertiesOf({ kind: "reference", name }), value, path);
    const enumeration = this.enumerations.get(name);
    if (enumeration) {
      const isMember = enumeration.values.some((it) => it.value === value);
      if (isMember) return [];
      const ofType = this.check(enumeration.type, value, path);
      if (ofType.length > 0) return ofType;
      return enumeration.supportsCustomValues ? [] : [{ path, what: `a member of ${name}, not ${JSON.stringify(value)}` }];
    }
    const alias = this.aliases.get(name);
    if (!alias) throw new Error(`the meta-model does not say what ${name} is`);
    return this.check(alias.type, value, path);
  }

  checkOneOf(types, value, path) {
    let closest;
    for (const type of types) {
      const found = this.check(type, value, path);
      if (found.length === 0) return [];
      // What goes wrong deepest in was meant.
      const depth = Math.max(...found.map((it) => it.path.length));
      if (!closest || depth > closest.depth) closest = { depth, found };
    }
    return closest.found;
  }

  checkProperties(properties, value, path) {
    if (!isObject(value)) return [{ path, what: `an object, not ${JSON.stringify(value)?.slice(0, 120)}` }];
    const known = new Map(properties.map((it) => [it.name, it]));
    const found = [];
    for (const { name, optional } of known.values()) {
      if (!optional && !(name in value)) found.push({ path, what: `\`${name}\`, which is missing` });
    }
    for (const [name, it] of Object.entries(value)) {
      const property = known.get(name);
      if (!property) found.push({ path: `${path}.${name}`, what: "no such property" });
      else found.push(...this.check(property.type, it, `${path}.${name}`));
    }
    return found;
  }

  propertiesOf(type) {
    if (type.kind === "literal") return type.value.properties;
    const structure = type.kind === "reference" && this.structures.get(type.name);
    if (!structure) throw new Error(`a structure is expected, not ${JSON.stringify(type)}`);
    const inherited = [...(structure.extends ?? []), ...(structure.mixins ?? [])].flatMap((it) => this.propertiesOf(it));
    return [...inherited, ...structure.properties];
  }
}

module.exports = { MetaModel };
