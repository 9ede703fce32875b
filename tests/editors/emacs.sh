#!/usr/bin/env bash
# Writes a definition and a resource in Emacs with the shipped configuration: findings, repair, completion, hover, rename.
# usage: emacs.sh DEBIAN_TREE EDITORS_FOLDER FIXTURE_FOLDER      needs tmux, and crd-analyzer on the PATH
set -euo pipefail
tree=$1 editors=$2 fixture=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib/terminal.sh"
. "$here/lib/emacs.sh"

start "$fixture/gadgets.crd.yaml" <<T
(require 'yaml-mode)
(add-to-list 'load-path "$editors/emacs")
(require 'crd-analyzer)
T

see 'the definition is open' on_screen 'gadgets.example.com'
see 'the server is running' ask '(with-current-buffer (test-buffer) (or (eglot-managed-p) (error "not yet")))'
see 'the wrong field is found' codes_have '37:.*is not a property of'
on_screen "self.replica <=" || fail 'the rule is shown'

go 'replica <=' 1
meta eglot-code-actions
see 'what can be done is asked' on_screen '\[eglot\]|Execute|code action'
type 'Change replica to replicas'; keys Enter
see 'the field is repaired' text_has "'self.replicas <= 5 ||"
see 'the finding goes' no_codes

# In the rule, inside the quotes of YAML.
go "replicas > 9'" 12
type ' && self.hos'
see 'a person types in the rule' text_has "self.replicas > 9 && self.hos'"
keys C-M-i
see 'the field is completed' text_has "self.replicas > 9 && self.hosts'"
for _ in $(seq 14); do keys BSpace; done
see 'the rule is as it was' text_has "self.replicas > 9'"

# A key and its value in the schema.
go 'minimum: 0' 10
keys C-j
ask '(with-current-buffer (test-buffer) (delete-horizontal-space) (set-window-point (get-buffer-window) (point)))' > /dev/null
type '                  maxim'
see 'a key is begun' text_has '                  maxim'
keys C-M-i
see 'the key is completed' text_has '                  maximum: '
type '9'
see 'nothing is wrong with it' no_codes

go 'replicas:'
meta eldoc
see 'the property is explained' hover_has 'How many gadgets there are'
go 'self.replicas <=' 6
meta eldoc
see 'the token of the rule is explained' hover_has 'replicas.*int'

go 'replicas:'
meta eglot-rename
see 'a name is asked for' on_screen 'Rename'
keys C-a C-k; type 'count'; keys Enter
see 'the property is renamed' text_has '                count:'
for it in 'required: [count]' 'jsonPath: .spec.count' "'self.count <= 5" "self.count > 9'"; do
  see "so is what names it: $it" text_has "$it"
done
text_lacks replicas || fail 'its old name is gone'
see 'the definition is still right' no_codes

open "$fixture/one.gadget.yaml"
see 'the resource has the new name' text_has '  count: 3'
see 'its wrong field is found' codes_have '7:.*is not a (field|property) of'
go 'host:' 1
meta eglot-code-actions
see 'what can be done is asked' on_screen '\[eglot\]|Execute|code action'
type 'Change host to hosts'; keys Enter
see 'it is repaired' text_has '  hosts: [a.example]'
see 'its finding goes' no_codes
go 'count:'
meta eldoc
see 'the field is explained by its definition' hover_has 'How many gadgets there are'
ask "(with-current-buffer (test-buffer) (search-forward \"hosts\") (delete-region (line-beginning-position) (line-end-position)) (set-window-point (get-buffer-window) (point)))" > /dev/null
type '  ho'
see 'a field is begun again' text_has '  ho'
keys C-M-i
see 'it is completed' text_has '  hosts:'
leave
echo PASS
