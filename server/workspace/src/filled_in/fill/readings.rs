//! Readings of a template: some of its blocks are read as if their text was printed, and the others are unknown.
//!
//! What is wrong in a reading with a single branch is wrong whenever that branch is printed. A template with very many branches has few readings instead, in
//! which many branches are read together. There, only errors that depend on nothing else are certain.

use std::{collections::HashMap, ops::Range};

use super::{
    Filled, Shown,
    actions::{Action, Kind, actions},
    blocks::{Block, Form, blocks},
    fill_with,
    lines::Lines,
};

/// The maximum number of readings with single branches, and of readings in which branches are read together.
const MOST_ALONE: usize = 64;
const MOST_TOGETHER: usize = 8;

/// The text of all readings of a template, in bytes. Templates of real projects need less than a tenth.
const MOST_TEXT: usize = 2 << 20;

/// A template with some of its blocks.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) filled: Filled,
    /// The branches that are read, sorted by start. If branches are read together, an outer one comes before those in it.
    pub(crate) shown: Vec<Range<usize>>,
    /// The branches that are the value of a key or an item on one line: where the key starts, and the branch.
    pub(crate) values: Vec<(usize, Range<usize>)>,
    /// Whether each of them is read alone, so that all errors in it are certain.
    pub(crate) is_alone: bool,
}

/// The readings of a template.
pub(crate) struct Readings<'t> {
    text: &'t str,
    actions: Vec<Action>,
    blocks: Vec<Block>,
    lines: Lines,
    /// The branches that each reading shows.
    shown: Vec<Vec<(usize, usize)>>,
    is_alone: bool,
}

impl<'t> Readings<'t> {
    /// The readings of a template. `None` if it has no block that can be read, or if the objects in it depend on one of the blocks.
    pub(crate) fn of(text: &'t str) -> Option<Self> {
        let actions = actions(text)?;
        let blocks = blocks(&actions)?;
        let lines = Lines::of(text, &actions);
        let mut can_be_read: Vec<bool> = Vec::with_capacity(blocks.len());
        let mut branches = Vec::new();
        for (n, block) in blocks.iter().enumerate() {
            let form = Form::of(text, &actions, block, &lines);
            // Another version of the object may need other fields.
            if form == Form::Documents && block.branches() > 1 {
                return None;
            }
            let is_around = block.around.is_none_or(|(it, _)| can_be_read[it]);
            can_be_read.push(is_around && form != Form::Unknown);
            if is_around && matches!(form, Form::Lines | Form::Value) {
                let all = (0..block.branches()).map(|it| (n, it));
                branches.extend(all.filter(|it| block.prints(text, &actions, it.1)));
            }
        }
        if branches.is_empty() {
            return None;
        }
        let shown = one_by_one(&branches, |(block, _)| {
            lines.document(actions[blocks[block].first].span.start)
        });
        let is_alone = shown.len() <= MOST_ALONE && shown.len().saturating_mul(text.len()) <= MOST_TEXT;
        let shown = if is_alone {
            shown
        } else {
            together(&branches, &blocks, most_together(text))
        };
        Some(Self {
            text,
            actions,
            blocks,
            lines,
            shown,
            is_alone,
        })
    }

    /// The readings. One that cannot be filled in is left out.
    pub(crate) fn all(&self) -> impl Iterator<Item = Reading> {
        self.shown.iter().filter_map(|shown| self.reading(shown))
    }

