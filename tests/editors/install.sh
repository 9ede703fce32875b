#!/usr/bin/env bash
# Installs the editors that the tests drive, from package registries only, into a folder of their own.
#
#     tests/editors/install.sh DIR
#
# VS Code: code-server (the same workbench) from npm with Debian's Chromium. Neovim, Helix and Emacs: Debian's packages, unpacked into DIR
# with their own libraries, so that nothing of the host is touched. yaml-language-server, to be beside, comes from npm, and the protocol's
# meta-model from the source of Debian's lsprotocol. What is there already is left as it is.
set -euo pipefail
dir=$(mkdir -p "${1:?usage: install.sh DIR}" && cd "$1" && pwd)
# Sessions of several editors may start at the same time: one installs, the others wait.
exec 9> "$dir/.lock"
flock 9
code_server=4.100.3
yaml_server=2.0.0
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

need=()
for pair in chromium:chromium rg:ripgrep tmux:tmux make:make g++:g++ python3:python3 gopls:gopls; do
  command -v "${pair%%:*}" > /dev/null || need+=("${pair#*:}")
done
[ -e /usr/include/gssapi/gssapi.h ] || need+=(libkrb5-dev)
if [ ${#need[@]} -gt 0 ]; then
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${need[@]}"
fi

# Reads the lists of a Debian suite into a folder of their own, and makes `options` of apt-get that use them.
look_into() { # SUITE FOLDER deb|deb-src
  local apt=$2 mirror
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,state}
  # The mirror that this machine uses already.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | grep -m 1 '/debian/*$')
  echo "$3 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" > "$apt/sources.list"
  touch "$apt/state/status"
  options=(-o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$apt/lists"
    -o Dir::Cache="$apt/cache" -o Dir::State::status="$apt/state/status" -o APT::Sandbox::User=root -o Debug::NoLocking=1)
  apt-get -q "${options[@]}" update
}

# Unpacks packages of a Debian suite, with everything they depend on, into a folder.
unpack() { # SUITE FOLDER PACKAGE...
  local suite=$1 folder=$2; shift 2
  [ "$(cat "$folder/.complete" 2> /dev/null)" = "$*" ] && return
  local apt=$folder.apt
  mkdir -p "$folder"
  look_into "$suite" "$apt" deb
  apt-get -q "${options[@]}" install -y --no-install-recommends --download-only "$@"
  local package
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
  echo "$*" > "$folder/.complete"
}
unpack trixie "$dir/trixie" neovim hx
unpack sid "$dir/sid" neovim
unpack trixie "$dir/emacs" emacs-nox elpa-yaml-mode elpa-go-mode elpa-lsp-mode

if [ ! -e "$dir/meta-model.json" ]; then
  look_into sid "$dir/sources.apt" deb-src
  (cd "$dir/sources.apt" && apt-get -q "${options[@]}" source --download-only --tar-only lsprotocol)
  tar xzOf "$dir"/sources.apt/lsprotocol_*.orig.tar.gz --wildcards '*/generator/lsp.json' > "$dir/meta-model.tmp"
  mv "$dir/meta-model.tmp" "$dir/meta-model.json"
fi

if [ ! -e "$dir/yaml-server/.complete" ]; then
  mkdir -p "$dir/yaml-server"
  (cd "$dir/yaml-server" && { [ -f package.json ] || npm init -y > /dev/null; } && npm install --no-audit --no-fund "yaml-language-server@$yaml_server")
  touch "$dir/yaml-server/.complete"
fi

if [ ! -e "$dir/code-server/.complete" ]; then
  mkdir -p "$dir/code-server"
  (
    cd "$dir/code-server"
    export npm_config_loglevel=error npm_config_audit=false npm_config_fund=false npm_config_nodedir="${NODEDIR:-/usr}" JOBS=2
    [ -f package.json ] || npm init -y > /dev/null
    npm install "code-server@$code_server" playwright-core --ignore-scripts
    npm rebuild argon2
    cd node_modules/code-server/lib/vscode
    npm install --omit=dev --ignore-scripts
    (cd extensions && npm install --omit=dev --ignore-scripts)
    npm rebuild @vscode/spdlog native-watchdog @vscode/deviceid || true # each has a fallback when it is missing
    npm rebuild node-pty || test -f node_modules/node-pty/build/Release/pty.node # only its last step, for another system, fails
    mkdir -p node_modules/@vscode/ripgrep/bin
    ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg # its own install step downloads one
    ln -sfn node_modules node_modules.asar
    ln -sf code-linux.sh bin/remote-cli/code-server
    ln -sf browser-linux.sh bin/helpers/browser.sh
  )
  touch "$dir/code-server/.complete"
fi
echo "editors are in $dir"
