#!/usr/bin/env bash
# Builds kubectl from its Go modules and prints the folder that it is in.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${ORACLE_OUT:-$here/../../../target/oracle}/kubectl
command -v go > /dev/null || {
  echo "kubectl is built from Go modules: Go 1.26 is needed" >&2
  exit 1
}
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here" && go build -trimpath -o "$out/kubectl" .) >&2
echo "$out"
