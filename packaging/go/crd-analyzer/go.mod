module github.com/crd-analyzer/crd-analyzer/packaging/go/crd-analyzer

go 1.21
