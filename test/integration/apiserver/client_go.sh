#!/usr/bin/env bash
# Runs client-go against `kubecoro serve`. Usage: client_go.sh KUBECORO_BINARY. Exit status 77: Go not found.
set -euo pipefail

tool=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
if ! type -P go >/dev/null; then
    echo "skipped: go not found"
    exit 77
fi
work=$(mktemp -d)
server=
finish() {
    [[ -z $server ]] || kill "$server"
    wait
    rm -rf "$work"
}
trap finish EXIT

(cd "$root/test/bench/peers/go" && go build -mod=readonly -o "$work/" ./embedded ./extracts)
"$tool" serve -v --empty-namespaces --kubeconfig-out "$work/kubeconfig" >"$work/serve.log" 2>&1 &
server=$!
for ((i = 0; i < 1200; i++)); do
    [[ -s $work/kubeconfig ]] && break
    sleep 0.1
done
"$work/embedded" "$work/kubeconfig" || { tail -20 "$work/serve.log"; exit 1; }
# The unit tests compare our extraction with client-go's by these lines.
"$work/extracts" "$work/kubeconfig" | diff "$root/test/unit/client/data/extracted.jsonl" -
