#!/usr/bin/env bash
# Packages the extension with a server binary: package.sh BINARY OUT.vsix. Needs Node.js 20.
set -euo pipefail
binary=$(realpath "$1") out=$(realpath -m "$2")
cd "$(dirname "$0")"
[ -d node_modules ] || npm ci --no-audit --no-fund
npm run --silent build
rm -rf server && mkdir server
cp "$binary" server/crd-analyzer
strip server/crd-analyzer 2> /dev/null || true # smaller; the names are only of use to us
cp ../../LICENSE-APACHE ../../LICENSE-MIT .
mkdir -p syntaxes && cp ../../syntaxes/*.tmLanguage.json syntaxes
trap 'rm -rf LICENSE-APACHE LICENSE-MIT syntaxes' EXIT
npx vsce package --no-dependencies --allow-missing-repository --out "$out" > /dev/null
echo "$out"
