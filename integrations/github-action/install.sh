#!/usr/bin/env bash
# Downloads the program of INPUT_VERSION, compares its checksum, and puts it on the path of the next steps.
set -euo pipefail
version=$INPUT_VERSION
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
  echo "::error::the input version must be three numbers, such as 0.1.0"
  exit 2
fi
case $RUNNER_OS-$RUNNER_ARCH in
  Linux-X64) target=x86_64-unknown-linux-musl ;;
  Linux-ARM64) target=aarch64-unknown-linux-musl ;;
  macOS-X64) target=x86_64-apple-darwin ;;
  macOS-ARM64) target=aarch64-apple-darwin ;;
  Windows-X64) target=x86_64-pc-windows-msvc ;;
  Windows-ARM64) target=aarch64-pc-windows-msvc ;;
  *) echo "::error::crd-analyzer has no build for $RUNNER_OS on $RUNNER_ARCH"; exit 2 ;;
esac
case $RUNNER_OS in Windows) extension=zip ;; *) extension=tar.gz ;; esac
downloads=${CRD_ANALYZER_DOWNLOADS:-https://github.com/crd-analyzer/crd-analyzer/releases/download/v$version}
name=crd-analyzer-$version-$target
folder=$RUNNER_TEMP/crd-analyzer-$version
mkdir -p "$folder"
cd "$folder"
for file in SHA256SUMS "$name.$extension"; do
  curl --silent --show-error --fail --location --retry 3 --output "$file" "$downloads/$file"
done
# macOS has shasum, and the others have sha256sum.
sum() { if command -v sha256sum > /dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }
wanted=$(awk -v file="$name.$extension" '$2 == file { print $1 }' SHA256SUMS)
if [ -z "$wanted" ] || [ "$(sum "$name.$extension")" != "$wanted" ]; then
  echo "::error::the checksum of $name.$extension is wrong"
  exit 3
fi
case $extension in
  zip) unzip -q -o "$name.zip" ;;
  *) tar -xzf "$name.tar.gz" ;;
esac
echo "$folder/$name" >> "$GITHUB_PATH"
