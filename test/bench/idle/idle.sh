#!/usr/bin/env bash
# The memory of programs that do nothing: an operator with every endpoint and 1,000 objects, and a node agent with the 30 pods
# of its node, both over TLS. Private: pages of this process alone that are not in a file; proportional: Pss.
# usage: idle.sh [BUILD_FOLDER]
set -euo pipefail

bin=${1:-build/release}/bin
folder=$(mktemp -d)
children=()
finish() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT

# Repeats a command until it succeeds, for half a minute at most.
await() {
    for ((i = 0; i < 300; ++i)); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.1
    done
    echo "did not happen: $*" >&2
    return 1
}

report() { # NAME PID TARGET_PRIVATE_KB TARGET_PSS_KB
    awk -v name="$1" -v private="$3" -v proportional="$4" '
        # Pages of a file that the linker has just written are dirty, but no memory of the process.
        /^Pss:/ { pss = $2 } /^Anonymous:/ { own = $2 } /^Private_(Clean|Dirty):/ { alone += $2 } /^Rss:/ { rss = $2 }
        END {
            printf "%s: private %.1f MB", name, own / 1000
            if (private) printf " (target %.0f: %s)", private / 1000, own < private ? "met" : "missed"
            printf ", proportional %.1f MB", pss / 1000
            if (proportional) printf " (target %.0f: %s)", proportional / 1000, pss < proportional ? "met" : "missed"
            printf ", private pages of files %.1f MB, resident %.1f MB\n", (alone - own) / 1000, rss / 1000
        }' "/proc/$2/smaps_rollup"
}

{
    for ((i = 0; i < 970; ++i)); do
        printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: map-%d, namespace: default}\ndata: {key: "%0500d"}\n' "$i" "$i"
    done
    for ((i = 0; i < 30; ++i)); do
        printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: pod-%d, namespace: default, labels: {app: web, track: "%d"}}\n' "$i" "$i"
        printf 'spec: {nodeName: node-1, containers: [{name: main, image: registry.example/web:1.2.3, ports: [{containerPort: 80}]}]}\n'
    done
} >"$folder/objects.yaml"
"$bin/kubecoro" serve --kubeconfig-out "$folder/kubeconfig" --load "$folder/objects.yaml" >"$folder/serve.log" 2>&1 &
children+=($!)
await test -s "$folder/kubeconfig"

"$bin/kubecoro_bench_idle_operator" --kubeconfig "$folder/kubeconfig" --metrics-address 127.0.0.1:18080 \
    --health-address 127.0.0.1:18081 >"$folder/operator.log" 2>&1 &
operator=$!
children+=("$operator")
await curl -fs http://127.0.0.1:18081/readyz
"$bin/kubecoro_bench_idle_agent" "$folder/kubeconfig" node-1 >"$folder/agent.log" 2>&1 &
agent=$!
children+=("$agent")
await grep -q '"pods":30' "$folder/agent.log"
"$bin/kubecoro_bench_idle_agent_shared" "$folder/kubeconfig" node-1 >"$folder/shared.log" 2>&1 &
shared=$!
children+=("$shared")
await grep -q '"pods":30' "$folder/shared.log"
# A scrape and a page, as an operator in use has had; then the memory at rest.
token=$(sed -n 's/^ *token: "\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$folder/kubeconfig" | head -1)
for path in 8080/metrics 8080/debug/informers 8080/dashboard 8081/readyz; do
    curl -fs -o /dev/null -H "Authorization: Bearer $token" "http://127.0.0.1:1$path" ||
        { echo "no answer: $path; the memory of a program that does not serve is not reported" >&2; exit 1; }
done
sleep 3
report operator "$operator" 0 12000
report "node agent" "$agent" 2000 8500
report "its libraries shared with operator and server" "$shared" 2000 8500
