#!/bin/sh
# Compiles a crate of ours with what libFuzzer needs to see which code an input reaches. Cargo calls it in place of rustc
# (RUSTC_WORKSPACE_WRAPPER), so other people's crates stay as they are: what they do tells nothing about our code.
exec "$@" \
  -Cpasses=sancov-module \
  -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares
