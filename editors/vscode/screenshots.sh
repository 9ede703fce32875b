#!/usr/bin/env bash
# Makes the pictures of README, the documentation and the extension anew, and beside each the texts that it shows: screenshots.sh BINARY.
# Needs what tests/editors/run.sh needs. Look at the pictures before you commit them.
set -euo pipefail
binary=$(realpath "${1:?usage: screenshots.sh BINARY}")
cd "$(dirname "$0")/../.."
dir=${CRD_ANALYZER_EDITORS_DIR:-$PWD/target/editors}
tests/editors/install.sh "$dir"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
editors/vscode/package.sh "$binary" "$work/crd-analyzer.vsix"
node tests/editors/vscode/screenshots.cjs "$dir/code-server" "$work/crd-analyzer.vsix" tests/editors/demo tests/editors/fixture-go "$work/out"
node editors/vscode/icon.cjs "$dir/code-server"
cp "$work"/out/{findings,completion,resource,go}.{png,txt} editors/vscode/images/
ls -l editors/vscode/images
