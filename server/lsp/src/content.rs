//! The text of a document version as one string.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use ropey::Rope;

/// The text of a document version as a string. Concurrent users share one copy, which is freed with its last use.
#[derive(Debug, Default)]
pub(crate) struct Content(Mutex<Option<Weak<str>>>);

impl Content {
    /// The text as a string. `text` is the text of the version.
    pub(crate) fn of(&self, text: &Rope) -> Arc<str> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held.as_ref().and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            // `String::from` allocates the full length at once; `to_string` would reallocate as it grows.
            let made: Arc<str> = String::from(text).into();
            *held = Some(Arc::downgrade(&made));
            made
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_made_once_while_somebody_holds_it() {
        let (content, text) = (Content::default(), Rope::from_str("kind: List\n"));
        let first = content.of(&text);
        assert_eq!(&*first, "kind: List\n");
        assert!(Arc::ptr_eq(&first, &content.of(&text)));
        drop(first);
        assert!(content.0.lock().unwrap().as_ref().unwrap().upgrade().is_none());
        assert_eq!(&*content.of(&text), "kind: List\n");
    }
}
