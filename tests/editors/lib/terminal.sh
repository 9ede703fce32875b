# A person at an editor in a terminal: sourced by the scripts that drive one. Needs tmux. `home` is a folder for the editor's files.
home=$(mktemp -d)
session=crd-analyzer-$$
tmux() { command tmux -L "$session" -f /dev/null "$@"; }
finish() { at_end > /dev/null 2>&1 || true; tmux kill-server 2> /dev/null || true; rm -rf "$home"; }
at_end() { :; }
trap finish EXIT

screen() { tmux capture-pane -p; }
# A key right behind Escape would be the same key with Alt to the terminal: each Escape has a moment of its own.
keys() {
  local key
  for key in "$@"; do
    tmux send-keys "$key"
    if [ "$key" = Escape ]; then sleep 0.2; fi
  done
}
type() { tmux send-keys -l -- "$1"; }
fail() { echo "FAIL $1"; screen; on_failure; exit 1; }
on_failure() { :; }

# Waits until a command succeeds.
see() { # WHAT COMMAND...
  local started=$SECONDS
  local what=$1; shift
  for _ in $(seq 150); do
    if "$@" > /dev/null 2>&1; then echo "ok   $what ($((SECONDS - started)) s)"; return; fi
    sleep 0.1
  done
  fail "$what"
}
on_screen() { screen | grep -qE -- "$1"; }
not_on_screen() { ! screen | grep -qE -- "$1"; }
