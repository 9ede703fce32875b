#!/usr/bin/env bash
# Builds the program of this folder for one or more Kubernetes minor versions.
#
#   ./build.sh 37 30
#
# Sources, module files and binaries go to $ORACLE_OUT/policies-v<minor>/; the
# binary there is called policies.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
oracle=$here/../oracle
out=${ORACLE_OUT:?set ORACLE_OUT to a folder for sources and binaries}

# patch MINOR prints the module version that stands for a minor version: the list is in the other oracle's script. Of some, only the
# modules of the parts are published.
patch() {
  case $1 in
    34) echo v0.34.1 && return ;;
    35) echo v0.35.1 && return ;;
    36) echo v0.36.1 && return ;;
  esac
  sed -n 's/^versions="\(.*\)"$/\1/p' "$oracle/build.sh" | tr ' ' '\n' | grep "^v0\.$1\." || {
    echo "no version known for minor $1: add it to 'versions' in tests/conformance/oracle/build.sh" >&2
    return 1
  }
}

# module VERSION writes go.mod: k8s.io/kubernetes names its staging modules without versions.
module() {
  local kubernetes=v1.${1#v0.} name
  go mod init policies > /dev/null 2>&1
  go mod edit -go=1.26 -require="k8s.io/kubernetes@$kubernetes"
  go mod download -json "k8s.io/kubernetes@$kubernetes" > download.json
  sed -n 's/^\t\(k8s.io\/[a-z-]*\) => .*/\1/p' "$(sed -n 's/.*"GoMod": "\(.*\)",*/\1/p' download.json)" |
    while read -r name; do
      go mod edit -replace="$name=$name@$1"
    done
  go mod tidy > tidy.log 2>&1
}

for minor in "$@"; do
  version=$(patch "$minor")
  dir=$out/policies-v$minor
  mkdir -p "$dir"
  cp "$here/main.go" "$oracle/docs.go" "$oracle/errs.go" "$dir/"
  (
    cd "$dir"
    grep -qs "k8s.io/kubernetes v1.${version#v0.}" go.sum || { rm -f go.mod go.sum; module "$version"; }
    go build -mod=mod -p 2 -o policies .
  )
  "$dir/policies" version
done
