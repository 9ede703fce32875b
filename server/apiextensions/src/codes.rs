//! The diagnostic codes of this crate, each with one sentence. Their pages are named after them.

/// Declares codes as constants, and the list of all of them.
macro_rules! codes {
    ($($section:literal { $($name:ident = $code:literal, $summary:literal;)* })*) => {
        $($(#[doc = $summary] pub const $name: &str = $code;)*)*

        /// Every code and its sentence.
        pub const ALL: &[(&str, &str)] = &[$($(($code, $summary),)*)*];
    };
}

codes! {
    "decoding" {
        UNREADABLE_DEFINITION = "unreadable-definition", "The document cannot be read as a definition at all: a value has the wrong type, or the object another one.";
        UNKNOWN_FIELD = "unknown-field", "A field does not exist in a definition; strict field validation refuses it, without it the field is dropped.";
        DROPPED_FIELD = "dropped-field", "A field does not exist in a schema and is dropped without a word, because nothing is decoded strictly below `items` and `additionalProperties`.";
        DUPLICATE_KEY = "duplicate-key", "A key is written twice in a mapping; the last one counts, strict field validation refuses both.";
        UNSERVED_API_VERSION = "unserved-api-version", "The definition has a version of the API that no server of this minor serves.";
    }
    "warnings" {
        UNRECOGNIZED_FORMAT = "unrecognized-format", "A format is not one that the server checks, so it has no effect.";
        SET_OF_OBJECTS = "set-of-objects", "A list of objects or lists is a set, which server-side apply and CEL rules do not support.";
    }
    "beyond a verdict" {
        SERVER_PANIC = "server-panic", "The server itself fails on this definition, so there is no verdict.";
        TOO_DEEP = "too-deep", "Schemas or values nest deeper than the analyzer follows.";
    }
}
