# For the Makefile of a kubebuilder project: copy this file, and write `include crd-analyzer.mk`.
# `make lint-crds` checks the CRDs that controller-gen wrote. The first run downloads the program, and Go checks its module.

LOCALBIN ?= $(CURDIR)/bin
CRD_ANALYZER_VERSION ?= v0.1.0
CRD_ANALYZER ?= $(LOCALBIN)/crd-analyzer-$(CRD_ANALYZER_VERSION)
CRD_ANALYZER_PATHS ?= config/crd

.PHONY: lint-crds
lint-crds: $(CRD_ANALYZER) ## Check CRDs as the API server does.
	"$(CRD_ANALYZER)" check $(CRD_ANALYZER_PATHS)

$(CRD_ANALYZER):
	mkdir -p "$(LOCALBIN)"
	GOBIN="$(LOCALBIN)" go install github.com/crd-analyzer/crd-analyzer/packaging/go/crd-analyzer@$(CRD_ANALYZER_VERSION)
	mv "$(LOCALBIN)/crd-analyzer" "$(CRD_ANALYZER)"
