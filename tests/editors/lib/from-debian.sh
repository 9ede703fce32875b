#!/usr/bin/env bash
# Runs a program of an unpacked Debian tree with the tree's own loader and libraries: from-debian.sh TREE nvim|hx|emacs|emacsclient ARG...
tree=$1 program=$2
shift 2
lib=$tree/usr/lib/x86_64-linux-gnu
loader=$tree/usr/lib64/ld-linux-x86-64.so.2
case $program in
  nvim)
    export VIMRUNTIME=$tree/usr/share/nvim/runtime
    export LUA_PATH="$tree/usr/share/lua/5.1/?.lua;$tree/usr/share/lua/5.1/?/init.lua;;" LUA_CPATH="$lib/lua/5.1/?.so;;"
    exec "$loader" --library-path "$lib" "$tree/usr/bin/nvim" --cmd "set rtp+=$tree/usr/lib/nvim" "$@" ;;
  hx)
    export HELIX_RUNTIME=$tree/usr/lib/hx/runtime
    exec "$loader" --library-path "$lib" "$tree/usr/bin/hx" "$@" ;;
  emacs)
    share=$(echo "$tree"/usr/share/emacs/[0-9]*) exec=$(echo "$tree"/usr/libexec/emacs/[0-9]*/*-linux-gnu)
    modes=$(printf '%s:' "$tree"/usr/share/emacs/site-lisp/elpa-src/*)
    EMACSLOADPATH=$(find "$share/lisp" -type d -printf '%p:')${modes%:}
    export EMACSLOADPATH EMACSDATA=$share/etc EMACSDOC=$share/etc EMACSPATH=$exec
    exec "$loader" --library-path "$lib" "$tree/usr/bin/emacs-nox" --dump-file="$(echo "$exec"/emacs-*.pdmp)" "$@" ;;
  emacsclient) exec "$loader" --library-path "$lib" "$tree/usr/bin/emacsclient.emacs" "$@" ;;
esac
