#!/usr/bin/env bash
# Generates types of the definitions of other projects and compiles them. The modules are fetched through the Go module proxy at the versions of
# modules.txt; nothing of them is kept here. Two of the four are compiled, with KUBECORO_LONG all, by gcc and by clang where it is there.
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

fetch() { # MODULE VERSION: prints the folder
    local answer root
    # Only the files matter: the version of Go that a module demands does not.
    answer=$(cd "$out" && GOFLAGS=-mod=mod go mod download -json "$1@$2" 2>"$out/go.err") || true
    root=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$answer")
    if [[ -z $root ]]; then
        root=$(sed -n 's/^\t"Zip": "\(.*\)",$/\1/p' <<<"$answer")
        [[ -n $root ]] || { sed -n 's/^\t"Error": //p' <<<"$answer"; cat "$out/go.err"; return 1; } >&2
        root=$(go env GOMODCACHE)/$1@$2
        [[ -d $root ]] || { echo "$1@$2 was fetched, but not unpacked to $root" >&2; return 1; }
    fi
    echo "$root"
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

mkdir -p "$out"
count=0
while read -r module version pattern; do
    [[ $module && $module != \#* ]] || continue
    name=project$((++count))
    root=$(fetch "$module" "$version") || exit 3
    files=()
    for file in "$root"/$pattern; do files+=(--crd "$file"); done
    rm -rf "${out:?}/$name"
    "$tool" generate "${files[@]}" --out "$out/$name" --folder "$name"
    # The same again gives the same.
    "$tool" generate "${files[@]}" --out "$out/$name" --folder "$name" --check
    headers=$(find "$out/$name/include" -name '*.hpp' | wc -l)
    ((headers > 2)) || { echo "$module: only $headers headers"; exit 1; }
    compiled=generated
    if ((count <= 2)) || [[ ${KUBECORO_LONG:-} ]]; then compile "$name" && compiled="compiled by ${compilers[*]}"; fi
    echo "$module $version: $((${#files[@]} / 2)) files, $headers headers, $(cat "$out/$name"/src/*.cpp "$out/$name"/include/*/*/*.hpp | wc -l) lines, $compiled"
done <"$here/modules.txt"
((count > 0))
