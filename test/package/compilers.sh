#!/usr/bin/env bash
# Compilers that are too old are refused in one sentence, by the source tree and by the installed package: a compiler gives itself out for one.
# usage: compilers.sh SOURCE_TREE BUILD_TREE COMPILER CMAKE
set -euo pipefail

source=$1 build=$2 compiler=$3 cmake=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" -DSOURCE_TREE="$source" -P "$source/test/package/compilers.cmake"

mkdir "$work/package" "$work/user"
cp "$build"/lib/package/kubecoro-config*.cmake "$source/lib/package/kubecoro-compiler.cmake" "$work/package"
cat >"$work/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.24)
project(user LANGUAGES CXX)
find_package(kubecoro REQUIRED)
END

refused() { # words macro..
    local words=$1 tree
    shift
    printf '#!/bin/sh\nexec %s -w %s "$@"\n' "$compiler" "$*" >"$work/compiler"
    chmod +x "$work/compiler"
    for tree in "$source" "$work/user"; do
        if "$cmake" --fresh -S "$tree" -B "$work/tree" -DCMAKE_CXX_COMPILER="$work/compiler" -Dkubecoro_DIR="$work/package" >"$work/log" 2>&1; then
            echo "$tree accepts a compiler that is too old: $*" >&2
            exit 1
        fi
        tr -s '\n ' ' ' <"$work/log" | grep -q "kubecoro cannot be compiled by $words" || { cat "$work/log"; exit 1; }
    done
}
refused 'gcc 12.2' -U__clang__ -U__GNUC__ -D__GNUC__=12 -U__GNUC_MINOR__ -D__GNUC_MINOR__=2
refused 'clang 15.0' -U__clang__ -D__clang__=1 -U__clang_major__ -D__clang_major__=15 -U__clang_minor__ -D__clang_minor__=0
