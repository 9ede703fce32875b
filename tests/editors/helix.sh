#!/usr/bin/env bash
# Opens a broken definition in Helix with the shipped configuration, sees the finding at its place, repairs it by typing, sees it go.
# usage: helix.sh DEBIAN_TREE EDITORS_FOLDER FILE      needs tmux, and crd-analyzer on the PATH
set -euo pipefail
tree=$1 editors=$2 file=$3
here=$(cd "$(dirname "$0")" && pwd)
home=$(mktemp -d)
session=crd-analyzer-$$
tmux() { command tmux -L "$session" -f /dev/null "$@"; }
finish() { tmux kill-server 2> /dev/null || true; rm -rf "$home"; }
trap finish EXIT

mkdir -p "$home/helix"
cp "$editors/helix/languages.toml" "$home/helix/"
cat > "$home/helix/config.toml" <<'T'
[editor]
end-of-line-diagnostics = "hint"
[editor.inline-diagnostics]
cursor-line = "error"
T
tmux new-session -d -x 160 -y 40 "env XDG_CONFIG_HOME=$home XDG_CACHE_HOME=$home/cache $here/lib/from-debian.sh $tree hx $file"

screen() { tmux capture-pane -p; }
await() { # PATTERN WHAT
  for _ in $(seq 100); do
    if screen | grep -qE "$1"; then echo "ok   $2"; return; fi
    sleep 0.1
  done
  echo "FAIL $2"; screen; exit 1
}
await_gone() { # PATTERN WHAT
  for _ in $(seq 100); do
    if ! screen | grep -qE "$1"; then echo "ok   $2"; return; fi
    sleep 0.1
  done
  echo "FAIL $2"; screen; exit 1
}
await 'type: text' 'the definition is open'
await 'supported values' 'the finding is shown'
# The next diagnostic is where the word is.
tmux send-keys ']' d
await ' 20:2[0-9]' 'it is on line 20'
tmux send-keys ':' ; tmux send-keys -l 'goto 20'; tmux send-keys Enter
tmux send-keys g l b
sleep 0.2
tmux send-keys c; tmux send-keys -l 'string'; tmux send-keys Escape
await 'type: string' 'the repair is typed'
await_gone 'supported values' 'the finding goes'
tmux send-keys ':' ; tmux send-keys -l 'q!'; tmux send-keys Enter
echo PASS
