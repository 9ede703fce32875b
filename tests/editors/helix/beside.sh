#!/usr/bin/env bash
# Beside yaml-language-server, with what the page of Helix says, each syntax error is shown once.
# usage: beside.sh DEBIAN_TREE EDITORS_FOLDER FIXTURE_FOLDER      needs tmux, crd-analyzer on the PATH, and CRD_ANALYZER_YAML_SERVER
set -euo pipefail
. "$(dirname "$0")/start.sh"
mkdir -p "$home/bin"
printf '#!/bin/sh\nexec %s\n' "$CRD_ANALYZER_YAML_SERVER" > "$home/bin/yaml-language-server"
chmod +x "$home/bin/yaml-language-server"
export PATH=$home/bin:$PATH
ours='cannot begin with this character' theirs='cannot start with reserved character'

# As shipped: both servers say it.
start widgets.crd.yaml
see 'the finding is shown' on_screen 'is not a type'
broken() { find 'kind: Widget'; keys g h O; type '@x: 1'; keys Escape; }
broken
see 'we say it' on_screen "$ours"
see 'they say it' on_screen "$theirs"
command_line 'q!'
# The server may end by itself, because the editor was the last program in it.
tmux kill-server 2> /dev/null || true
sleep 1

# With the block of the page.
shipped=$editors
mkdir -p "$home/editors/helix"
block=$(awk '/^# nothing twice$/ { inside = 1 } /^```$/ { inside = 0 } inside' "$shipped/helix/README.md")
[ -n "$block" ] || fail 'the page says how to see nothing twice'
{ cat "$shipped/helix/languages.toml"; echo "$block"; } > "$home/editors/helix/languages.toml"
editors=$home/editors
start widgets.crd.yaml
see 'the finding is shown again' on_screen 'is not a type'
broken
see 'they say it still' on_screen "$theirs"
sleep 2
see 'we leave it to them' not_on_screen "$ours"
command_line 'q!'
echo PASS
