//! The text of a version as one string.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use ropey::Rope;

/// The string of a version's text, made once for all who hold it at the same time, and freed with the last of them.
#[derive(Debug, Default)]
pub(crate) struct Content(Mutex<Option<Weak<str>>>);

impl Content {
    /// The string. `text` is the text of the version.
    pub(crate) fn of(&self, text: &Rope) -> Arc<str> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held.as_ref().and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            // With its length known from the start; `to_string` would copy while it grows.
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
