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
