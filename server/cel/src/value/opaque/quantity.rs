//! Quantities: numbers with a suffix (`k8s.io/apimachinery/pkg/api/resource`).

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crd_analyzer_budget::{self as budget, Unfinished};
use num_bigint::{BigInt, Sign};

/// A quantity.
///
/// Like the API server, this stores a small quantity as an `int64` and a power of ten, and others as decimals of any length. The API server
/// never considers a decimal an integer, even if its value is one. A small quantity becomes a decimal when it is compared with a decimal.
#[derive(Debug)]
pub struct Quantity {
    amount: Mutex<Amount>,
    notation: Notation,
    /// Whether the API server stores the quantity as a pointer, as it stores sums. A quantity stored as a pointer is not equal to any other.
    by_pointer: bool,
}

/// The API server's representation of a number.
#[derive(Clone, Debug)]
enum Amount {
    Int(Number),
    /// A decimal. In API servers up to 1.36, a decimal shares its number with the sums computed from it.
    Decimal(Arc<Mutex<Number>>),
}

#[derive(Clone, Debug)]
struct Number {
    value: BigInt,
    /// The exponent of the power of ten by which `value` is multiplied.
    scale: i32,
}

/// The style of the suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Notation {
    /// `1Ki`
    Binary,
    /// `1k`
    Decimal,
    /// `1e3`
    Exponent,
}

const FORMAT_WRONG: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC: &str = "unable to parse numeric part of quantity";
const SUFFIX: &str = "unable to parse quantity's suffix";

/// The exponent of the smallest unit.
const NANO: i32 = -9;
/// The number of digits that always fit into an integer.
const MAX_DIGITS: i64 = 18;
/// A lower bound for the number of bits per decimal digit.
const BITS_A_DIGIT: u64 = 3;
/// The maximum exponent; larger exponents are clamped to it. The API server keeps larger exponents, and runs out of memory when it computes with
/// them.
const MAX_EXPONENT: i64 = 100_000;

fn ten_to(power: u32) -> BigInt {
    if reckon(power.into()).is_err() {
        return BigInt::from(1);
    }
    BigInt::from(10).pow(power)
}

/// Spends the work of parsing, printing or multiplying a number with this many digits. The work is quadratic in the number of digits.
fn reckon(digits: u64) -> Result<(), Unfinished> {
    budget::work(digits.saturating_mul(digits) / 2048)
}

/// The parts of a quantity in text form.
struct Parts<'a> {
    positive: bool,
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
    /// Whether there is a digit before the suffix.
    has_digits: bool,
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let (positive, rest) = match text.as_bytes().first() {
        Some(b'-') => (false, &text[1..]),
        Some(b'+') => (true, &text[1..]),
        _ => (true, text),
    };
    let rest = rest.trim_start_matches('0');
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = rest.split_at(digits(rest));
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(digits(rest)),
        None => ("", rest),
    };
    let letters = rest.bytes().take_while(|b| b"eEinumkKMGTP".contains(b)).count();
    let exponent = rest[letters..].strip_prefix(['-', '+']).unwrap_or(&rest[letters..]);
    let suffix = exponent.bytes().all(|b| b.is_ascii_digit()).then_some(rest)?;
    Some(Parts {
        positive,
        whole: if whole.is_empty() { "0" } else { whole },
        has_digits: text[..text.len() - suffix.len()].bytes().any(|b| b.is_ascii_digit()),
        fraction,
        suffix,
    })
}

/// The base and exponent of a suffix.
fn suffix(text: &str) -> Option<(u32, i64)> {
    Some(match text {
        "" => (10, 0),
        "n" => (10, -9),
        "u" => (10, -6),
        "m" => (10, -3),
        "k" => (10, 3),
        "M" => (10, 6),
        "G" => (10, 9),
        "T" => (10, 12),
        "P" => (10, 15),
        "E" => (10, 18),
        "Ki" => (2, 10),
        "Mi" => (2, 20),
        "Gi" => (2, 30),
        "Ti" => (2, 40),
        "Pi" => (2, 50),
        "Ei" => (2, 60),
        // The API server keeps only the lower 32 bits.
        _ => (
            10,
            i64::from(text.strip_prefix(['e', 'E'])?.parse::<i64>().ok()? as i32),
        ),
    })
}

