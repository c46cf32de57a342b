#!/usr/bin/env bash
# Builds a user's program that has the source tree by FetchContent, and builds its Boost itself. It links the module base alone: few files are
# compiled, and those of the last time are still there.
# usage: fetched.sh SOURCE_TREE CONSUMER BUILD_TREE CMAKE [CMAKE_ARGUMENT..]
set -euo pipefail

source=$1 consumer=$2 build=$3 cmake=$4
shift 4
arguments=(-S "$consumer" -B "$build" -DFETCHCONTENT_SOURCE_DIR_KUBECORO="$source" -DCMAKE_BUILD_TYPE=Debug -DKUBECORO_UNITY=ON "$@")

# Without one of the libraries of Boost the reason is said, and no other Boost is taken for it.
if "$cmake" --fresh "${arguments[@]}" -Dparts='headers;json' >"$build.log" 2>&1; then
    echo "half of a Boost is enough" >&2
    exit 1
fi
grep -q 'this project builds Boost::headers;Boost::json, but not' "$build.log" || { cat "$build.log"; exit 1; }

"$cmake" --fresh "${arguments[@]}"
"$cmake" --build "$build" --target consumer --parallel 2
"$build/consumer"

# Nothing of kubecoro is installed with the project's own programs.
rm -rf "$build/prefix"
"$cmake" --install "$build" --prefix "$build/prefix"
[[ $(cd "$build/prefix" && find . -type f) == ./bin/consumer ]] || { find "$build/prefix" -type f; exit 1; }
