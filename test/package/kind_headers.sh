#!/usr/bin/env bash
# Headers of the built-in kinds, each by itself, with the warnings that users may have: six of them, other ones each day of the year; with
# KUBECORO_LONG all. Usage: kind_headers.sh SOURCE_DIRECTORY COMPILER INCLUDE_DIRECTORY
set -euo pipefail

source=$1 compiler=$2 generated=$3
mapfile -t headers < <(cd "$generated" && find kubecoro -name '*.hpp' | LC_ALL=C sort)
((${#headers[@]} > 100)) || { echo "only ${#headers[@]} headers in $generated"; exit 1; }

chosen=("${headers[@]}")
if [[ -z ${KUBECORO_LONG:-} ]]; then
    chosen=()
    first=$((10#$(date +%j) * 6))
    for i in {0..5}; do chosen+=("${headers[(first + i) % ${#headers[@]}]}"); done
fi
failed=0
for header in "${chosen[@]}"; do
    echo "#include <$header>" | "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Wsign-conversion -Werror -I"$source/lib/base/include" \
        -I"$source/lib/api/include" -I"$generated" -x c++ - || { echo "not by itself: $header"; failed=1; }
done
echo "${#chosen[@]} of ${#headers[@]} headers"
exit $failed
