#!/usr/bin/env bash
# Builds a user's program that has the source tree as a subdirectory. It links one module: few files are compiled.
# usage: subdirectory.sh SOURCE_TREE CONSUMER CMAKE [CMAKE_ARGUMENT..]
set -euo pipefail

source=$1 consumer=$2 cmake=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" -S "$consumer" -B "$work/build" -DKUBECORO_SOURCE="$source" -DCMAKE_BUILD_TYPE=Debug "$@"
for unwanted in kubecoro_tool test_unit_base; do
    if "$cmake" --build "$work/build" --target help | grep -qw "$unwanted"; then
        echo "as a subdirectory the project offers $unwanted, which only its own developers need" >&2
        exit 1
    fi
done
"$cmake" --build "$work/build" --target consumer --parallel 2
"$work/build/consumer"
