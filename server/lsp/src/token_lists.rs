//! Lists of tokens that clients were told, so that only what changed has to be told again.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use lsp_types::{SemanticToken, SemanticTokensEdit, Uri};

/// Documents whose last list is kept: those that are shown beside each other, and a few that a person turns to.
const KEPT: usize = 16;

/// The last list of each document, the one that was told last behind the others.
#[derive(Debug, Default)]
pub(crate) struct TokenLists {
    kept: Mutex<Vec<TokenList>>,
    told: AtomicU64,
}

#[derive(Debug)]
struct TokenList {
    uri: Uri,
    name: String,
    tokens: Arc<[SemanticToken]>,
}

impl TokenLists {
    /// Keeps what a client is told and returns the name that it can ask by.
    pub(crate) fn keep(&self, uri: &Uri, tokens: &[SemanticToken]) -> String {
        let name = self.told.fetch_add(1, Ordering::Relaxed).to_string();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|it| it.uri != *uri);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(TokenList {
            uri: uri.clone(),
            name: name.clone(),
            tokens: tokens.into(),
        });
        name
    }

    /// The list of a name, if it is the last of its document.
    pub(crate) fn get(&self, uri: &Uri, name: &str) -> Option<Arc<[SemanticToken]>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|it| it.uri == *uri && it.name == name);
        found.map(|it| it.tokens.clone())
    }

    /// Forgets a document that is closed.
    pub(crate) fn forget(&self, uri: &Uri) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|it| it.uri != *uri);
    }
}

/// What makes the new list of the old one: nothing, or one edit of all between what both begin and end with.
pub(crate) fn difference(old: &[SemanticToken], new: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    /// How many numbers describe a token in the protocol.
    const NUMBERS: usize = 5;
    if old == new {
        return None;
    }
    let same = |it: &(&SemanticToken, &SemanticToken)| it.0 == it.1;
    let before = old.iter().zip(new).take_while(same).count();
    let (old, new) = (&old[before..], &new[before..]);
    let after = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let new = &new[..new.len() - after];
    Some(SemanticTokensEdit {
        start: (before * NUMBERS) as u32,
        delete_count: ((old.len() - after) * NUMBERS) as u32,
        data: (!new.is_empty()).then(|| new.to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(starts: &[u32]) -> Vec<SemanticToken> {
        let token = |&delta_start| SemanticToken {
            delta_start,
            ..SemanticToken::default()
        };
        starts.iter().map(token).collect()
    }

    #[test]
    fn an_edit_makes_the_new_list_of_the_old_one() {
        let lists: [&[u32]; 8] = [
            &[],
            &[1],
            &[1, 2],
            &[2, 1],
            &[1, 1],
            &[1, 1, 1],
            &[1, 3, 2],
            &[1, 2, 2, 2],
        ];
        for old in lists {
            for new in lists {
                let mut made = tokens(old);
                let edit = difference(&made, &tokens(new));
                assert_eq!(edit.is_none(), old == new);
                if let Some(edit) = edit {
                    let start = edit.start as usize / 5;
                    let end = start + edit.delete_count as usize / 5;
                    made.splice(start..end, edit.data.unwrap_or_default());
                }
                assert_eq!(made, tokens(new), "{old:?} to {new:?}");
            }
        }
    }

    #[test]
    fn only_the_last_list_of_a_document_is_known() {
        let lists = TokenLists::default();
        let uri = |n: usize| format!("file:///{n}.yaml").parse::<Uri>().unwrap();
        let first = lists.keep(&uri(0), &tokens(&[1]));
        let second = lists.keep(&uri(0), &tokens(&[2]));
        assert_eq!(lists.get(&uri(0), &first), None);
        assert_eq!(lists.get(&uri(1), &second), None);
        assert_eq!(lists.get(&uri(0), &second).as_deref(), Some(&tokens(&[2])[..]));
        for n in 1..=KEPT {
            lists.keep(&uri(n), &[]);
        }
        assert_eq!(lists.get(&uri(0), &second), None);
        let last = lists.keep(&uri(9), &[]);
        lists.forget(&uri(9));
        assert_eq!(lists.get(&uri(9), &last), None);
    }
}
