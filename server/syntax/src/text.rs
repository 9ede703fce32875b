//! The text of a file. All owners share it. It is changed in place if it has only one owner.

use std::{ops::Deref, ops::Range, sync::Arc};

/// The number of bytes by which a text may grow before it is reallocated.
const ROOM: usize = 4096;

/// The text of a file.
///
/// A text that is not edited is shared unchanged. An edited text has spare memory for growing. An edit moves the bytes after it, which takes a tenth
/// of a millisecond per megabyte, and copies the text only if another owner still uses it.
#[derive(Clone)]
pub struct Text(Form);

#[derive(Clone)]
enum Form {
    Fixed(Arc<str>),
    Growing(Arc<String>),
}

impl Text {
    /// Replaces a range of bytes. Both ends must be character boundaries.
    pub fn replace(&mut self, range: Range<usize>, new_text: &str) {
        if let Form::Growing(text) = &mut self.0
            && let Some(text) = Arc::get_mut(text)
        {
            text.replace_range(range, new_text);
            return;
        }
        let mut text = String::with_capacity(self.len() + new_text.len() + ROOM);
        text.push_str(&self[..range.start]);
        text.push_str(new_text);
        text.push_str(&self[range.end..]);
        self.0 = Form::Growing(Arc::new(text));
    }

    /// The text as a shared string.
    pub fn to_shared(&self) -> Arc<str> {
        match &self.0 {
            Form::Fixed(text) => text.clone(),
            Form::Growing(text) => text.as_str().into(),
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Form::Fixed(text) => text,
            Form::Growing(text) => text,
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self(Form::Fixed(Arc::default()))
    }
}

impl From<Arc<str>> for Text {
    fn from(text: Arc<str>) -> Self {
        Self(Form::Fixed(text))
    }
}

impl From<&Arc<str>> for Text {
    fn from(text: &Arc<str>) -> Self {
        Self(Form::Fixed(text.clone()))
    }
}

impl From<&Text> for Text {
    fn from(text: &Text) -> Self {
        text.clone()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Form::Fixed(text.into()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Form::Growing(Arc::new(text)))
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn who_has_an_older_text_keeps_it() {
        let mut text = Text::from("a: é\n");
        text.replace(3..5, "b");
        let before = text.clone();
        text.replace(0..1, "name");
        assert_eq!((&*before, &*text), ("a: b\n", "name: b\n"));
        drop(before);
        text.replace(0..4, "");
        assert_eq!(&*text.to_shared(), ": b\n");
    }
}
