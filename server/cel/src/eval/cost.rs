//! What evaluating an expression costs (`cel-go` `interpreter/runtimecost.go`, `k8s.io/apiserver/pkg/cel/library`, `CallCost`).
//!
//! The server finds the arguments of a call on a stack of values with the ids of expressions. Expressions of a macro can share an id,
//! so what is found there is not always what was passed; this keeps the same stack.

use std::num::NonZeroU32;

use crate::KubernetesVersion;
use crate::value::{EvalError, List, Map, Opaque, Result, Value};

const STRING_TRAVERSAL: f64 = 0.1;
const REGEX_LENGTH: f64 = 0.25;
const LIST_CREATE: u64 = 10;
const MAP_CREATE: u64 = 30;
const MESSAGE_CREATE: u64 = 40;

/// A place on the stack, counted from 1.
type Place = Option<NonZeroU32>;

/// A value on the stack.
struct Observed {
    value: Result,
    id: i64,
    /// Where the same id is before.
    before: Place,
}

/// The cost so far.
pub(super) struct Tracker {
    pub(super) cost: u64,
    limit: Option<u64>,
    version: KubernetesVersion,
    stack: Vec<Observed>,
    /// Where on the stack an id is at last, by id.
    places: Vec<Place>,
    /// Constants are folded without being observed.
    enabled: bool,
}

impl Tracker {
    pub(super) fn new(version: KubernetesVersion, limit: Option<u64>, ids: usize) -> Self {
        Self {
            cost: 0,
            limit,
            version,
            stack: Vec::new(),
            places: vec![None; ids],
            enabled: true,
        }
    }

    /// One that counts nothing.
    pub(super) fn disabled() -> Self {
        Self {
            cost: 0,
            limit: None,
            version: KubernetesVersion::NEWEST,
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
            // The server, too, falls below nothing to the greatest number.
            self.cost = self.cost.wrapping_sub(cost);
        }
    }

    /// Puts a value on the stack, and ends the evaluation if it has become too expensive.
    pub(super) fn push(&mut self, value: &Result, id: i64) -> Result<()> {
        if !self.enabled {
            return Ok(());
        }
        let place = NonZeroU32::new(self.stack.len() as u32 + 1);
        let last = usize::try_from(id).ok().and_then(|id| self.places.get_mut(id));
        let before = last.and_then(|last| std::mem::replace(last, place));
        self.stack.push(Observed {
            value: value.clone(),
            id,
            before,
        });
        if self.limit.is_some_and(|limit| self.cost > limit) {
            return Err(too_expensive());
        }
        Ok(())
    }

    fn place(&self, id: i64) -> Option<usize> {
        let place = (*self.places.get(usize::try_from(id).ok()?)?)?;
        Some(place.get() as usize - 1)
    }

