#!/usr/bin/env bash
# Tests the shipped configurations in the real editors, headless. Needs Rust, Node.js 20 and a Debian with apt.
#
#     tests/editors/run.sh [vscode] [neovim] [helix]        all three if none is named
#
# The editors are installed into $CRD_ANALYZER_EDITORS_DIR (default: target/editors), see install.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
dir=${CRD_ANALYZER_EDITORS_DIR:-$root/target/editors}
out=$root/target/editors-out
if [ $# -eq 0 ]; then set -- vscode neovim helix; fi
tests/editors/install.sh "$dir"
cargo build --release --bin crd-analyzer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$out"
cp "${CARGO_TARGET_DIR:-target}/release/crd-analyzer" "$work/bin/"
export PATH=$work/bin:$PATH CRD_ANALYZER_EDITORS=$root/editors
fixture() { rm -rf "$work/fixture"; cp -r tests/editors/fixture "$work/fixture"; }
for editor in "$@"; do
  fixture
  echo "== $editor"
  case $editor in
    vscode)
      node tests/editors/grammar/textmate.cjs "$dir/code-server/node_modules/code-server/lib/vscode"
      editors/vscode/package.sh "$work/bin/crd-analyzer" "$work/crd-analyzer.vsix"
      node tests/editors/vscode.cjs "$dir/code-server" "$work/crd-analyzer.vsix" "$work/fixture" "$out" ;;
    neovim)
      for tree in trixie sid; do
        fixture
        CRD_ANALYZER_FILE=$work/fixture/widgets.crd.yaml \
          tests/editors/lib/from-debian.sh "$dir/$tree" nvim --headless --clean -S tests/editors/nvim.lua < /dev/null
      done ;;
    helix) tests/editors/helix.sh "$dir/trixie" "$root/editors" "$work/fixture/widgets.crd.yaml" ;;
    *) echo "no such editor: $editor" >&2; exit 2 ;;
  esac
done
