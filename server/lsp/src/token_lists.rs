//! Keeps the lists of semantic tokens sent to the client, so that the next answer can be a delta.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use lsp_types::{SemanticToken, SemanticTokensEdit, Uri};

/// The maximum number of documents whose last list is kept. It covers the documents shown side by side, and a few that the user switches to.
const KEPT: usize = 16;

/// The last list of each document. The most recent one is at the end.
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
    /// Keeps a list that is sent to the client. Returns its ID for delta requests.
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

    /// The list with an ID, if it is the last one of its document.
    pub(crate) fn get(&self, uri: &Uri, name: &str) -> Option<Arc<[SemanticToken]>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|it| it.uri == *uri && it.name == name);
        found.map(|it| it.tokens.clone())
    }

    /// Forgets the list of a closed document.
    pub(crate) fn forget(&self, uri: &Uri) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|it| it.uri != *uri);
    }
}

/// The edit that turns the old list into the new one: everything between their common start and end. `None` if they are equal.
pub(crate) fn difference(old: &[SemanticToken], new: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    /// The number of integers that LSP uses for a token.
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
