//! The `crd-analyzer` command.

fn main() {}
