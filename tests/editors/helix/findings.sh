#!/usr/bin/env bash
# Opens a broken definition in Helix with the shipped configuration, sees the finding at its place, repairs it by typing, sees it go.
# usage: findings.sh DEBIAN_TREE EDITORS_FOLDER FIXTURE_FOLDER      needs tmux, and crd-analyzer on the PATH
set -euo pipefail
. "$(dirname "$0")/start.sh"
start widgets.crd.yaml
see 'the definition is open' on_screen 'type: text'
see 'the finding is shown' on_screen 'is not a type'
# The next diagnostic is where the word is.
keys ']' d
see 'it is on line 20' on_screen ' 20:2[0-9]'
go 20
keys g l b
sleep 0.2
keys c; type 'string'; keys Escape
see 'the repair is typed' on_screen 'type: string'
see 'the finding goes' not_on_screen 'is not a type'
command_line 'q!'
echo PASS
