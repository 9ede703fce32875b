//! Documents and what they are, the index of definitions, configuration, and findings with places.
