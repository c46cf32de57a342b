#!/usr/bin/env bash
# Compares the embedded server with the kube-apiserver of `./dev cluster up` over the definitions and objects of a folder.
# Usage: run.sh KUBECORO_TOOL CLUSTER_KUBECONFIG KUBECTL CORPUS [flags of run.py]. Status 3: the corpus is missing.
set -euo pipefail

tool=$1 cluster=$2 kubectl=$3 corpus=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ -f $corpus/definitions.jsonl.zst && -f $corpus/objects.jsonl.zst ]] || exit 3

work=$(mktemp -d)
trap 'kill "${server:-0}" 2>/dev/null || true; rm -rf "$work"' EXIT
mkfifo "$work/ready"
"$tool" serve --empty-namespaces --kubeconfig-out "$work/kubeconfig" >"$work/ready" 2>"$work/log" &
server=$!
exec 3<"$work/ready"
until [[ ${line:-} == *https://* ]]; do # the last line that it prints
    read -r line <&3 || { cat "$work/log"; exit 1; }
done

python3 "$here/run.py" --embedded "$work/kubeconfig" --cluster "$cluster" --kubectl "$kubectl" --corpus "$corpus" --accepted "$here/accepted.txt" "${@:5}"
