//! Parses the textual form of types and signatures, which the libraries use for their declarations.

use std::fmt;

use super::Type;

/// The parameter and result types of an overload, in the checker's notation: `string.(int) -> string` is a method of string,
/// `(A, list(A)) -> bool` is a function. A single capital letter is a type parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Whether the overload is a method.
    pub member: bool,
    /// The parameter types, the target first.
    pub params: Vec<Type>,
    /// The result type.
    pub result: Type,
}

/// The error for an invalid signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureError {
    /// The byte offset of the problem.
    pub at: usize,
    /// The syntax expected at that offset.
    pub expected: &'static str,
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}

impl std::error::Error for SignatureError {}

impl std::str::FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let mut reader = Reader { text, at: 0 };
        let mut params = Vec::new();
        let member = !reader.eat("(");
        if member {
            params.push(reader.read_type(0)?);
            reader.need(".(", "'.('")?;
        }
        if !reader.eat(")") {
            loop {
                params.push(reader.read_type(0)?);
                if reader.eat(")") {
                    break;
                }
                reader.need(", ", "', '")?;
            }
        }
        reader.need(" -> ", "' -> '")?;
        let result = reader.read_type(0)?;
        reader.end()?;
        Ok(Self { member, params, result })
    }
}

impl std::str::FromStr for Type {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let mut reader = Reader { text, at: 0 };
        let ty = reader.read_type(0)?;
        reader.end()?;
        Ok(ty)
    }
}

/// The maximum nesting depth of a type, because parsing is recursive.
const MAX_DEPTH: usize = 32;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let found = self.text[self.at..].starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn need(&mut self, token: &str, expected: &'static str) -> Result<(), SignatureError> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(SignatureError { at: self.at, expected })
        }
    }

    fn end(&self) -> Result<(), SignatureError> {
        if self.at == self.text.len() {
            Ok(())
        } else {
            Err(SignatureError {
                at: self.at,
                expected: "the end",
            })
        }
    }

    fn read_type(&mut self, depth: usize) -> Result<Type, SignatureError> {
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(SignatureError {
                at: start,
                expected: "a type less deep",
            });
        }
        let rest = &self.text[start..];
        let mut length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
            .unwrap_or(rest.len());
        // The dot before the parameters of a method belongs to the signature.
        if rest[..length].ends_with('.') {
            length -= 1;
        }
        let name = &rest[..length];
        if name.is_empty() {
            return Err(SignatureError {
                at: start,
                expected: "a type",
            });
        }
        self.at += length;
        let mut params = Vec::new();
        if self.eat("(") {
            loop {
                params.push(self.read_type(depth + 1)?);
                if self.eat(")") {
                    break;
                }
                self.need(", ", "', '")?;
            }
        }
        named(name, params).ok_or(SignatureError {
            at: start,
            expected: "the right number of parameters",
        })
    }
}

fn named(name: &str, mut params: Vec<Type>) -> Option<Type> {
    let simple = match name {
        "dyn" => Type::Dyn,
        "any" => Type::Any,
        "null" | "null_type" => Type::Null,
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "duration" | "google.protobuf.Duration" => Type::Duration,
        "int" => Type::Int,
        "string" => Type::String,
        "timestamp" | "google.protobuf.Timestamp" => Type::Timestamp,
        "uint" => Type::Uint,
        "type" => {
            return match params.len() {
                0 => Some(Type::Type(None)),
                1 => params.pop().map(Type::type_of),
                _ => None,
            };
        }
        "list" => {
            return if params.len() == 1 {
                params.pop().map(Type::list)
            } else {
                None
            };
        }
        "wrapper" => {
            return if params.len() == 1 {
                params.pop().map(Type::wrapper)
            } else {
                None
            };
        }
        "map" => {
            let value = params.pop()?;
            let key = params.pop()?;
            return params.is_empty().then(|| Type::map(key, value));
        }
        super::OPTIONAL => return (params.len() == 1).then(|| Type::opaque(name, params)),
        // Types from libraries: those of the network library are opaque, others are objects without fields.
        _ if name.starts_with("net.") || !params.is_empty() => return Some(Type::opaque(name, params)),
        _ if name.len() == 1 && name.as_bytes()[0].is_ascii_uppercase() => Type::Param(name.into()),
        _ => Type::object(name),
    };
    params.is_empty().then_some(simple)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let signature: Signature = text.parse().expect("a signature");
        let mut printed = String::new();
        let mut params = signature.params.iter();
        if signature.member {
            printed.push_str(&params.next().expect("a target").to_string());
            printed.push('.');
        }
        printed.push('(');
        printed.push_str(&params.map(ToString::to_string).collect::<Vec<_>>().join(", "));
        printed.push_str(") -> ");
        printed.push_str(&signature.result.to_string());
        assert_eq!(printed, text);
    }

    #[test]
    fn reads_what_the_checker_prints() {
        check("() -> kubernetes.NamedFormat");
        check("string.(int) -> string");
        check("(A, map(A, B)) -> optional_type(list(B))");
        check("net.CIDR.() -> net.IP");
        check("(A) -> type(A)");
        check("map(string, dyn).(wrapper(int), timestamp) -> null");
    }

    #[test]
    fn refuses_what_is_no_signature() {
        for text in [
            "",
            "(int)",
            "(int -> int",
            "() -> list",
            "() -> map(int)",
            "(int) -> int)",
            "() -> list(int, int)",
        ] {
            assert!(text.parse::<Signature>().is_err(), "{text}");
        }
        assert!(
            format!("{}int{}", "list(".repeat(99), ")".repeat(99))
                .parse::<Type>()
                .is_err()
        );
    }
}
