#!/usr/bin/env bash
# The rooms of a module, the folders of its src, are strata: each includes only rooms before it in the ROOMS of the module's CMakeLists.txt.
# Prints file:line and the rule for everything that breaks this.
# usage: rooms.sh SOURCE_ROOT
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${1:?usage: rooms.sh SOURCE_ROOT}"
mapfile -t sources < <(find lib/*/src -mindepth 2 -type f \( -name '*.hpp' -o -name '*.cpp' \) | sort)
if ((${#sources[@]} == 0)); then
    echo "no rooms under $PWD" >&2
    exit 2
fi
if ! LC_ALL=C awk -f "$here/rooms.awk" lib/*/CMakeLists.txt "${sources[@]}"; then
    echo "the rooms of a module include each other in a circle, or would soon" >&2
    exit 1
fi
