//! Which values to try in which order: the usual ones first, then those that differ in one decision, in two, in three.

use std::collections::VecDeque;

use crate::make::{Decisions, Deviations};

/// Values that differ from the first ones in more decisions are not tried.
const MAX_DEVIATIONS: usize = 3;
/// So many values wait at most to be tried.
const MAX_WAITING: usize = 2_000;

/// How a value is made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recipe {
    /// What may be absent is usually absent.
    pub(crate) is_sparse: bool,
    /// What is not as usual.
    pub(crate) deviations: Deviations,
}

impl Recipe {
    pub(crate) fn decisions(&self) -> Decisions<'_> {
        Decisions::new(&self.deviations, self.is_sparse)
    }

    /// The same with one decision made in another way.
    pub(crate) fn with(&self, position: u32, way: u32) -> Self {
        let mut deviations = Vec::with_capacity(self.deviations.len() + 1);
        deviations.extend_from_slice(&self.deviations);
        match deviations.iter_mut().find(|it| it.0 == position) {
            Some(known) => known.1 = way,
            None => deviations.push((position, way)),
        }
        Self {
            is_sparse: self.is_sparse,
            deviations,
        }
    }

    fn way(&self, position: u32) -> u32 {
        self.deviations.iter().find(|it| it.0 == position).map_or(0, |it| it.1)
    }

    /// All recipes that differ in one decision, from a position on. `made`: how many ways there are to make each decision.
    pub(crate) fn neighbours(&self, made: &[u32], first: usize) -> impl Iterator<Item = (usize, Self)> {
        made.iter().enumerate().skip(first).flat_map(move |(position, ways)| {
            let at = position as u32;
            let others = (0..*ways).filter(move |way| *way != self.way(at));
            others.map(move |way| (position, self.with(at, way)))
        })
    }
}

/// What comes next in a search.
pub(crate) enum Next<T> {
    /// A value.
    Value(T),
    /// Nothing was made of what was tried.
    NoValue,
    /// There is nothing left to try.
    End,
}

/// Values to be tried.
pub(crate) struct Search {
    /// With the position from which on decisions may be changed, and how many were.
    waiting: VecDeque<(Recipe, usize, usize)>,
}

impl Search {
    /// Around these recipes.
    pub(crate) fn around(recipes: impl IntoIterator<Item = Recipe>) -> Self {
        Self {
            waiting: recipes.into_iter().map(|it| (it, 0, 0)).collect(),
        }
    }

    /// Around the plainest values: those that have all, and those that have nothing that may be absent.
    pub(crate) fn new() -> Self {
        Self::around([false, true].map(|is_sparse| Recipe {
            is_sparse,
            deviations: Deviations::new(),
        }))
    }

    /// The next value, made by `make`.
    pub(crate) fn next<T>(&mut self, make: impl FnOnce(&mut Decisions<'_>) -> Option<T>) -> Next<T> {
        let Some((recipe, first, changed)) = self.waiting.pop_front() else {
            return Next::End;
        };
        let mut decisions = recipe.decisions();
        let value = make(&mut decisions);
        if changed < MAX_DEVIATIONS {
            let room = MAX_WAITING.saturating_sub(self.waiting.len());
            let more = recipe.neighbours(&decisions.made, first).take(room);
            self.waiting
                .extend(more.map(|(position, recipe)| (recipe, position + 1, changed + 1)));
        }
        value.map_or(Next::NoValue, Next::Value)
    }
}
