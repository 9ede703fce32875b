#!/usr/bin/env bash
# Runs a program of an unpacked Debian tree with the tree's own loader and libraries: from-debian.sh TREE nvim|hx ARG...
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
esac