    fn truncate(&mut self, len: usize) {
        while self.stack.len() > len {
            let Some(Observed { id, before, .. }) = self.stack.pop() else {
                return;
            };
            if let Some(last) = usize::try_from(id).ok().and_then(|id| self.places.get_mut(id)) {
                *last = before;
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
            values.push(self.stack[place].value.clone());
            self.truncate(place);
        }
        values.reverse();
        Some(values)
    }

    /// Ends the evaluation if a call would become too expensive, rather than after all that work.
    pub(super) fn afford(&mut self, function: &str, overload: &str, args: &[Value]) -> Result<()> {
        let Some(limit) = self.limit.filter(|_| self.enabled) else {
            return Ok(());
        };
        let size = |at: usize| args.get(at).and_then(Value::size).unwrap_or(1) as u64;
        let work = match overload {
            "list_distinct" => size(0).saturating_mul(size(0)),
            _ if overload.starts_with("list_sets_") => size(0).saturating_mul(size(1)),
            _ => return Ok(()),
        };
        if work <= limit {
            return Ok(());
        }
        let args: Vec<Result> = args.iter().cloned().map(Ok).collect();
        // What these calls cost does not depend on what they give.
        self.add(call_cost(self.version, function, overload, &args, &Ok(Value::Null)));
        Err(too_expensive())
    }

    /// A call was evaluated.
    pub(super) fn call(&mut self, function: &str, overload: &str, args: &[i64], result: &Result) -> Result<()> {
        if !self.enabled {
            return Ok(());
        }
        if let Some(args) = self.drop_args(args) {
            if let Some(crash) = crash(overload, &args) {
                return Err(EvalError::fatal(format!(
                    "internal error: interface conversion: {crash}"
                )));
            }
            self.add(call_cost(self.version, function, overload, &args, result));
        }
        Ok(())
    }

    /// A list was made.
    pub(super) fn list(&mut self, elements: &[i64]) {
        if self.enabled {
            self.drop_args(elements);
            self.add(LIST_CREATE);
        }
    }

    /// A message was made.
    pub(super) fn message(&mut self, fields: &[i64]) {
        if self.enabled {
            self.drop_args(fields);
            self.add(MESSAGE_CREATE);
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

fn too_expensive() -> EvalError {
    EvalError::fatal("operation cancelled: actual cost limit exceeded")
}

/// The size of a value, 1 where it has none.
fn size(version: KubernetesVersion, value: &Result) -> u64 {
    match value {
        Ok(Value::Optional(Some(value))) if version.number() >= 33 => value.size().unwrap_or(1) as u64,
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

fn call_cost(version: KubernetesVersion, function: &str, overload: &str, args: &[Result], result: &Result) -> u64 {
    extension_cost(version, overload, args, result)
        .or_else(|| library_cost(version, function, overload, args, result))
        .unwrap_or_else(|| standard_cost(version, overload, args))
}

/// What is said of the server's crash when it counts the cost of a call with an argument that is not what it takes it for (an error).
fn crash(overload: &str, args: &[Result]) -> Option<String> {
    let go_type = |at: usize| match args.get(at)? {
        Ok(value) => Some(value.go_type()),
        Err(_) => Some("*types.Err"),
    };
    let list = match overload {
        "list_flatten_int" => {
            let found = go_type(1).filter(|found| *found != "types.Int")?;
            return Some(format!("ref.Val is {found}, not types.Int"));
        }
        "list_distinct" => 0,
        _ if overload.starts_with("list_") && overload.ends_with("_sort") => 0,
        _ if overload.starts_with("list_") && overload.ends_with("_sortByAssociatedKeys") => 1,
        _ => return None,
    };
    let missing = match args.get(list)? {
        Ok(Value::List(_)) => return None,
        Ok(
            Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_),
        ) => "Contains",
        _ => "Add",
    };
    let found = go_type(list)?;
    Some(format!("{found} is not traits.Lister: missing method {missing}"))
}

/// What the libraries of `cel-go` say that a call of them costs.
fn extension_cost(version: KubernetesVersion, overload: &str, args: &[Result], result: &Result) -> Option<u64> {
    let arg = |at: usize| args.get(at).map_or(1, own_size);
    let sets = |factor: u64| arg(0).saturating_mul(arg(1)).saturating_mul(factor).saturating_add(1);
    Some(match overload {
        "list_sets_contains_list" | "list_sets_intersects_list" => sets(1),
        "list_sets_equivalent_list" => sets(2),
        "list_slice" | "lists_range" | "list_reverse" => new_list(1.0, own_size(result)),
        "list_flatten" => new_list(1.0, arg(0)),
        "list_flatten_int" => match args.get(1) {
            // A negative depth is an error. Until 1.36 its cost ran over.
            Some(Ok(Value::Int(depth))) if *depth < 0 && version.number() < 37 => {
                let cost = (arg(0) as f64 * *depth as f64) as i64;
                (cost as u64).wrapping_add(1 + LIST_CREATE)
            }
            Some(Ok(Value::Int(..0))) => new_list(1.0, arg(0)),
            Some(Ok(Value::Int(depth))) => new_list(*depth as f64, arg(0)),
            _ => return None,
        },
        "list_distinct" => comparing(args.first()),
        _ if overload.starts_with("list_") && overload.ends_with("_sort") => comparing(args.first()),
        _ if overload.starts_with("list_") && overload.ends_with("_sortByAssociatedKeys") => comparing(args.get(1)),
        _ => return None,
    })
}

fn new_list(factor: f64, size: u64) -> u64 {
    ((size as f64 * factor) as u64).saturating_add(1 + LIST_CREATE)
}

/// What comparing all elements of a list with each other costs.
fn comparing(list: Option<&Result>) -> u64 {
    let Some(Ok(Value::List(list))) = list else { return 1 };
    let size = list.len() as u64;
    let factor = match list.iter().next() {
        Some(Ok(Value::String(_) | Value::Bytes(_))) => 2.0 + STRING_TRAVERSAL,
        _ => 2.0,
    };
    new_list(factor, size.saturating_mul(size))
}

/// What Kubernetes says a call costs.
fn library_cost(
    version: KubernetesVersion,
    function: &str,
    overload: &str,
    args: &[Result],
    result: &Result,
) -> Option<u64> {
    let since = |minor: u8| version.number() >= minor;
    let arg = |at: usize| args.get(at).map(own_size);
    Some(match function {
        "check" => 350_000,
        "serviceAccount" | "path" | "group" | "resource" | "subresource" | "namespace" | "name" | "allowed"
        | "reason" | "error" | "errored" => 1,
        "fieldSelector" | "labelSelector" if since(31) => {
            let length = arg(1)? as f64;
            let requirements = (length * 0.5).ceil();
            10 + traversal(length) + (requirements * 50.0).ceil() as u64
        }
        "includes" if !since(37) => return None,
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            args.first().map_or(0, |list| list.as_ref().map_or(1, traverse))
        }
        "jsonpatch.escapeKey" if !since(32) => return None,
        "semver" | "isSemver" | "major" | "minor" | "patch" if !since(33) => return None,
        "isGlobalUnicast" | "format.named" | "validate" if !since(31) => return None,
        "getScheme" | "getHostname" | "getHost" | "getPort" | "getEscapedPath" | "getQuery" if !since(31) => {
            return None;
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
            Ok(Value::Opaque(Opaque::Format(format) | Opaque::FormatPointer(format))) => {
                matching(arg(1)?, format.max_regex_size)
            }
            _ => return None,
        },
        "_==_" => match args.first()? {
            Ok(Value::Opaque(_)) if since(32) && args.len() == 2 => 1,
            _ => return None,
        },
        _ => return None,
    })
}

/// What the standard functions cost.
fn standard_cost(version: KubernetesVersion, overload: &str, args: &[Result]) -> u64 {
    let arg = |at: usize| args.get(at).map_or(1, |arg| size(version, arg));
    let newest = version.number() >= 37;
    match overload {
        "starts_with_string" | "ends_with_string" if !newest => traversal(arg(0) as f64),
        "matches" if !newest => 1,
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
