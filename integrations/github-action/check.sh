#!/usr/bin/env bash
# Checks INPUT_PATHS with annotations, and writes SARIF if a file is named.
set -euo pipefail
arguments=(check --output github --fail-on "$INPUT_FAIL_ON")
if [ -n "$INPUT_KUBERNETES_VERSION" ]; then arguments+=(--kubernetes-version "$INPUT_KUBERNETES_VERSION"); fi
if [ -n "$INPUT_OLD_REF" ]; then arguments+=(--old-ref "$INPUT_OLD_REF" --compat); fi
if [ -n "$INPUT_SARIF_FILE" ]; then
  arguments+=(--output "sarif=$INPUT_SARIF_FILE")
  # A line break in a value would begin another output.
  printf 'sarif-file=%s\n' "${INPUT_SARIF_FILE//[$'\r\n']/}" >> "$GITHUB_OUTPUT"
fi
arguments+=(--)
while IFS= read -r path; do
  if [ -n "$path" ]; then arguments+=("$path"); fi
done <<< "$INPUT_PATHS"
exec crd-analyzer "${arguments[@]}"
