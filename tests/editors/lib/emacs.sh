# A person at Emacs: sourced by the scripts that drive it, after terminal.sh. `tree` is the Debian tree, and `here` the folder of the tests.

# Starts Emacs at a file. Standard input is the beginning of its init file.
start() { # FILE
  cat - > "$home/init.el" <<T
;; The tree's compiler does not find its libraries.
(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)
$(cat)
(require 'server)
(setq server-socket-dir "$home" server-name "person" make-backup-files nil auto-save-default nil create-lockfiles nil
      inhibit-startup-screen t eldoc-echo-area-use-multiline-p nil confirm-kill-emacs nil confirm-kill-processes nil)
(server-start)
(defun test-buffer () (window-buffer (frame-selected-window (car (frame-list)))))
(defun test-codes ()
  (with-current-buffer (test-buffer)
    (mapconcat (lambda (it) (format "%s:%s" (line-number-at-pos (flymake-diagnostic-beg it)) (flymake-diagnostic-text it)))
               (flymake-diagnostics) "\n")))
(defun test-go (text offset)
  (with-current-buffer (test-buffer)
    (goto-char (point-min)) (search-forward text) (goto-char (+ (match-beginning 0) offset))
    (set-window-point (get-buffer-window) (point))))
(defun test-hover () (with-current-buffer (eldoc-doc-buffer) (buffer-string)))
T
  tmux new-session -d -x 160 -y 45 "env HOME=$home $here/lib/from-debian.sh $tree emacs -nw -Q -l $home/init.el $1"
}
at_end() { ask '(kill-emacs)'; }
on_failure() { ask '(with-current-buffer "*Messages*" (buffer-string))'; }
ask() { timeout 5 "$here/lib/from-debian.sh" "$tree" emacsclient -s "$home/person" --eval "$1" 2> /dev/null; }
text_has() { ask "(with-current-buffer (test-buffer) (buffer-substring-no-properties (point-min) (point-max)))" | grep -qF -- "$1"; }
text_lacks() { ! text_has "$1"; }
codes() { ask "(test-codes)"; }
codes_have() { codes | grep -qE "$1"; }
codes_lack() { local all; all=$(codes) && ! grep -qE "$1" <<< "$all"; }
no_codes() { [ "$(codes)" = '""' ] || [ "$(codes)" = nil ]; }
go() { ask "(test-go \"$1\" ${2:-0})" > /dev/null || fail "the cursor goes to $1"; }
meta() { keys M-x; type "$1"; keys Enter; }
hover_has() { ask "(test-hover)" | grep -qE "$1"; }
open() { keys C-x C-f; keys C-a C-k; type "$1"; keys Enter; }
gone() { ! tmux has-session; }
# Emacs is asked nothing while it waits for the server to end.
leave() {
  ask '(dolist (it (buffer-list)) (with-current-buffer it (set-buffer-modified-p nil)))' > /dev/null
  keys C-x C-c
  see 'Emacs ends' gone
}
