module crd-analyzer/conformance/goregexp

go 1.26
