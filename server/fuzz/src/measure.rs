//! Histograms of measurements, accurate to an eighth.

use std::{fmt, str::FromStr};

/// The number of measurements in each bucket. The sizes of neighboring buckets differ by an eighth or less, which is the accuracy of percentiles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram(Vec<u64>);

/// The number of buckets between a power of two and the next.
const STEPS: u32 = 8;

impl Default for Histogram {
    fn default() -> Self {
        Self(vec![0; (64 * STEPS) as usize])
    }
}

/// The bucket of a size.
fn bucket(size: u64) -> usize {
    let power = size.max(1).ilog2();
    let above = if power < STEPS.ilog2() {
        0
    } else {
        size >> (power - STEPS.ilog2()) & u64::from(STEPS - 1)
    };
    (power * STEPS) as usize + above as usize
}

/// The largest size in a bucket.
fn most(bucket: usize) -> u64 {
    let (power, above) = (bucket as u32 / STEPS, bucket as u64 % u64::from(STEPS));
    let low = 1_u64 << power;
    let step = low / u64::from(STEPS);
    low.saturating_add((step * (above + 1)).saturating_sub(1))
}

impl Histogram {
    /// Adds a measurement.
    pub fn add(&mut self, size: u64) {
        self.0[bucket(size)] += 1;
    }

    /// Adds all measurements of another histogram.
    pub fn add_all(&mut self, other: &Self) {
        for (here, there) in self.0.iter_mut().zip(&other.0) {
            *here += there;
        }
    }

    /// The number of measurements.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The size that at most `part` in 1,000 measurements exceed; 0 without measurements.
    pub fn all_but(&self, part: u64) -> u64 {
        let mut left = self.count().saturating_mul(part) / 1000;
        for (n, count) in self.0.iter().enumerate().rev() {
            if *count > left {
                return most(n);
            }
            left -= count;
        }
        0
    }

    /// The largest size.
    pub fn greatest(&self) -> u64 {
        self.all_but(0)
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = self.0.iter().enumerate().filter(|it| *it.1 > 0);
        counted.enumerate().try_for_each(|(n, (bucket, count))| {
            let comma = if n == 0 { "" } else { "," };
            write!(f, "{comma}{bucket}:{count}")
        })
    }
}

impl FromStr for Histogram {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut histogram = Self::default();
        for pair in text.split(',').filter(|it| !it.is_empty()) {
            let (bucket, count) = pair.split_once(':').ok_or(())?;
            let bucket: usize = bucket.parse().map_err(drop)?;
            *histogram.0.get_mut(bucket).ok_or(())? += count.parse::<u64>().map_err(drop)?;
        }
        Ok(histogram)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_within_an_eighth() {
        let mut histogram = Histogram::default();
        for size in 1..=10_000_u64 {
            histogram.add(size * 1000);
        }
        assert_eq!(histogram.count(), 10_000);
        for (part, exact) in [(0, 10_000_000.0), (1, 9_990_000.0), (500, 5_000_000.0)] {
            let is = histogram.all_but(part) as f64;
            assert!(exact <= is * 1.001 && is <= exact * 1.13, "{part}: {is}, not {exact}");
        }
        assert_eq!(histogram.to_string().parse(), Ok(histogram.clone()));
        histogram.add_all(&histogram.clone());
        assert_eq!(histogram.count(), 20_000);
        histogram.add(0);
        histogram.add(u64::MAX);
        assert_eq!(histogram.greatest(), u64::MAX);
        assert_eq!(Histogram::default().all_but(1), 0);
        assert_eq!("x".parse::<Histogram>(), Err(()));
    }
}
