#!/usr/bin/env bash
# Public headers, each by itself and with the modules alone that its own may include: a third of them, another each day of the year; with
# KUBECORO_LONG all. Usage: headers.sh BUILD_TREE
set -euo pipefail

build=$1
mapfile -t objects < <(ninja -C "$build" -t targets all | sed -n 's/^\([^:]*_verify_interface_header_sets[^:]*\.o\):.*/\1/p' | LC_ALL=C sort)
((${#objects[@]} > 100)) || { echo "only ${#objects[@]} headers"; exit 1; }
chosen=("${objects[@]}")
if [[ -z ${KUBECORO_LONG:-} ]]; then
    chosen=()
    for ((i = 10#$(date +%j) % 3; i < ${#objects[@]}; i += 3)); do chosen+=("${objects[i]}"); done
fi
ninja -C "$build" "${chosen[@]}"
echo "${#chosen[@]} of ${#objects[@]} headers"
