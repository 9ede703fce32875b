#!/usr/bin/env bash
# The same requests, sent to the real API server on loopback and answered by us.
#
#     run.sh [N [SEED]]      300 requests and seed 11 if nothing else is said
set -euo pipefail
cd "$(dirname "$0")/../../.."
command -v go > /dev/null || {
  echo "the real API server is built from Go modules: Go 1.26 is needed" >&2
  exit 1
}
# A cluster is asked with kubectl.
kubectl=$(tests/conformance/kubectl/build.sh)
PATH=$kubectl:$PATH exec cargo conformance server "${1:-300}" --seed "${2:-11}"
