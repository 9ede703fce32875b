#!/usr/bin/env bash
# Writes a definition and a resource in Helix with the shipped configuration: repair, completion, hover, rename.
# usage: features.sh DEBIAN_TREE EDITORS_FOLDER FIXTURE_FOLDER      needs tmux, and crd-analyzer on the PATH
set -euo pipefail
. "$(dirname "$0")/start.sh"
crd=gadgets.crd.yaml cr=one.gadget.yaml
start "$crd"
see 'the definition is open' on_screen 'gadgets.example.com'
go 37
see 'the wrong field is found' on_screen 'is not a property of'

find 'replica <='
keys Space a
see 'the repair is offered' on_screen 'Change replica to replicas'
keys Enter
see 'the field is repaired' saved "$crd" "'self.replicas <= 5 ||"
see 'the finding goes' not_on_screen 'is not a property of'

# In the rule, inside the quotes of YAML.
find "9'"
keys Escape ';'
keys i Right; type ' && self.h'
see 'a field is offered' on_screen 'hosts +field'
see 'also for when it is not there' on_screen 'hosts \(if present\) +field'
keys Tab Enter
see 'it is inserted' on_screen "self.replicas > 9 && self.hosts'"
keys Escape
keys u; sleep 1
for _ in 1 2 3 4; do
  if saved "$crd" "self.replicas > 9'"; then break; fi
  keys u; sleep 1
done
see 'the rule is as it was' saved "$crd" "self.replicas > 9'"

# A key and its value in the schema.
find 'minimum: 0'
keys o; type 'maxi'
see 'a key is offered' on_screen 'maximum'
keys Tab Enter; type '9'; keys Escape
see 'it is inserted and its value typed' saved "$crd" '                  maximum: 9'

find 'replicas:'
keys Space k
see 'the property is explained' on_screen 'How many gadgets there are'
see 'with its bounds' on_screen 'at most 9'
keys Escape
find 'self.replicas <='
keys Escape ';'; keys w; keys Right Right
sleep 0.2
keys Space k
see 'a token of the rule is explained' on_screen 'int'
keys Escape

find 'replicas:'
keys Escape ';'
keys Space r
see 'a name is asked for' on_screen 'rename-to:'
keys C-u; type 'count'; keys Enter
see 'the property is renamed' saved "$crd" '                count:'
for it in 'required: [count]' 'jsonPath: .spec.count' "'self.count <= 5" "self.count > 9'"; do
  see "so is what names it: $it" saved "$crd" "$it"
done
grep -q replicas "$fixture/$crd" && fail 'its old name is gone'

command_line "open $cr"
see 'the resource has the new name' on_screen 'count: 3'
see 'its wrong field is found' on_screen 'is not a (field|property) of'
find 'host:'
keys Space a
see 'the repair is offered' on_screen 'Change host to hosts'
keys Enter
see 'it is repaired' saved "$cr" '  hosts: [a.example]'
see 'its finding goes' not_on_screen 'is not a (field|property) of'
find 'count'
keys Space k
see 'the field is explained by its definition' on_screen 'How many gadgets there are'
keys Escape
# A key right behind Escape would be one with Alt.
see 'the explanation goes' not_on_screen 'How many gadgets there are'
find 'hosts'
keys x c; type '  ho'
see 'the field is offered again' on_screen 'hosts +(field|property)'
keys Tab Enter Escape
see 'it is inserted' saved "$cr" '  hosts:'
command_line 'qa!'
echo PASS