impl Quantity {
    /// Parses a quantity. The error is the API server's message.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(FORMAT_WRONG);
        }
        let Parts {
            positive,
            whole,
            fraction,
            suffix: unit,
            has_digits,
        } = parts(text).ok_or(FORMAT_WRONG)?;
        let (base, exponent) = suffix(unit).ok_or(SUFFIX)?;
        let notation = match unit.as_bytes() {
            _ if base == 2 => Notation::Binary,
            [b'e' | b'E', _, ..] => Notation::Exponent,
            _ => Notation::Decimal,
        };
        let exponent = exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT);
        let digits = (whole.len() + fraction.len()) as i64;
        reckon(digits as u64).map_err(|_| NUMERIC)?;
        let number = |text: &str| text.parse::<BigInt>().map_err(|_| NUMERIC);
        let signed = |value: BigInt| if positive { value } else { -value };
        // Small quantities stay integers.
        let (fits, scale, factor) = if base == 10 {
            (MAX_DIGITS >= digits, exponent - fraction.len() as i64, BigInt::from(1))
        } else {
            let spare = 15 - whole.len() as i64 - (exponent as f32 * 3.0 / 10.0) as i64 - 1;
            (fraction.is_empty() && spare >= 0, 0, BigInt::from(1) << exponent as u64)
        };
        if fits && scale >= i64::from(NANO) {
            let value = number(&format!("{whole}{fraction}"))? * factor;
            if i64::try_from(&value).is_ok() {
                let number = Number {
                    value: signed(value),
                    scale: scale as i32,
                };
                return Ok(Self::new(Amount::Int(number), notation));
            }
        }
        // Text without digits is only parsed as zero if the quantity is small.
        if !has_digits {
            return Err(NUMERIC);
        }
        let mut value = number(&format!("{whole}{fraction}"))?;
        let mut scale = -(fraction.len() as i64);
        if base == 10 {
            scale += exponent;
        } else {
            value <<= exponent as u64;
        }
        // Round up to a multiple of nano.
        if scale < i64::from(NANO) {
            let divisor = ten_to((i64::from(NANO) - scale) as u32);
            let up = u8::from(&value % &divisor != BigInt::ZERO);
            value = value / divisor + up;
            scale = i64::from(NANO);
        } else if value != BigInt::ZERO {
            // In the API server, rounding extends coarser values to the same number of digits. This affects the conversion to a double.
            value *= ten_to((scale - i64::from(NANO)) as u32);
            scale = i64::from(NANO);
        }
        let mut number = Number {
            value,
            scale: scale as i32,
        };
        let max = Number {
            value: BigInt::from(i64::MAX),
            scale: 0,
        };
        if base == 2 && number.compare(&max).is_gt() {
            number = max;
        }
        number.value = signed(number.value);
        Ok(Self::new(Amount::decimal(number), notation))
    }

    fn new(amount: Amount, notation: Notation) -> Self {
        Self {
            amount: Mutex::new(amount),
            notation,
            by_pointer: false,
        }
    }

    /// A quantity with this integer value.
    pub fn from_int(value: i64) -> Self {
        let number = Number {
            value: value.into(),
            scale: 0,
        };
        Self::new(Amount::Int(number), Notation::Exponent)
    }

    fn amount(&self) -> MutexGuard<'_, Amount> {
        self.amount.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn number(&self) -> Number {
        self.amount().number()
    }

    fn is_decimal(&self) -> bool {
        matches!(&*self.amount(), Amount::Decimal(_))
    }

    /// Compares two quantities. If the other one is a decimal, this one becomes a decimal as well.
    pub fn compare(&self, other: &Self) -> Ordering {
        let (number, other_number) = (self.number(), other.number());
        if other.is_decimal() {
            self.amount().make_decimal();
        }
        number.compare(&other_number)
    }

    /// Whether the API server considers the quantities equal; `None` if it does not compare them.
    pub(super) fn equal(&self, other: &Self) -> Option<bool> {
        (!other.by_pointer).then(|| self.number().compare(&other.number()).is_eq())
    }

    /// Whether the API server stores the quantity as a pointer.
    pub(super) fn is_by_pointer(&self) -> bool {
        self.by_pointer
    }

    /// The sum. An API server up to 1.36 (`in_place`) adds to this quantity itself if it is a decimal.
    #[must_use]
    pub fn plus(&self, other: &Self, in_place: bool) -> Self {
        let number = other.number();
        self.sum(other, &number, &number, in_place)
    }

    /// The difference. An API server up to 1.36 (`in_place`) subtracts from this quantity itself if it is a decimal.
    #[must_use]
    pub fn minus(&self, other: &Self, in_place: bool) -> Self {
        let Number { value, scale } = other.number();
        let negative = Number { value: -value, scale };
        // In the API server, the negation of the minimum integer overflows to itself.
        let mut wrapped = negative.clone();
        if wrapped.value == -BigInt::from(i64::MIN) {
            wrapped.value = i64::MIN.into();
        }
        self.sum(other, &wrapped, &negative, in_place)
    }

    /// The sum with `other`. Uses `int` as the value of `other` if both are integers and their sum fits, otherwise `decimal`.
    fn sum(&self, other: &Self, int: &Number, decimal: &Number, in_place: bool) -> Self {
        let number = self.number();
        let notation = if number.is_zero() {
            other.notation
        } else {
            self.notation
        };
        let has_decimal = self.is_decimal() || other.is_decimal();
        let amount = if let Some(sum) = number.sum_of_ints(int).filter(|_| !has_decimal) {
            Amount::Int(sum)
        } else {
            let sum = number.sum(decimal);
            match &*self.amount() {
                Amount::Decimal(shared) if in_place => {
                    *shared.lock().unwrap_or_else(PoisonError::into_inner) = sum;
                    Amount::Decimal(shared.clone())
                }
                _ => Amount::decimal(sum),
            }
        };
        Self {
            by_pointer: true,
            ..Self::new(amount, notation)
        }
    }

    /// The sign: 1, 0 or -1.
    pub fn sign(&self) -> i64 {
        match self.number().value.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    /// The integer value, if the API server considers the quantity an integer.
    pub fn as_int(&self) -> Option<i64> {
        match &*self.amount() {
            Amount::Int(number) => number.as_int(),
            Amount::Decimal(_) => None,
        }
    }

    /// The approximate value as a double.
    pub fn approximate(&self) -> f64 {
        let number = self.number();
        if reckon(number.value.bits() / BITS_A_DIGIT).is_err() {
            return f64::NAN;
        }
        let value: f64 = number.value.to_string().parse().unwrap_or(f64::NAN);
        if number.scale == 0 {
            value
        } else {
            value * pow10(number.scale)
        }
    }
}

