//! Ranges of sizes and costs. All arithmetic saturates.

/// The range of a value's size in characters, bytes, elements or entries (`cel-go` `checker.SizeEstimate`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeEstimate {
    /// The minimum size.
    pub min: u64,
    /// The maximum size; `u64::MAX` for unbounded.
    pub max: u64,
}

/// The range of the cost of an evaluation, in cost units (`cel-go` `checker.CostEstimate`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CostEstimate {
    /// The minimum cost.
    pub min: u64,
    /// The maximum cost; `u64::MAX` for unbounded.
    pub max: u64,
}

/// The cost of a call with its arguments, and the size of its result, if known (`cel-go` `checker.CallEstimate`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallEstimate {
    /// The cost.
    pub cost: CostEstimate,
    /// The size of the result.
    pub result_size: Option<SizeEstimate>,
}

impl SizeEstimate {
    /// An unknown size.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    /// A known size.
    pub const fn fixed(size: u64) -> Self {
        Self { min: size, max: size }
    }

    /// The sum of both sizes.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    /// The product of both sizes.
    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    /// The cost at `per_unit` for each unit of size, rounded up.
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

    /// The smallest range that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

impl CostEstimate {
    /// A known cost.
    pub const fn fixed(cost: u64) -> Self {
        Self { min: cost, max: cost }
    }

    /// The sum of both costs.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    /// The product of both costs.
    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    /// The cost multiplied by a factor, rounded up.
    #[must_use]
    pub fn times_factor(self, factor: f64) -> Self {
        Self {
            min: times_factor(self.min, factor),
            max: times_factor(self.max, factor),
        }
    }

    /// The smallest range that contains both.
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
