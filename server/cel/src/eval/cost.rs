//! What evaluating an expression costs (`cel-go` `interpreter/runtimecost.go`, `k8s.io/apiserver/pkg/cel/library`, `CallCost`).
//!
//! The server finds the arguments of a call on a stack of values with the ids of expressions. Expressions of a macro can share an id,
//! so what is found there is not always what was passed; this keeps the same stack.

use crate::value::{EvalError, List, Map, Opaque, Result, Value};

const STRING_TRAVERSAL: f64 = 0.1;
const REGEX_LENGTH: f64 = 0.25;
const LIST_CREATE: u64 = 10;
const MAP_CREATE: u64 = 30;

/// The cost so far.
pub(super) struct Tracker {
    pub(super) cost: u64,
    limit: Option<u64>,
    stack: Vec<(Result, i64)>,
    /// Where on the stack an id is, by id.
    places: Vec<Vec<u32>>,
    /// Constants are folded without being observed.
    enabled: bool,
}

impl Tracker {
    pub(super) fn new(limit: Option<u64>, ids: usize) -> Self {
        Self {
            cost: 0,
            limit,
            stack: Vec::new(),
            places: vec![Vec::new(); ids],
            enabled: true,
        }
    }

    /// One that counts nothing.
    pub(super) fn disabled() -> Self {
        Self {
            cost: 0,
            limit: None,
            stack: Vec::new(),
            places: Vec::new(),
            enabled: false,
        }
    }

    /// Adds to the cost.
    pub(super) fn add(&mut self, cost: u64) {
        if self.enabled {
            self.cost = self.cost.saturating_add(cost);
        }
    }

    /// Takes something back.
    pub(super) fn subtract(&mut self, cost: u64) {
        if self.enabled {
            self.cost = self.cost.saturating_sub(cost);
        }
    }

    /// Puts a value on the stack, and ends the evaluation if it has become too expensive.
    pub(super) fn push(&mut self, value: &Result, id: i64) -> Result<()> {
        if !self.enabled {
            return Ok(());
        }
        if let Some(places) = usize::try_from(id).ok().and_then(|id| self.places.get_mut(id)) {
            places.push(self.stack.len() as u32);
        }
        self.stack.push((value.clone(), id));
        if self.limit.is_some_and(|limit| self.cost > limit) {
            return Err(EvalError::fatal("operation cancelled: actual cost limit exceeded"));
        }
        Ok(())
    }

    fn place(&self, id: i64) -> Option<usize> {
        let places = self.places.get(usize::try_from(id).ok()?)?;
        places.last().map(|place| *place as usize)
    }

    fn truncate(&mut self, len: usize) {
        while self.stack.len() > len {
            let Some((_, id)) = self.stack.pop() else { return };
            if let Some(places) = usize::try_from(id).ok().and_then(|id| self.places.get_mut(id)) {
                places.pop();
            }
        }
    }

    /// Takes the values of these expressions and all above them from the stack.
    pub(super) fn drop(&mut self, ids: impl IntoIterator<Item = i64>) {
        for id in ids {
            if let Some(place) = self.place(id) {
                self.truncate(place);
            }
        }
    }

    /// The values of these expressions (the last one first on the stack), which are taken from it. `None` if one is missing.
    fn drop_args(&mut self, ids: &[i64]) -> Option<Vec<Result>> {
        let mut values = Vec::with_capacity(ids.len());
        for id in ids.iter().rev() {
            let place = self.place(*id)?;
            values.push(self.stack[place].0.clone());
            self.truncate(place);
        }
        values.reverse();
        Some(values)
    }

    /// A call was evaluated.
    pub(super) fn call(&mut self, function: &str, overload: &str, args: &[i64], result: &Result) {
        if !self.enabled {
            return;
        }
        if let Some(args) = self.drop_args(args) {
            self.add(call_cost(function, overload, &args, result));
        }
    }

    /// A list was made.
    pub(super) fn list(&mut self, elements: &[i64]) {
        if self.enabled {
            self.drop_args(elements);
            self.add(LIST_CREATE);
        }
    }

    /// A map was made.
    pub(super) fn map(&mut self, entries: &[i64]) {
        if self.enabled {
            self.drop_args(entries);
            self.add(MAP_CREATE);
        }
    }
}

/// The size of a value, 1 where it has none.
fn size(value: &Result) -> u64 {
    match value {
        Ok(Value::Optional(Some(value))) => value.size().unwrap_or(1) as u64,
        value => own_size(value),
    }
}

/// The size of a value, 1 where it has none. Optionals have none here.
fn own_size(value: &Result) -> u64 {
    value.as_ref().ok().and_then(Value::size).unwrap_or(1) as u64
}

fn traversal(size: f64) -> u64 {
    (size * STRING_TRAVERSAL).ceil() as u64
}

/// What looking at all of a value costs.
fn traverse(value: &Value) -> u64 {
    match value {
        Value::String(s) => (s.len() as f64 * STRING_TRAVERSAL) as u64,
        Value::Bytes(b) => (b.len() as f64 * STRING_TRAVERSAL) as u64,
        Value::List(list) => traverse_list(list),
        Value::Map(map) => traverse_map(map),
        _ => 1,
    }
}

