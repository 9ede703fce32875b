#!/usr/bin/env bash
# Builds the conversion webhook from its Go modules and prints its path.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${ORACLE_OUT:-$here/../../../target/oracle}/webhook
command -v go > /dev/null || {
  echo "the webhook is built from Go modules: Go 1.26 is needed" >&2
  exit 1
}
mkdir -p "$out"
out=$(cd "$out" && pwd)
(cd "$here" && go build -trimpath -o "$out/webhook" .) >&2
echo "$out/webhook"
