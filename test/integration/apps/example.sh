#!/usr/bin/env bash
# example.sh PROGRAM EXPECTED [cluster]: the example succeeds against the embedded server, or against the cluster of
# KUBECORO_E2E_KUBECONFIG, and its output equals the file.
set -euo pipefail
cluster=()
[ "${3:-}" = cluster ] && cluster=("${KUBECORO_E2E_KUBECONFIG:?names the kubeconfig of the cluster}")
output=$("$1" "${cluster[@]}")
diff "$2" <(printf '%s\n' "$output")