    fn reading(&self, shown: &[(usize, usize)]) -> Option<Reading> {
        let mut read = vec![None; self.blocks.len()];
        for (block, branch) in shown {
            let mut next = Some((*block, *branch));
            while let Some((block, branch)) = next.filter(|it| read[it.0].is_none()) {
                read[block] = Some(branch);
                next = self.blocks[block].around;
            }
        }
        let parts = (&*self.actions, &*self.blocks, &self.lines);
        let branch = |(block, branch): &(usize, usize)| self.blocks[*block].branch(&self.actions, *branch);
        let values = shown.iter().filter_map(|it| {
            let begin = self.actions[self.blocks[it.0].first].span.start;
            let before = &self.text[self.text[..begin].rfind('\n').map_or(0, |it| it + 1)..begin];
            let key = begin - before.trim_start_matches([' ', '-']).len();
            let written = branch(it);
            let at = written.start + self.text[written.clone()].len() - self.text[written.clone()].trim_start().len();
            let is_value = !before.trim().is_empty() || before.contains('-');
            is_value.then(|| (key, at..written.start + self.text[written].trim_end().len()))
        });
        let values = values.collect();
        let mut ranges: Vec<Range<usize>> = shown.iter().map(branch).collect();
        ranges.sort_unstable_by_key(|it| (it.start, std::cmp::Reverse(it.end)));
        let shown_here = Shown {
            repeats: self.is_alone,
            ..Shown::once(&read)
        };
        Some(Reading {
            filled: fill_with(self.text, parts, shown_here)?,
            shown: ranges,
            values,
            is_alone: self.is_alone,
        })
    }
}

/// The template with the other branches of blocks that start an object: the second ones, the third ones, and so on. There are none if the objects do not
/// depend on such blocks.
pub(crate) fn other_heads(text: &str) -> Vec<Filled> {
    let Some(actions) = actions(text) else {
        return Vec::new();
    };
    let Some(blocks) = blocks(&actions) else {
        return Vec::new();
    };
    let lines = Lines::of(text, &actions);
    let heads = blocks.iter().map(|block| {
        let is_head = block.branches() > 1 && Form::of(text, &actions, block, &lines) == Form::Documents;
        is_head.then(|| block.branches() - 1)
    });
    let heads: Vec<Option<usize>> = heads.collect();
    let most = heads.iter().flatten().max().copied().unwrap_or_default();
    let fill = |branch| {
        let shown: Vec<Option<usize>> = heads.iter().map(|it| it.map(|last| last.min(branch))).collect();
        fill_with(text, (&actions, &blocks, &lines), Shown::once(&shown))
    };
    (1..=most.min(most_together(text))).filter_map(fill).collect()
}

/// The text with its actions replaced, as if every block was printed that omits or prints some lines and is in no other such block. `None` as for
/// [`super::fill`].
pub(crate) fn with_blocks(text: &str) -> Option<Filled> {
    let actions = actions(text)?;
    let blocks = blocks(&actions)?;
    let lines = Lines::of(text, &actions);
    let forms: Vec<Form> = blocks.iter().map(|it| Form::of(text, &actions, it, &lines)).collect();
    let is_outermost = |block: &Block| block.around.is_none_or(|(it, _)| forms[it] == Form::Documents);
    let blocks_and_forms = blocks.iter().zip(&forms);
    let shown: Vec<Option<usize>> = blocks_and_forms
        .map(|(block, form)| (*form == Form::Lines && block.branches() == 1 && is_outermost(block)).then_some(0))
        .collect();
    fill_with(text, (&actions, &blocks, &lines), Shown::once(&shown))
}

/// The template with its actions replaced, for somebody who edits it at an offset. The branches around the offset are read, and the first branch of each
/// other block. A block without an end is read as if its action did not exist. `None` if the text has no actions, if the last action has no end, or if the
/// offset is in an action.
pub(crate) fn fill_around(text: &str, offset: usize) -> Option<Filled> {
    let mut actions = actions(text)?;
    if actions.is_empty() || actions.iter().any(|it| it.holds(offset)) {
        return None;
    }
    leave_out_open_blocks(&mut actions);
    let blocks = blocks(&actions)?;
    let is_around = |it: Range<usize>| it.start <= offset && offset <= it.end;
    let shown = blocks.iter().map(|block| {
        let mut branches = 0..block.branches();
        branches.find(|it| is_around(block.branch(&actions, *it)))
    });
    let lines = Lines::of(text, &actions);
    let forms = blocks.iter().map(|it| Form::of(text, &actions, it, &lines));
    let shown = shown.zip(forms).map(|(around, form)| match form {
        Form::Lines => around.or(Some(0)),
        _ => around,
    });
    let shown: Vec<Option<usize>> = shown.collect();
    let shown = Shown {
        is_edited: true,
        ..Shown::once(&shown)
    };
    let filled = fill_with(text, (&actions, &blocks, &lines), shown)?;
    // The other documents would only take time.
    filled.only(lines.document_around(offset))
}

