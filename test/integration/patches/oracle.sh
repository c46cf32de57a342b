#!/usr/bin/env bash
# Compares random patches with those of Kubernetes' own code. Usage: oracle.sh PATCH_PAIRS. Exit status 77: Go not found.
set -euo pipefail

pairs=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
if ! type -P go >/dev/null; then
    echo "skipped: go not found"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$root/test/bench/peers/go" && go build -mod=readonly -o "$work/patches" ./patches)
seed=${KUBECORO_SEED:-1}
if [[ ${KUBECORO_LONG:-} && -z ${KUBECORO_SEED:-} ]]; then seed=$RANDOM; fi
echo "seed $seed; KUBECORO_SEED repeats it"
"$pairs" 5000 "$seed" | "$work/patches"
