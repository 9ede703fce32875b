//! Custom resources: the way of a request from text to what would be stored.
