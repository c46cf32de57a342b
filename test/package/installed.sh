#!/usr/bin/env bash
# Installs a finished build into a folder of its own, component by component, and builds a user's programs against it.
# usage: installed.sh BUILD_TREE CONSUMER CMAKE [CMAKE_ARGUMENT..]
set -euo pipefail

build=$1 consumer=$2 cmake=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if grep -lF '"Unspecified"' -r "$build/lib" "$build/apps" --include=cmake_install.cmake; then
    echo "these install files of no component" >&2
    exit 1
fi
install() { # component
    "$cmake" --install "$build" --prefix "$work/prefix" --component "$1" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
}
install library
if find "$work/prefix" -type f -perm -100 ! -name '*.so*' | grep . || [[ -e $work/prefix/bin ]]; then
    echo "the component library has programs" >&2
    exit 1
fi
# The package is found without the tool, and the reason is said where types are to be generated.
if "$cmake" -S "$consumer" -B "$work/without" -DCMAKE_PREFIX_PATH="$work/prefix" "$@" >"$work/without.log" 2>&1; then
    echo "types are generated without a tool" >&2
    exit 1
fi
grep -q "set KUBECORO_TOOL" "$work/without.log" || { cat "$work/without.log"; exit 1; }

install tool
# Moved, so that nothing can find its way back to where it was installed or built.
mv "$work/prefix" "$work/elsewhere"
if grep -rIlF -e "$work/prefix" -e "$build" "$work/elsewhere"; then
    echo "the package remembers where it was made" >&2
    exit 1
fi
bash "$(dirname "$0")/consumers.sh" "$work/elsewhere" "$consumer" "$cmake" "$@"