/// Turns the actions that begin a block without an end, or end one without a beginning, into actions that print nothing.
fn leave_out_open_blocks(actions: &mut [Action]) {
    let mut open = Vec::new();
    for (n, action) in actions.iter_mut().enumerate() {
        let is_alone = match action.kind {
            Kind::Begin | Kind::Define => {
                open.push(n);
                false
            }
            Kind::End => open.pop().is_none(),
            Kind::Else => open.is_empty(),
            Kind::Value | Kind::Nothing => false,
        };
        if is_alone {
            action.kind = Kind::Nothing;
        }
    }
    for n in open {
        actions[n].kind = Kind::Nothing;
    }
}

/// Whether an offset is in an action.
pub(crate) fn is_in_action(text: &str, offset: usize) -> bool {
    actions(text).is_some_and(|it| it.iter().any(|it| it.holds(offset)))
}

/// The number of times that a text is read with several branches together.
fn most_together(text: &str) -> usize {
    (MOST_TEXT / text.len().max(1)).clamp(1, MOST_TOGETHER)
}

/// Readings with one branch of each document.
fn one_by_one(branches: &[(usize, usize)], document: impl Fn((usize, usize)) -> usize) -> Vec<Vec<(usize, usize)>> {
    let mut shown: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for branch in branches {
        let count = counts.entry(document(*branch)).or_default();
        if *count == shown.len() {
            shown.push(Vec::new());
        }
        shown[*count].push(*branch);
        *count += 1;
    }
    shown
}

