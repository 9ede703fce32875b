//! Values of the types in Kubernetes' libraries (`k8s.io/apiserver/pkg/cel`).

mod format;
pub(crate) mod network;
mod quantity;
mod semver;

use std::fmt;
use std::sync::Arc;

pub use format::Format;
pub use quantity::Quantity;
pub use semver::Semver;

use crd_analyzer_gostd::{
    netip::{Addr, Prefix},
    url::Url,
};

use super::{EvalError, Result, Value};
use crate::types::Type;

/// A value of a library's own type.
#[derive(Clone, Debug)]
pub enum Opaque {
    /// `kubernetes.Quantity`
    Quantity(Arc<Quantity>),
    /// `net.IP`
    Ip(Addr),
    /// `net.CIDR`
    Cidr(Prefix),
    /// `kubernetes.URL`
    Url(Arc<Url>),
    /// `kubernetes.Semver`
    Semver(Arc<Semver>),
    /// `kubernetes.NamedFormat`
    Format(&'static Format),
    /// `kubernetes.NamedFormat` as API servers of 1.31 store it: as a pointer.
    FormatPointer(&'static Format),
    /// `google.protobuf.Empty`, the message without fields.
    Empty,
    /// `google.protobuf.Struct.FieldsEntry`: a key, and a value that may be unset.
    Entry(Arc<(Arc<str>, Option<Value>)>),
}

impl Opaque {
    /// The type.
    pub fn type_of(&self) -> Type {
        match self {
            Self::Quantity(_) => Type::Struct("kubernetes.Quantity".into()),
            Self::Ip(_) => Type::opaque("net.IP", Vec::new()),
            Self::Cidr(_) => Type::opaque("net.CIDR", Vec::new()),
            Self::Url(_) => Type::Struct("kubernetes.URL".into()),
            Self::Semver(_) => Type::Struct("kubernetes.Semver".into()),
            Self::Format(_) | Self::FormatPointer(_) => Type::Struct("kubernetes.NamedFormat".into()),
            Self::Empty => Type::Struct("google.protobuf.Empty".into()),
            Self::Entry(_) => Type::Struct("google.protobuf.Struct.FieldsEntry".into()),
        }
    }

    /// The name of the value's Go type in the API server.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Quantity(it) if it.is_by_pointer() => "*cel.Quantity",
            Self::Quantity(_) => "cel.Quantity",
            Self::Ip(_) => "cel.IP",
            Self::Cidr(_) => "cel.CIDR",
            Self::Url(_) => "cel.URL",
            Self::Semver(_) => "cel.Semver",
            Self::Format(_) => "cel.Format",
            Self::FormatPointer(_) => "*cel.Format",
            Self::Empty | Self::Entry(_) => "*types.protoObj",
        }
    }

    /// The size in bytes of an address or range, for the cost of calls.
    pub(super) fn size(&self) -> Option<usize> {
        match self {
            Self::Ip(ip) => Some(ip.bits().div_ceil(8) as usize),
            Self::Cidr(cidr) => Some(cidr.bits.div_ceil(8) as usize),
            _ => None,
        }
    }

    /// Whether another value is equal. Returns an error if the other value has another type.
    pub(super) fn equal(&self, other: &Value) -> Result<bool> {
        if matches!(self, Self::Empty) {
            return Ok(matches!(other, Value::Opaque(Self::Empty)));
        }
        if let Self::Entry(entry) = self {
            let Value::Opaque(Self::Entry(other)) = other else {
                return Ok(false);
            };
            return Ok(entry.0 == other.0
                && match (&entry.1, &other.1) {
                    (Some(a), Some(b)) => super::equal(a, b)?,
                    (a, b) => a.is_none() && b.is_none(),
                });
        }
        let Value::Opaque(other) = other else {
            return Err(EvalError::no_such_overload());
        };
        Ok(match (self, other) {
            (Self::Quantity(a), Self::Quantity(b)) => a.equal(b).ok_or_else(EvalError::no_such_overload)?,
            (Self::Ip(a), Self::Ip(b)) => a == b,
            (Self::Cidr(a), Self::Cidr(b)) => a == b,
            (Self::Url(a), Self::Url(b)) => a.to_string() == b.to_string(),
            (Self::Semver(a), Self::Semver(b)) => a.compare(b).is_eq(),
            (Self::Format(a), Self::Format(b)) | (Self::FormatPointer(a), Self::FormatPointer(b)) => a.name == b.name,
            _ => return Err(EvalError::no_such_overload()),
        })
    }
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantity(q) => write!(f, "{q}"),
            Self::Ip(ip) => write!(f, "{ip}"),
            Self::Cidr(cidr) => write!(f, "{cidr}"),
            Self::Url(url) => write!(f, "{url}"),
            Self::Semver(version) => write!(f, "{version}"),
            Self::Format(format) | Self::FormatPointer(format) => f.write_str(format.name),
            Self::Empty => f.write_str("google.protobuf.Empty{}"),
            Self::Entry(entry) => write!(f, "google.protobuf.Struct.FieldsEntry{{key: {:?}}}", entry.0),
        }
    }
}
