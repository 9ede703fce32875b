#!/usr/bin/env bash
# Writes a kubebuilder marker in Helix with the shipped configuration, beside gopls if it is there: repair, then the CRD in step with the types.
# usage: go.sh DEBIAN_TREE EDITORS_FOLDER FIXTURE_FOLDER      needs tmux, and crd-analyzer on the PATH
set -euo pipefail
. "$(dirname "$0")/start.sh"
types=api/v1/order_types.go crd=config/crd/bases/shop.example.com_orders.yaml
start "$types"
see 'the types are open' on_screen 'type OrderSpec struct'

# A rule that names a field which is not there.
find 'price <='
keys c; type 'prise <='; keys Escape
see 'the wrong field is found' on_screen 'is not a property of .?spec'
find 'prise'
keys Space a
see 'the repair is offered' on_screen 'Change prise to price'
keys Enter
see 'the rule is repaired inside its string' saved "$types" 'rule="self.price <= self.limit",message='
see 'the finding goes' not_on_screen 'is not a property of'

# Another rule: the CRD is behind, until it is written again.
find 'price <= self'
keys c; type 'price < self'; keys Escape
see 'the CRD is behind' on_screen 'in the CRD of .?O'
see 'the other rule is saved' saved "$types" 'rule="self.price < self.limit"'
command_line "sh crd-analyzer generate crd ./api/... --output-dir config/crd/bases"
see 'the CRD is written' grep -qF 'rule: self.price < self.limit' "$fixture/$crd"
# Helix tells the language server of Go files of files that it saves, and not of those that others write.
keys Escape
command_line "open $crd"
see 'it is open' on_screen 'orders.shop.example.com'
see 'nothing is wrong with it' not_on_screen 'the CRD of'
command_line 'w'
command_line "open $types"
see 'the types are shown again' on_screen 'type OrderSpec struct'
see 'they are in step' not_on_screen 'the CRD of'
command_line 'qa!'
echo PASS
