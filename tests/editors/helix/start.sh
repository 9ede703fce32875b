# Helix in a terminal: sourced by the scripts that drive it, with the arguments DEBIAN_TREE EDITORS_FOLDER FIXTURE_FOLDER.
tree=$1 editors=$2 fixture=$3
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$tests/lib/terminal.sh"

# Opens a file of the fixture with the shipped configuration, and what its page says about messages.
start() { # FILE
  mkdir -p "$home/helix"
  cp "$editors/helix/languages.toml" "$home/helix/"
  cat > "$home/helix/config.toml" <<'T'
[editor]
end-of-line-diagnostics = "hint"
[editor.inline-diagnostics]
cursor-line = "error"
T
  tmux new-session -d -x 160 -y 50 "cd $fixture && env XDG_CONFIG_HOME=$home XDG_CACHE_HOME=$home/cache $tests/lib/from-debian.sh $tree hx $fixture/$1"
}
command_line() { keys ':'; type "$1"; keys Enter; }
go() { command_line "goto $1"; }
# Puts the cursor onto the first match of a pattern.
find() { keys g g; keys /; type "$1"; keys Enter; sleep 0.2; }
# What is saved.
saved() { command_line 'w'; sleep 0.1; grep -qF -- "$2" "$fixture/$1"; }
