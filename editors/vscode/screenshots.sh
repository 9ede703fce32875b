#!/usr/bin/env bash
# Makes the pictures of the README anew: screenshots.sh BINARY. Needs what tests/editors/run.sh needs; look at them before they are committed.
set -euo pipefail
binary=$(realpath "${1:?usage: screenshots.sh BINARY}")
cd "$(dirname "$0")/../.."
dir=${CRD_ANALYZER_EDITORS_DIR:-$PWD/target/editors}
tests/editors/install.sh "$dir"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
editors/vscode/package.sh "$binary" "$work/crd-analyzer.vsix"
node tests/editors/vscode/screenshots.cjs "$dir/code-server" "$work/crd-analyzer.vsix" tests/editors/demo "$work/out"
mkdir -p editors/vscode/images
cp "$work"/out/{findings,completion,resource}.png editors/vscode/images/
ls -l editors/vscode/images
