#!/usr/bin/env bash
# The layer law of docs/architecture.md as a test: prints file:line and the rule for everything that breaks it.
# usage: layers.sh SOURCE_ROOT
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${1:?usage: layers.sh SOURCE_ROOT}"
bad=0

folders=()
for folder in lib apps test docs/snippets; do
    if [[ -d $folder ]]; then folders+=("$folder"); fi
done
mapfile -t sources < <(find "${folders[@]}" -type f \( -name '*.hpp' -o -name '*.cpp' \) | sort)
if ((${#sources[@]} == 0)); then
    echo "no sources under $PWD" >&2
    exit 2
fi
LC_ALL=C awk -f "$here/rules.awk" "${sources[@]}" || bad=1

# A file that its module's CMakeLists.txt does not list is neither built nor verified nor installed.
for file in lib/*/include/kubecoro/*/*.hpp lib/*/src/*.cpp lib/*/src/*/*.cpp; do
    if [[ -f $file ]] && ! grep -qw -- "$(basename "$file")" "lib/$(cut -d/ -f2 <<<"$file")/CMakeLists.txt" 2>/dev/null; then
        echo "$file:1: is not listed in its module's CMakeLists.txt"
        bad=1
    fi
done

# Nothing in the repository knows the machine that it was written on.
mapfile -t texts < <(find . \( -name .git -o -name build -o -path ./test/lint \) -prune -o -type f -size -1000k -print | sort)
if LC_ALL=C grep -nIE '/(work/(main|shared|\.)|root/|Users/[a-z]+/)' "${texts[@]}" /dev/null |
    sed 's/^\([^:]*:[0-9]*\):\(.*\)/\1: a path of some machine: \2/'; then bad=1; fi

if ((bad)); then echo "the layer law is broken" >&2; fi
exit "$bad"
