#!/usr/bin/env bash
# Writes kubebuilder markers in Emacs with the shipped configuration and lsp-mode, beside gopls: repair, then the CRD in step with the types.
# usage: emacs-go.sh DEBIAN_TREE EDITORS_FOLDER FIXTURE_FOLDER      needs tmux, gopls, and crd-analyzer on the PATH
set -euo pipefail
tree=$1 editors=$2 fixture=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib/terminal.sh"
. "$here/lib/emacs.sh"
types=$fixture/api/v1/order_types.go crd=$fixture/config/crd/bases/shop.example.com_orders.yaml

start "$types" <<T
(require 'go-mode)
(require 'lsp-mode)
(require 'lsp-modeline)
(require 'lsp-diagnostics)
(add-to-list 'load-path "$editors/emacs")
(require 'crd-analyzer)
(add-hook 'go-mode-hook #'lsp-deferred)
(setq lsp-client-packages '(lsp-go) lsp-auto-guess-root t lsp-auto-execute-action nil lsp-session-file "$home/session" lsp-enable-suggest-server-download nil
      lsp-headerline-breadcrumb-enable nil lsp-lens-enable nil lsp-enable-snippet nil)
T

see 'the types are open' on_screen 'type OrderSpec struct'
servers() { ask '(with-current-buffer (test-buffer) (mapcar (lambda (it) (lsp--workspace-print it)) (lsp-workspaces)))'; }
runs() { servers | grep -qF "$1"; }
see 'the server is running' runs crd-analyzer-go
see 'gopls is running beside it' runs gopls

# A rule that names a field which is not there.
go 'price <= self' 1
keys M-d; type 'rise'
see 'a person types in the rule' text_has 'self.prise <= self.limit'
see 'the wrong field is found' codes_have '6:.*is not a property of'
go 'prise' 1
meta lsp-execute-code-action
see 'what can be done is asked' on_screen 'Select code action'
type 'Change prise to price'; keys Enter
see 'the rule is repaired inside its string' text_has 'self.price <= self.limit'
see 'the finding goes' codes_lack 'is not a property of'

# Another rule: the CRD is behind, until it is written again.
go ' <= self' 3
keys BSpace
see 'another rule is typed' text_has 'self.price < self.limit'
see 'the CRD is behind' codes_have 'the CRD of .?O'
keys C-x C-s
see 'the other rule is saved' grep -qF 'self.price < self.limit' "$types"
keys M-!
see 'a command is asked for' on_screen 'Shell command'
type "cd $fixture && crd-analyzer generate crd ./api/... --output-dir config/crd/bases"; keys Enter
see 'the CRD is written' grep -qF 'rule: self.price < self.limit' "$crd"
see 'they are in step' codes_lack 'the CRD of'
leave
echo PASS
