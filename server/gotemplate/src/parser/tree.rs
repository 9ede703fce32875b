//! The template that is being parsed.

use std::collections::HashMap;

use crate::token::Token;

/// What a template is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    File,
    Define,
    Block,
}

impl Owner {
    /// The keyword of the action that begins the template.
    pub(super) fn keyword(self) -> Option<&'static str> {
        match self {
            Self::File => None,
            Self::Define => Some("define"),
            Self::Block => Some("block"),
        }
    }
}

/// An `if`, `range` or `with` whose end is not read yet.
pub(super) struct Block {
    pub(super) keyword: &'static str,
    /// The offset of its action. For `else if`, of the action that begins the whole block.
    pub(super) start: usize,
    /// The number of variables before the block.
    pub(super) variables: usize,
    pub(super) has_else: bool,
    /// Whether it is written as `else if` or `else with`, so that one `end` ends it and the block around it.
    pub(super) is_chained: bool,
}

/// A template that is being parsed. Go has a parser for each of them, with its own memory of what was read.
pub(super) struct Tree<'t> {
    pub(super) owner: Owner,
    /// The offset of the action that begins it.
    pub(super) start: usize,
    /// The index in [`Parsed::defines`](super::Parsed::defines), if it has a name.
    pub(super) define: Option<usize>,
    /// The last token, and tokens that were put back.
    pub(super) tokens: [Token; 3],
    /// The number of tokens that were put back.
    pub(super) pending: usize,
    /// The offset of the action that Go names in messages of the lexer.
    pub(super) action: Option<usize>,
    /// The number of `range` around the current place.
    pub(super) ranges: usize,
    pub(super) variables: Variables<'t>,
    pub(super) blocks: Vec<Block>,
    /// Whether the template has only blanks.
    pub(super) is_blank: bool,
}

impl Tree<'_> {
    pub(super) fn new(owner: Owner, start: usize) -> Self {
        let mut variables = Variables::default();
        variables.declare("$");
        Self {
            owner,
            start,
            define: None,
            tokens: [Token::NONE; 3],
            pending: 0,
            action: None,
            ranges: 0,
            variables,
            blocks: Vec::new(),
            is_blank: true,
        }
    }
}

/// The variables that are declared at a place.
#[derive(Default)]
pub(super) struct Variables<'t> {
    all: Vec<&'t str>,
    /// How often each name is declared.
    counts: HashMap<&'t str, usize>,
}

impl<'t> Variables<'t> {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn declare(&mut self, name: &'t str) {
        self.all.push(name);
        *self.counts.entry(name).or_default() += 1;
    }

    /// Forgets all but the first ones.
    pub(super) fn keep(&mut self, length: usize) {
        for name in self.all.drain(length..) {
            if let Some(count) = self.counts.get_mut(name) {
                *count -= 1;
            }
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.counts.get(name).is_some_and(|it| *it > 0)
    }

    /// The names that are declared, each once.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .counts
            .iter()
            .filter(|it| *it.1 > 0)
            .map(|it| (*it.0).to_owned())
            .collect();
        names.sort_unstable();
        names
    }
}
