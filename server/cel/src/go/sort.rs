//! Go's `sort.Slice`, with the same order of elements that compare as equal.
//!
//! `sort.Slice` is an unstable quicksort (`pdqsort_func` and its helpers in Go's package `sort`). In a list of more
//! than a dozen elements, equal elements can change places.

/// Up to this many elements, insertion sort is used.
const FEW: usize = 12;
/// From this many elements on, the pivot is a median of medians, and a nearly sorted range is first tried with a few shifts.
const MANY: usize = 50;
/// The maximum number of out-of-order pairs that are shifted in a nearly sorted range.
const MAX_SHIFTS: usize = 5;
/// The maximum number of swaps while choosing a pivot.
const MAX_SWAPS: usize = 12;

/// The indices from 0 to `len`, sorted. `less` compares the elements at two indices.
pub(crate) fn sorted(len: usize, less: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut sorter = Sorter {
        items: (0..len).collect(),
        less,
    };
    let limit = usize::BITS - len.leading_zeros();
    sorter.sort(0, len, limit);
    sorter.items
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

struct Sorter<F> {
    items: Vec<usize>,
    less: F,
}

impl<F: FnMut(usize, usize) -> bool> Sorter<F> {
    fn less(&mut self, i: usize, j: usize) -> bool {
        (self.less)(self.items[i], self.items[j])
    }

    /// Sorts `start..end`. After `limit` bad pivots, it falls back to heapsort.
    fn sort(&mut self, mut start: usize, mut end: usize, mut limit: u32) {
        let mut was_balanced = true;
        let mut was_partitioned = true;
        loop {
            let len = end - start;
            if len <= FEW {
                return self.insertion(start, end);
            }
            if limit == 0 {
                return self.heap(start, end);
            }
            if !was_balanced {
                self.break_patterns(start, end);
                limit -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(start, end);
            if hint == Hint::Decreasing {
                self.items[start..end].reverse();
                pivot = (end - 1) - (pivot - start);
                hint = Hint::Increasing;
            }
            if was_balanced && was_partitioned && hint == Hint::Increasing && self.few_shifts(start, end) {
                return;
            }
            if start > 0 && !self.less(start - 1, pivot) {
                start = self.partition_equal(start, end, pivot);
                continue;
            }
            let mid;
            (mid, was_partitioned) = self.partition(start, end, pivot);
            let (left, right) = (mid - start, end - mid);
            if left < right {
                was_balanced = left >= len / 8;
                self.sort(start, mid, limit);
                start = mid + 1;
            } else {
                was_balanced = right >= len / 8;
                self.sort(mid + 1, end, limit);
                end = mid;
            }
        }
    }

    fn insertion(&mut self, start: usize, end: usize) {
        for i in start + 1..end {
            let mut j = i;
            while j > start && self.less(j, j - 1) {
                self.items.swap(j, j - 1);
                j -= 1;
            }
        }
    }

    fn sift_down(&mut self, mut root: usize, end: usize, first: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                return;
            }
            if child + 1 < end && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.items.swap(first + root, first + child);
            root = child;
        }
    }

    fn heap(&mut self, start: usize, end: usize) {
        let len = end - start;
        for root in (0..=(len - 1) / 2).rev() {
            self.sift_down(root, len, start);
        }
        for last in (0..len).rev() {
            self.items.swap(start, start + last);
            self.sift_down(0, last, start);
        }
    }

    /// Moves elements less than the pivot before the pivot and all others after it. Returns the pivot's index and whether the range was already
    /// partitioned.
    fn partition(&mut self, start: usize, end: usize, pivot: usize) -> (usize, bool) {
        self.items.swap(start, pivot);
        let (mut i, mut j) = (start + 1, end - 1);
        let mut moved = false;
        loop {
            while i <= j && self.less(i, start) {
                i += 1;
            }
            while i <= j && !self.less(j, start) {
                j -= 1;
            }
            if i > j {
                self.items.swap(j, start);
                return (j, !moved);
            }
            self.items.swap(i, j);
            moved = true;
            i += 1;
            j -= 1;
        }
    }

    /// In a range without elements less than the pivot, moves the elements equal to the pivot to the front. Returns the index of the first greater
    /// element.
    fn partition_equal(&mut self, start: usize, end: usize, pivot: usize) -> usize {
        self.items.swap(start, pivot);
        let (mut i, mut j) = (start + 1, end - 1);
        loop {
            while i <= j && !self.less(start, i) {
                i += 1;
            }
            while i <= j && self.less(start, j) {
                j -= 1;
            }
            if i > j {
                return i;
            }
            self.items.swap(i, j);
            i += 1;
            j -= 1;
        }
    }

    /// Sorts a nearly sorted range with a few shifts. Returns whether it is now sorted.
    fn few_shifts(&mut self, start: usize, end: usize) -> bool {
        let mut i = start + 1;
        for _ in 0..MAX_SHIFTS {
            while i < end && !self.less(i, i - 1) {
                i += 1;
            }
            if i == end {
                return true;
            }
            if end - start < MANY {
                return false;
            }
            self.items.swap(i, i - 1);
            if i - start >= 2 {
                // Go searches down to the start of the slice, not of the range.
                for j in (1..i).rev() {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.items.swap(j, j - 1);
                }
            }
            if end - i >= 2 {
                for j in i + 1..end {
                    if !self.less(j, j - 1) {
                        break;
                    }
                    self.items.swap(j, j - 1);
                }
            }
        }
        false
    }

    /// Swaps three elements in the middle with others, which depend only on the length.
    fn break_patterns(&mut self, start: usize, end: usize) {
        let len = end - start;
        if len < 8 {
            return;
        }
        let mut random = len as u64;
        let mask = (1_usize << (usize::BITS - len.leading_zeros())) - 1;
        let middle = start + len / 4 * 2;
        for at in middle - 1..=middle + 1 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = random as usize & mask;
            if other >= len {
                other -= len;
            }
            self.items.swap(at, start + other);
        }
    }

    fn choose_pivot(&mut self, start: usize, end: usize) -> (usize, Hint) {
        let quarter = (end - start) / 4;
        let [mut i, mut j, mut k] = [start + quarter, start + quarter * 2, start + quarter * 3];
        let mut swaps = 0;
        if end - start >= 8 {
            if end - start >= MANY {
                i = self.median([i - 1, i, i + 1], &mut swaps);
                j = self.median([j - 1, j, j + 1], &mut swaps);
                k = self.median([k - 1, k, k + 1], &mut swaps);
            }
            j = self.median([i, j, k], &mut swaps);
        }
        let hint = match swaps {
            0 => Hint::Increasing,
            MAX_SWAPS => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (j, hint)
    }

    fn median(&mut self, [mut a, mut b, mut c]: [usize; 3], swaps: &mut usize) -> usize {
        self.order(&mut a, &mut b, swaps);
        self.order(&mut b, &mut c, swaps);
        self.order(&mut a, &mut b, swaps);
        b
    }

    fn order(&mut self, a: &mut usize, b: &mut usize, swaps: &mut usize) {
        if self.less(*b, *a) {
            *swaps += 1;
            std::mem::swap(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sorted;

    fn check(len: usize, key: impl Fn(usize) -> usize, expected_of_equals: Option<&[usize]>) {
        let order = sorted(len, |a, b| key(a) < key(b));
        assert!(order.windows(2).all(|pair| key(pair[0]) <= key(pair[1])), "{order:?}");
        if let Some(expected) = expected_of_equals {
            assert_eq!(order, expected);
        }
    }

    #[test]
    fn sorts() {
        check(0, |n| n, None);
        check(12, |n| 12 - n, None);
        check(500, |n| 500 - n, None);
        check(500, |n| n * 7919 % 503, None);
        check(500, |n| n % 3, None);
        check(3000, |n| (n * n) % 1009, None);
    }

    /// The expected order is that of Go 1.26.
    #[test]
    fn leaves_equal_elements_where_go_leaves_them() {
        check(13, |n| n % 3, Some(&[6, 3, 0, 9, 12, 1, 4, 7, 10, 2, 5, 8, 11]));
        let twenty = [0, 16, 4, 12, 8, 19, 3, 15, 7, 11, 10, 6, 14, 2, 18, 9, 13, 5, 17, 1];
        check(20, |n| n * 7 % 4, Some(&twenty));
        let sixty = [
            15, 55, 50, 45, 40, 5, 35, 30, 0, 25, 10, 20, 29, 6, 14, 59, 16, 56, 1, 19, 11, 21, 54, 51, 24, 9, 26, 49,
            46, 44, 41, 31, 4, 39, 34, 36, 48, 42, 38, 33, 32, 7, 47, 43, 8, 3, 37, 28, 52, 27, 2, 23, 13, 53, 22, 18,
            17, 57, 58, 12,
        ];
        check(60, |n| n * n % 5, Some(&sixty));
        let hundred = [
            92, 97, 98, 91, 96, 95, 94, 93, 99, 90, 81, 89, 88, 87, 86, 85, 84, 83, 82, 76, 71, 79, 78, 77, 80, 75, 74,
            73, 72, 66, 61, 69, 68, 67, 70, 65, 64, 63, 62, 51, 60, 59, 58, 57, 56, 55, 54, 53, 52, 49, 42, 50, 48, 47,
            46, 45, 44, 43, 41, 31, 40, 39, 38, 37, 36, 35, 34, 33, 32, 26, 21, 29, 28, 27, 30, 25, 24, 23, 22, 16, 11,
            19, 18, 17, 20, 15, 14, 13, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
        ];
        check(100, |n| (100 - n) / 10, Some(&hundred));
    }
}
