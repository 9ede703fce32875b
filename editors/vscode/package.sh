#!/usr/bin/env bash
# Packages the extension: package.sh [BINARY] OUT.vsix. Without a binary, the extension runs crd-analyzer from the PATH. Needs Node.js 20.
set -euo pipefail
binary=
if [ $# -gt 1 ]; then binary=$(realpath "$1"); shift; fi
out=$(realpath -m "$1")
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --no-audit --no-fund
npm run --silent build
rm -rf server
if [ -n "$binary" ]; then
  mkdir server
  cp "$binary" server/crd-analyzer
  strip server/crd-analyzer 2> /dev/null || true # smaller; the names are only of use to us
fi
cp ../../LICENSE-APACHE ../../LICENSE-MIT .
mkdir -p syntaxes && cp ../../syntaxes/*.tmLanguage.json syntaxes
trap 'rm -rf LICENSE-APACHE LICENSE-MIT syntaxes' EXIT
# The marketplaces show the README with pictures and links of the repository.
repository=$(node -p 'require("./package.json").repository.url')
npx vsce package --no-dependencies --out "$out" \
  --baseContentUrl "$repository/blob/HEAD/editors/vscode" --baseImagesUrl "$repository/raw/HEAD/editors/vscode" > /dev/null
echo "$out"