/// Readings with a branch of each block, as few as show each branch once. At most `most`.
fn together(branches: &[(usize, usize)], blocks: &[Block], most: usize) -> Vec<Vec<(usize, usize)>> {
    // How many readings the blocks in each branch need.
    let mut needed: HashMap<(usize, usize), usize> = HashMap::new();
    for (n, block) in blocks.iter().enumerate().rev() {
        let own = (0..block.branches()).map(|it| needed.get(&(n, it)).copied().unwrap_or(1));
        let own = own.fold(0, usize::saturating_add);
        if let Some(around) = block.around {
            let around = needed.entry(around).or_insert(1);
            *around = own.max(*around);
        }
    }
    let needed = |block: usize, branch: usize| needed.get(&(block, branch)).copied().unwrap_or(1);
    (0..most)
        .map_while(|reading| {
            // The branch of each block in this reading, and which reading of that branch it is.
            let mut chosen: Vec<Option<(usize, usize)>> = Vec::with_capacity(blocks.len());
            let mut has_new = false;
            for (n, block) in blocks.iter().enumerate() {
                let at = match block.around {
                    None => Some(reading),
                    Some((around, branch)) => chosen[around].filter(|it| it.0 == branch).map(|it| it.1),
                };
                chosen.push(at.map(|mut at| {
                    let mut branch = 0;
                    while branch + 1 < block.branches() && needed(n, branch) <= at {
                        at -= needed(n, branch);
                        branch += 1;
                    }
                    has_new |= at < needed(n, branch);
                    (branch, at)
                }));
            }
            let is_shown = |it: &&(usize, usize)| chosen[it.0].is_some_and(|chosen| chosen.0 == it.1);
            has_new.then(|| branches.iter().filter(is_shown).copied().collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the readings of a template: for each, the lines that are not blank, and the texts of the branches that are read.
    #[track_caller]
    fn check(text: &str, expected: &[(&[&str], &[&str])]) {
        let readings = Readings::of(text);
        let found = readings.iter().flat_map(Readings::all).map(|it| {
            let written = it.filled.text.replace(it.filled.places.filler(), "@");
            assert_eq!(it.filled.text.len(), text.len(), "of {text:?}");
            let lines = written.lines().map(str::trim_end).filter(|it| !it.is_empty());
            let shown = it.shown.iter().map(|it| text[it.clone()].trim().to_owned());
            (lines.map(str::to_owned).collect::<Vec<_>>(), shown.collect::<Vec<_>>())
        });
        let owned = |of: &[&str]| of.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let expected: Vec<_> = expected.iter().map(|it| (owned(it.0), owned(it.1))).collect();
        assert_eq!(found.collect::<Vec<_>>(), expected, "of {text:?}");
    }

    #[test]
    fn each_branch_is_read_alone() {
        check(
            "a:\n{{ if .x }}\n  b: 1\n{{ else if .y }}\n  b: 2\n{{ else }}\n  b: 3\n{{ end }}\nc: 3\n",
            &[
                (&["a:", "  b: 1", "c: 3"], &["b: 1"]),
                (&["a:", "  b: 2", "c: 3"], &["b: 2"]),
                (&["a:", "  b: 3", "c: 3"], &["b: 3"]),
            ],
        );
        let outer = "a: {{ .y }}\n{{ if .z }}\nb: 1\n{{ end }}";
        check(
            &format!("{{{{ with .x }}}}\n{outer}\n{{{{ end }}}}\n{{{{ if .z }}}}\nc: 1\n{{{{ end }}}}\n"),
            &[
                (&["a: @xxxxx", "@0:", "@1:"], &[outer]),
                (&["a: @xxxxx", "b: 1", "@0:"], &["b: 1"]),
                (&["@0:", "c: 1"], &["c: 1"]),
            ],
        );
        // One of each document.
        check(
            "{{ if .x }}\na: 1\n{{ end }}\n---\n{{ if .x }}\nb: 1\n{{ end }}\n",
            &[(&["a: 1", "---", "b: 1"], &["a: 1", "b: 1"])],
        );
    }

    #[test]
    fn what_a_range_prints_may_be_printed_again() {
        check(
            "a:\n{{- range .x }}\n- b: 1\n{{- end }}\n",
            &[(&["a:", "- b: 1", "- @"], &["- b: 1"])],
        );
        check(
            "a:\n  {{- range .x }}\n  {{ . }}: 1\n  {{- else }}\n  b: 1\n  {{- end }}\n",
            &[
                (&["a:", "  @:", "  @xxxx: 1"], &["{{ . }}: 1"]),
                (&["a:", "  b: 1"], &["b: 1"]),
            ],
        );
    }

    #[test]
    fn comments_may_follow_actions() {
        for comment in ["{{/* of x */}}", " {{- /* of x */}}", "{{ $y := 1 }}{{/* of\nx */}}"] {
            check(
                &format!("{{{{ if .x }}}}\na: 1\n{{{{ end }}}}{comment}\nb: 1\n"),
                &[(&["a: 1", "b: 1"], &["a: 1"])],
            );
            check(
                &format!("{comment}{{{{ if .x }}}}\na: 1\n{{{{ end }}}}\nb: 1\n"),
                &[(&["a: 1", "b: 1"], &["a: 1"])],
            );
        }
        check(
            "a: {{ if .x }}1{{ end }}{{/* c */}}\n",
            &[(&["a:            1"], &["1"])],
        );
        // The comment joins the next line to this one.
        check("{{ if .x }}\na: 1\n{{ end }}{{/* c */ -}}\nb: 1\n", &[]);
    }

    #[test]
    fn branches_in_a_line_are_values() {
        check(
            "- a: {{ if .x }}1{{ else }}\"2\"{{ end }} # c\n",
            &[
                (&["- a:            1                       # c"], &["1"]),
                (&["- a:                       \"2\"          # c"], &["\"2\""]),
            ],
        );
        check("a: \"{{ if .x }}1{{ end }}\"\n", &[]);
        check("a: {{ if .x }}1{{ end }}2\n", &[]);
        check("a: b{{ if .x }}1{{ end }}\n", &[]);
        check("{{ if .x }}a{{ end }}: 1\n", &[]);
    }

    #[test]
    fn texts_that_are_not_printed_as_they_are_written_are_not_read() {
        // The text is joined to other lines, or the object is another one.
        check("{{ if .x -}}\na: 1\n{{ end }}\nb: 1\n", &[]);
        check("{{ if .x }}\na: 1\n{{ end -}}\nb: 1\n", &[]);
        check("{{ define \"x\" }}\n{{ if .x }}\na: 1\n{{ end }}\n{{ end }}\n", &[]);
        check(
            "{{ if .x }}\nkind: A\n{{ else }}\nkind: B\n{{ end }}\n{{ if .x }}\na: 1\n{{ end }}\n",
            &[],
        );
    }

    #[test]
    fn heads_of_objects_have_other_branches() {
        let text = "{{ if .x }}\nkind: A\n{{ else if .y }}\nkind: B\n{{ else }}\nkind: C\n{{ end }}\n{{ if .x }}\na: 1\n{{ end }}\n";
        let heads = other_heads(text);
        let first = heads.iter().map(|it| it.text.trim_start().lines().next());
        assert_eq!(first.collect::<Vec<_>>(), [Some("kind: B"), Some("kind: C")]);
        assert!(other_heads("{{ if .x }}\nkind: A\n{{ end }}\n").is_empty());
        assert!(other_heads("{{ if .x }}\na: 1\n{{ else }}\nb: 1\n{{ end }}\n").is_empty());
    }

    #[test]
    fn the_blocks_around_an_offset_are_read() {
        let text = "a: 1\n{{ if .x }}\nb: {{ .y }}\n{{ else }}\nc: 1\n{{ end }}\n{{ with .z }}\nd: 1\n{{ end }}\n";
        let lines_at = |needle: &str| {
            let filled = fill_around(text, text.find(needle)?)?;
            assert_eq!(filled.text.len(), text.len());
            let known = ["a: 1", "b: ", "c: 1", "d: 1"];
            Some(
                known
                    .iter()
                    .filter(|it| filled.text.contains(**it))
                    .copied()
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(lines_at("a: 1").as_deref(), Some(&["a: 1", "b: ", "d: 1"][..]));
        assert_eq!(lines_at("b: ").as_deref(), Some(&["a: 1", "b: ", "d: 1"][..]));
        assert_eq!(lines_at("c: 1").as_deref(), Some(&["a: 1", "c: 1", "d: 1"][..]));
        assert_eq!(lines_at("d: 1").as_deref(), Some(&["a: 1", "b: ", "d: 1"][..]));
        assert_eq!(lines_at(".y"), None);
        assert!(fill_around("a: 1\n", 2).is_none());
        // What an action prints is not there while somebody edits, and a block may not be closed yet.
        let edited = |text: &str| fill_around(text, text.len()).map(|it| it.text.replace(' ', ""));
        assert_eq!(edited("a:\n  {{- toYaml .x }}\n").as_deref(), Some("a:\n\n"));
        assert_eq!(edited("{{ if .x }}\na: 1\n").as_deref(), Some("\na:1\n"));
        assert_eq!(edited("a: 1\n{{ else }}\n{{ end }}\n").as_deref(), Some("a:1\n\n\n"));
        assert_eq!(edited("a: {{ .x\n"), None);
        assert_eq!(edited("a: {{ .x }}\n---\nb: 1\n").as_deref(), Some("\n---\nb:1\n"));
    }

    #[test]
    fn many_branches_are_read_together() {
        let block = "{{ if .x }}\na: 1\n{{ else }}\n{{ if .y }}\nb: 1\n{{ else }}\nc: 1\n{{ end }}\n{{ end }}\n";
        let many = block.repeat(MOST_ALONE);
        let readings = Readings::of(&many).expect("it has branches");
        assert!(!readings.is_alone);
        let shown = readings.all().map(|it| {
            let lines = it.filled.text.lines().filter(|it| !it.trim().is_empty());
            lines.map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
        });
        let expected = ["a: 1", "b: 1", "c: 1"].map(|it| [it.to_owned()].into());
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        let deep = format!("{}a: 1\n{}", "{{ if .x }}\n".repeat(64), "{{ end }}\n".repeat(64));
        let readings = Readings::of(&deep).expect("it has branches");
        assert_eq!(readings.all().count(), 64);
        let chain = format!(
            "{{{{ if .x }}}}\na: 1\n{}{{{{ end }}}}\n",
            "{{ else }}\nb: 1\n".repeat(100)
        );
        let readings = Readings::of(&chain).expect("it has branches");
        assert_eq!(readings.all().count(), MOST_TOGETHER);
    }
}
