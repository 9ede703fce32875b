;;; crd-analyzer.el --- crd-analyzer in Emacs, by eglot -*- lexical-binding: t -*-

;; Emacs 29 and later. Put this file into `load-path' and (require 'crd-analyzer) into the init file: files of YAML and JSON get the server.

;;; Code:

(require 'eglot)

(defgroup crd-analyzer nil
  "What the Kubernetes API server would say about definitions and resources."
  :group 'eglot)

(defcustom crd-analyzer-command '("crd-analyzer" "lsp")
  "The command that starts the server."
  :type '(repeat string))

(defconst crd-analyzer-modes
  '((yaml-mode :language-id "yaml")
    (yaml-ts-mode :language-id "yaml")
    (json-mode :language-id "json")
    (json-ts-mode :language-id "json")
    (js-json-mode :language-id "json"))
  "Modes of manifests, by the language that the server knows them as.")

(add-to-list 'eglot-server-programs
             (cons crd-analyzer-modes (lambda (&rest _) crd-analyzer-command)))

(dolist (mode crd-analyzer-modes)
  (add-hook (intern (format "%s-hook" (car mode))) #'eglot-ensure))

(provide 'crd-analyzer)
;;; crd-analyzer.el ends here