impl Amount {
    fn decimal(number: Number) -> Self {
        Self::Decimal(Arc::new(Mutex::new(number)))
    }

    fn number(&self) -> Number {
        match self {
            Self::Int(number) => number.clone(),
            Self::Decimal(number) => number.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    fn make_decimal(&mut self) {
        if let Self::Int(number) = self {
            *self = Self::decimal(number.clone());
        }
    }
}

impl Number {
    fn scaled_to(&self, scale: i32) -> BigInt {
        &self.value * ten_to((self.scale - scale).max(0) as u32)
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self.value.sign(), other.value.sign()) {
            (a, b) if a != b => a.cmp(&b),
            (Sign::NoSign, _) => Ordering::Equal,
            _ => {
                let scale = self.scale.min(other.scale);
                self.scaled_to(scale).cmp(&other.scaled_to(scale))
            }
        }
    }

    fn is_zero(&self) -> bool {
        self.value.sign() == Sign::NoSign
    }

    /// The sum of two integers, if the API server represents it as an integer.
    fn sum_of_ints(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return Some(self.clone());
        }
        if self.is_zero() {
            return Some(other.clone());
        }
        let fits = |value: &BigInt| i64::try_from(value).is_ok();
        let scale = self.scale.min(other.scale);
        let (a, b) = (self.scaled_to(scale), other.scaled_to(scale));
        let sum = &a + &b;
        (fits(&a) && fits(&b) && fits(&sum)).then_some(Self { value: sum, scale })
    }

    fn sum(&self, other: &Self) -> Self {
        let scale = self.scale.min(other.scale);
        Self {
            value: self.scaled_to(scale) + other.scaled_to(scale),
            scale,
        }
    }

    fn as_int(&self) -> Option<i64> {
        if self.scale < 0 {
            return None;
        }
        if self.is_zero() {
            return Some(0);
        }
        (self.scale <= 18)
            .then(|| i64::try_from(self.scaled_to(0)).ok())
            .flatten()
    }
}

/// A power of ten like Go's `math.Pow10`: the nearest double.
fn pow10(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// Divides a number by `base` as often as possible. Returns the quotient and the number of divisions.
fn without_factors(mut value: BigInt, base: u32) -> (BigInt, i32) {
    let mut factors = 0;
    while value.sign() != Sign::NoSign && (&value % base).sign() == Sign::NoSign {
        if budget::work(value.bits() / 64).is_err() {
            break;
        }
        value /= base;
        factors += 1;
    }
    (value, factors)
}

impl fmt::Display for Quantity {
    /// The canonical form (`Quantity.CanonicalizeBytes`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let it = self.number();
        if it.is_zero() {
            return f.write_str("0");
        }
        let whole = (it.scale >= 0).then(|| it.scaled_to(0)).or_else(|| {
            let divisor = ten_to(it.scale.unsigned_abs());
            let is_whole = (&it.value % &divisor).sign() == Sign::NoSign;
            is_whole.then(|| &it.value / divisor)
        });
        let is_small = |value: &BigInt| value.magnitude() < BigInt::from(1024).magnitude();
        if let (Notation::Binary, Some(whole)) = (self.notation, &whole)
            && !is_small(whole)
        {
            let (number, factors) = without_factors(whole.clone(), 1024);
            let suffix = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].get(factors as usize);
            return write!(f, "{number}{}", suffix.copied().unwrap_or_default());
        }
        let (mut number, factors) = without_factors(it.value, 10);
        let mut exponent = it.scale + factors;
        // The exponents of suffixes are multiples of three.
        while exponent % 3 != 0 {
            number *= 10;
            exponent -= 1;
        }
        if self.notation == Notation::Exponent {
            return match exponent {
                0 => write!(f, "{number}"),
                _ => write!(f, "{number}e{exponent}"),
            };
        }
        let suffix = match exponent {
            -9 => "n",
            -6 => "u",
            -3 => "m",
            3 => "k",
            6 => "M",
            9 => "G",
            12 => "T",
            15 => "P",
            18 => "E",
            _ => "",
        };
        write!(f, "{number}{suffix}")
    }
}