fn traverse_list(list: &List) -> u64 {
    list.iter().map(|e| e.as_ref().map_or(1, traverse)).sum()
}

fn traverse_map(map: &Map) -> u64 {
    map.keys()
        .iter()
        .map(|key| traverse(key) + map.at(key).as_ref().map_or(1, traverse))
        .sum()
}

fn matching(text: u64, pattern: u64) -> u64 {
    let text = ((1.0 + text as f64) * STRING_TRAVERSAL).ceil() as u64;
    text.saturating_mul((pattern as f64 * REGEX_LENGTH).ceil() as u64)
}

fn call_cost(function: &str, overload: &str, args: &[Result], result: &Result) -> u64 {
    library_cost(function, overload, args, result).unwrap_or_else(|| standard_cost(overload, args))
}

/// What Kubernetes says a call costs.
fn library_cost(function: &str, overload: &str, args: &[Result], result: &Result) -> Option<u64> {
    let arg = |at: usize| args.get(at).map(own_size);
    Some(match function {
        "check" => 350_000,
        "serviceAccount" | "path" | "group" | "resource" | "subresource" | "namespace" | "name" | "allowed"
        | "reason" | "error" | "errored" => 1,
        "fieldSelector" | "labelSelector" => {
            let length = arg(1)? as f64;
            let requirements = (length * 0.5).ceil();
            10 + traversal(length) + (requirements * 50.0).ceil() as u64
        }
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            args.first().map_or(0, |list| list.as_ref().map_or(1, traverse))
        }
        "url"
        | "lowerAscii"
        | "upperAscii"
        | "substring"
        | "trim"
        | "jsonpatch.escapeKey"
        | "cidr"
        | "isIP"
        | "isCIDR"
        | "quantity"
        | "isQuantity"
        | "semver"
        | "isSemver" => traversal(arg(0)? as f64),
        "replace" | "split" => traversal(arg(0)? as f64 * 2.0),
        "join" => {
            arg(0)?;
            traversal(own_size(result) as f64 * 2.0)
        }
        "find" | "findAll" => matching(arg(0)?, arg(1)?),
        "ip" => match overload {
            "cidr_ip" => {
                arg(0)?;
                1
            }
            _ => traversal(arg(0)? as f64),
        },
        "ip.isCanonical" => traversal(arg(0)? as f64 * 2.0),
        "masked"
        | "prefixLength"
        | "family"
        | "isUnspecified"
        | "isLoopback"
        | "isLinkLocalMulticast"
        | "isLinkLocalUnicast"
        | "isGlobalUnicast"
        | "format.named"
        | "sign"
        | "asInteger"
        | "isInteger"
        | "asApproximateFloat"
        | "isGreaterThan"
        | "isLessThan"
        | "compareTo"
        | "add"
        | "sub"
        | "major"
        | "minor"
        | "patch"
        | "getScheme"
        | "getHostname"
        | "getHost"
        | "getPort"
        | "getEscapedPath"
        | "getQuery" => 1,
        "containsIP" => {
            let (cidr, other) = (arg(0)?, arg(1)?);
            let parse = if overload == "cidr_contains_ip_string" {
                traversal(other as f64)
            } else {
                0
            };
            traversal((cidr * 2) as f64) + parse
        }
        "containsCIDR" => {
            let (cidr, other) = (arg(0)?, arg(1)?);
            let parse = if overload == "cidr_contains_cidr_string" {
                traversal(other as f64)
            } else {
                0
            };
            traversal((cidr * 2) as f64) + traversal(cidr as f64) + 1 + parse
        }
        "validate" => match args.first()? {
            Ok(Value::Opaque(Opaque::Format(format))) => matching(arg(1)?, format.max_regex_size),
            _ => return None,
        },
        "_==_" => match args.first()? {
            Ok(Value::Opaque(_)) if args.len() == 2 => 1,
            _ => return None,
        },
        _ => return None,
    })
}

/// What the standard functions cost.
fn standard_cost(overload: &str, args: &[Result]) -> u64 {
    let arg = |at: usize| args.get(at).map_or(1, size);
    match overload {
        "starts_with_string" | "ends_with_string" => traversal(arg(1) as f64),
        "string_to_bytes" | "bytes_to_string" | "strings_quote" | "string_format" => traversal(arg(0) as f64),
        "in_list" => arg(1),
        "less_string"
        | "greater_string"
        | "less_equals_string"
        | "greater_equals_string"
        | "less_bytes"
        | "greater_bytes"
        | "less_equals_bytes"
        | "greater_equals_bytes"
        | "equals"
        | "not_equals" => traversal(arg(0).min(arg(1)) as f64),
        "add_string" | "add_bytes" => traversal((arg(0) + arg(1)) as f64),
        "matches" | "matches_string" => matching(arg(0), arg(1)),
        "contains_string" => traversal(arg(0) as f64).saturating_mul(traversal(arg(1) as f64)),
        _ => 1,
    }
}
