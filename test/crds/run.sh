#!/usr/bin/env bash
# Generates types of the definitions of other projects and compiles them. The modules are fetched through the Go module proxy at the versions of
# modules.txt; nothing of them is kept here. Two of them are compiled, with KUBECORO_LONG all, by gcc and by clang where it is there.
# Usage: run.sh SOURCE_DIRECTORY KUBECORO_TOOL KINDS_INCLUDE_DIRECTORY OUT
set -euo pipefail

source=$1 tool=$2 kinds=$3 out=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
compilers=(g++)
if [[ ${KUBECORO_LONG:-} ]]; then
    for name in clang++-16 clang++; do
        if command -v "$name" >/dev/null; then compilers+=("$name") && break; fi
    done
fi

# User and system CPU that a file may cost which includes the largest header, without optimisation.
most_seconds=3

within_budget() { # FOLDER: includes its largest header, and prints what that costs
    local header compiler seconds TIMEFORMAT='%U %S'
    header=$(cd "$out/$1/include" && find . -name '*.hpp' -printf '%s %P\n' | sort -rn | sed -n '1s/.* //p')
    for compiler in "${compilers[@]}"; do
        seconds=$({ time CCACHE_DISABLE=1 "$compiler" -std=c++20 -O0 -w -I"$source/lib/base/include" -I"$source/lib/api/include" -I"$kinds" \
            -I"$out/$1/include" -c -x c++ - -o "$out/header.o" <<<"#include <$header>" 2>"$out/header.log"; } 2>&1) ||
            { cat "$out/header.log" >&2; return 1; }
        seconds=$(awk '{ print $1 + $2 }' <<<"$seconds")
        echo "$compiler: a file with $header costs $seconds s of CPU, at most $most_seconds are allowed"
        awk "BEGIN { exit !($seconds <= $most_seconds) }" || return 1
    done
}

compile() { # FOLDER: each source by each compiler
    local file compiler
    for file in "$out/$1"/src/*.cpp; do
        for compiler in "${compilers[@]}"; do
            "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wsign-conversion -Werror -I"$source/lib/base/include" \
                -I"$source/lib/api/include" -I"$kinds" -I"$out/$1/include" "$file"
        done
    done
}

"$here/fetch.sh" "$out"
count=0
for folder in "$out"/definitions/*; do
    name=$(basename "${folder%-v*}")
    ((++count))
    files=("$folder"/*)
    rm -rf "${out:?}/$name"
    "$tool" generate --crd "$folder" --out "$out/$name" --folder "$name"
    # The same again gives the same.
    "$tool" generate --crd "$folder" --out "$out/$name" --folder "$name" --check
    headers=$(find "$out/$name/include" -name '*.hpp' | wc -l)
    ((headers > 2)) || { echo "$name: only $headers headers"; exit 1; }
    compiled=generated
    case $name in
    gateway_api | cert_manager) wanted=1 ;;
    *) wanted=${KUBECORO_LONG:-} ;;
    esac
    if [[ $wanted ]]; then compile "$name" && compiled="compiled by ${compilers[*]}"; fi
    if [[ $name == argo_workflows ]]; then within_budget "$name"; fi
    echo "$(basename "$folder"): ${#files[@]} files, $headers headers, $(cat "$out/$name"/src/*.cpp "$out/$name"/include/*/*/*.hpp | wc -l) lines, $compiled"
done
((count > 0))
