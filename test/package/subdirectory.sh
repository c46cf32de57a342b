#!/usr/bin/env bash
# Builds a user's program that has the source tree as a subdirectory. It links one module: few files are compiled, and those of the last time
# are still there.
# usage: subdirectory.sh SOURCE_TREE CONSUMER BUILD_TREE CMAKE [CMAKE_ARGUMENT..]
set -euo pipefail

source=$1 consumer=$2 build=$3 cmake=$4
shift 4

"$cmake" --fresh -S "$consumer" -B "$build" -DKUBECORO_SOURCE="$source" -DCMAKE_BUILD_TYPE=Debug "$@"
for unwanted in kubecoro_tool test_unit_base; do
    if "$cmake" --build "$build" --target help | grep -qw "$unwanted"; then
        echo "as a subdirectory the project offers $unwanted, which only its own developers need" >&2
        exit 1
    fi
done
"$cmake" --build "$build" --target consumer --parallel 2
"$build/consumer"

# A program that is linked statically is made of the same objects, where the compiler has what that needs.
if echo 'int main() {}' | c++ -static -x c++ -o "$build/empty" - 2>"$build/empty.log"; then
    "$cmake" -S "$consumer" -B "$build" -DKUBECORO_STATIC=ON
    "$cmake" --build "$build" --target consumer | tee "$build/static.log"
    if grep -q 'Building CXX' "$build/static.log"; then
        echo "KUBECORO_STATIC compiles again" >&2
        exit 1
    fi
    if readelf -lW "$build/consumer" | grep -q INTERP; then
        echo "KUBECORO_STATIC had no effect" >&2
        exit 1
    fi
    "$build/consumer"
fi
