#!/usr/bin/env bash
# Tests the shipped configurations in the real editors, headless, and that what they and the server say to each other is the protocol.
# Needs Rust, Node.js 20 and a Debian with apt.
#
#     tests/editors/run.sh [vscode] [neovim] [helix] [emacs]        all four if none is named
#
# The editors are installed into $CRD_ANALYZER_EDITORS_DIR (default: target/editors), see install.sh. $CRD_ANALYZER_BINARY is a binary that is
# built already; without it, one is built.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
tests=$root/tests/editors
dir=${CRD_ANALYZER_EDITORS_DIR:-$root/target/editors}
out=$root/target/editors-out
if [ $# -eq 0 ]; then set -- vscode neovim helix emacs; fi
"$tests/install.sh" "$dir"
binary=${CRD_ANALYZER_BINARY:-}
if [ -z "$binary" ]; then
  cargo build --profile fast --bin crd-analyzer
  binary=${CARGO_TARGET_DIR:-target}/fast/crd-analyzer
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$out"
cp "$binary" "$work/server"
# What the editors start: the server, and what is said to it is written down.
cat > "$work/bin/crd-analyzer" <<T
#!/bin/sh
if [ "\$1" = lsp ]; then exec "$(command -v node)" "$tests/protocol/record.cjs" "$work/traces" "$work/server" "\$@"; fi
exec "$work/server" "\$@"
T
chmod +x "$work/bin/crd-analyzer"
export PATH=$work/bin:$PATH CRD_ANALYZER_EDITORS=$root/editors CRD_ANALYZER_FIXTURE=$work/fixture
export CRD_ANALYZER_YAML_SERVER="node $dir/yaml-server/node_modules/.bin/yaml-language-server --stdio"
# A repository of its own for each session.
fixture() { # FOLDER
  rm -rf "$work/fixture"
  cp -r "$tests/${1:-fixture}" "$work/fixture"
  mkdir "$work/fixture/.git"
}
neovim() { # TREE SCRIPT [FOLDER]
  fixture "${3:-}"
  export CRD_ANALYZER_NVIM="$tests/lib/from-debian.sh $dir/$1 nvim"
  CRD_ANALYZER_FILE=$work/fixture/widgets.crd.yaml $CRD_ANALYZER_NVIM --headless --clean -S "$tests/neovim/$2.lua" < /dev/null
}
for editor in "$@"; do
  echo "== $editor"
  started=$SECONDS
  rm -rf "$work/traces"
  case $editor in
    vscode)
      node "$tests/grammar/textmate.cjs" "$dir/code-server/node_modules/code-server/lib/vscode"
      editors/vscode/package.sh "$work/bin/crd-analyzer" "$work/crd-analyzer.vsix"
      fixture
      node "$tests/vscode/session.cjs" "$dir/code-server" "$work/crd-analyzer.vsix" "$work/fixture" "$out"
      fixture
      node "$tests/vscode/typing.cjs" "$dir/code-server" "$work/crd-analyzer.vsix" "$work/fixture" "$out"
      fixture fixture-rules
      node "$tests/vscode/trying.cjs" "$dir/code-server" "$work/crd-analyzer.vsix" "$work/fixture" "$out"
      fixture fixture-rules
      node "$tests/vscode/reports.cjs" "$dir/code-server" "$work/crd-analyzer.vsix" "$work/fixture" "$out"
      fixture fixture-go
      node "$tests/vscode/go.cjs" "$dir/code-server" "$work/crd-analyzer.vsix" "$work/fixture" "$out"
      fixture fixture-go
      node "$tests/vscode/go-start.cjs" "$dir/code-server" "$work/crd-analyzer.vsix" "$work/fixture" "$out" ;;
    neovim)
      for tree in trixie sid; do neovim $tree diagnostics; neovim $tree features; done
      neovim sid readme
      neovim sid sample
      neovim sid beside
      neovim sid go fixture-go ;;
    helix)
      for it in findings features beside; do fixture; "$tests/helix/$it.sh" "$dir/trixie" "$root/editors" "$work/fixture"; done
      fixture fixture-go
      "$tests/helix/go.sh" "$dir/trixie" "$root/editors" "$work/fixture" ;;
    emacs)
      fixture
      "$tests/emacs.sh" "$dir/emacs" "$root/editors" "$work/fixture"
      fixture fixture-go
      "$tests/emacs-go.sh" "$dir/emacs" "$root/editors" "$work/fixture" ;;
    *) echo "no such editor: $editor" >&2; exit 2 ;;
  esac
  node "$tests/protocol/validate.cjs" "$dir/meta-model.json" "$work/traces" \
    initialize textDocument/completion textDocument/hover textDocument/codeAction textDocument/rename
  echo "   in $((SECONDS - started)) s"
done
