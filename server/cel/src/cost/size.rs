//! Sizes and costs as ranges. All arithmetic saturates.

/// How many characters, bytes, elements or entries a value has: at least and at most (`cel-go` `checker.SizeEstimate`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeEstimate {
    /// At least.
    pub min: u64,
    /// At most; `u64::MAX` for unbounded.
    pub max: u64,
}

/// What evaluating costs, in cost units: at least and at most (`cel-go` `checker.CostEstimate`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CostEstimate {
    /// At least.
    pub min: u64,
    /// At most; `u64::MAX` for unbounded.
    pub max: u64,
}

/// The cost of a call with its arguments, and how large its result is if that is known (`cel-go` `checker.CallEstimate`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallEstimate {
    /// The cost.
    pub cost: CostEstimate,
    /// The size of the result.
    pub result_size: Option<SizeEstimate>,
}

impl SizeEstimate {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    /// Exactly this size.
    pub const fn fixed(size: u64) -> Self {
        Self { min: size, max: size }
    }

    /// The size of both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    /// The size of as many as `other`.
    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    /// The cost of `per_unit` for each unit of size, rounded up.
    #[must_use]
    pub fn times_factor(self, per_unit: f64) -> CostEstimate {
        CostEstimate {
            min: times_factor(self.min, per_unit),
            max: times_factor(self.max, per_unit),
        }
    }

    /// The cost of `cost` for each unit of size.
    #[must_use]
    pub const fn times_cost(self, cost: CostEstimate) -> CostEstimate {
        CostEstimate {
            min: self.min.saturating_mul(cost.min),
            max: self.max.saturating_mul(cost.max),
        }
    }

    /// The range of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

impl CostEstimate {
    /// Exactly this cost.
    pub const fn fixed(cost: u64) -> Self {
        Self { min: cost, max: cost }
    }

    /// The cost of both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    /// The product.
    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    /// A multiple, rounded up.
    #[must_use]
    pub fn times_factor(self, factor: f64) -> Self {
        Self {
            min: times_factor(self.min, factor),
            max: times_factor(self.max, factor),
        }
    }

    /// The range of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

fn times_factor(units: u64, factor: f64) -> u64 {
    const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
    let exact = units as f64;
    if exact > 0.0 && factor > 0.0 && exact > TWO_TO_64 / factor {
        return u64::MAX;
    }
    let rounded = (exact * factor).ceil();
    if rounded >= TWO_TO_64 { u64::MAX } else { rounded as u64 }
}
