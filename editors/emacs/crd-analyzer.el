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

;; Eglot runs one server in a buffer, which is gopls in Go files. With lsp-mode, markers are checked beside it, in projects of kubebuilder.
(declare-function lsp-register-client "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")

(defun crd-analyzer--project-p (folder)
  "Whether FOLDER has a `PROJECT', or a `Makefile' that runs controller-gen."
  (let ((makefile (expand-file-name "Makefile" folder)))
    (or (file-exists-p (expand-file-name "PROJECT" folder))
        (and (file-regular-p makefile)
             (with-temp-buffer
               (insert-file-contents makefile)
               (search-forward "controller-gen" nil t))))))

(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client
    :new-connection (lsp-stdio-connection (lambda () crd-analyzer-command))
    :activation-fn (lambda (_file mode)
                     (and (memq mode '(go-mode go-ts-mode))
                          (locate-dominating-file default-directory #'crd-analyzer--project-p)))
    :add-on? t
    :server-id 'crd-analyzer-go)))

(provide 'crd-analyzer)
;;; crd-analyzer.el ends here
