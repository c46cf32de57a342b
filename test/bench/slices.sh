#!/usr/bin/env bash
# Measures every figure of docs/benchmarks.md in slices, most important first. Run by `./dev bench --all-slices`, which first
# builds the programs. Arguments are passed to each command of the bench: --plan only lists the remaining work and its length.
# Each slice keeps earlier results and saves after every round, so the script can be stopped at any time and continues when
# it is started again. Figures of another commit are put aside.
set -uo pipefail
bench=build/release/bin/kubecoro_bench
results=build/bench/results.json
of=build/bench/results.commit
four=kubecoro/plain,kubecoro/compressed,client-go/protobuf,kube-rs/best
controllers=kubecoro/controller,controller-runtime/controller,kube-rs/controller

commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
mkdir -p build/bench
if [[ $(cat $of 2>/dev/null) != "$commit" ]]; then
    [[ -e $results ]] && mv $results $results.before
    echo "$commit" >$of
fi

arguments=("$@")
slice() {
    echo "== $(date +%H:%M) $*" >&2
    $bench --resume --out $results "$@" "${arguments[@]}" >/dev/null
}

# An hour: each figure that has a target. Five rounds of the main comparisons, fewer of long workloads.
many=(--data small --objects 150000)
slice sync steady read events paced-1000 paced-5000 relist peak "${many[@]}" --cores 1 --subjects $four --rounds 5
slice sync steady queue --data operator --objects 150000 --cores 1 --rounds 5 \
    --subjects kubecoro/plain,client-go/protobuf,controller-runtime/queue,kube-rs/best,$controllers
slice sync paced-1000 paced-5000 "${many[@]}" --cores 1 --subjects $controllers --rounds 3
slice micro --objects 0 --rounds 1
slice steady --data low --objects 20000 --subjects $four,client-go/json --rounds 5
slice sync steady --data custom --objects 50000 --rounds 5 \
    --subjects kubecoro/plain,kubecoro/compressed,client-go/json,client-go/dynamic,kube-rs/best
slice paced-1000 "${many[@]}" --cores 2 --subjects kubecoro/plain,client-go/protobuf --rounds 3
# Two minutes for each subject and round.
slice tail "${many[@]}" --cores 1 --subjects kubecoro/plain,client-go/protobuf,kube-rs/best --rounds 1
slice sync steady events paced-1000 relist peak "${many[@]}" --cores 1 --subjects client-go/json --rounds 2

# Half an hour more: more rounds of long workloads, and figures without targets.
slice sync steady events paced-1000 relist peak "${many[@]}" --cores 1 --subjects client-go/json --rounds 3
slice tail "${many[@]}" --cores 1 --subjects kubecoro/plain,client-go/protobuf,kube-rs/best --rounds 3
slice paced-1000 paced-5000 events "${many[@]}" --cores 1 --subjects floor --rounds 3
slice sync steady events "${many[@]}" --cores 1 --rounds 3 \
    --subjects kubecoro/plain-stripped,kubecoro/compressed-stripped,client-go/protobuf-stripped,kube-rs/best-stripped
slice sync steady events paced-1000 relist --data small --objects 20000 --cores 1 --subjects $four --rounds 5
slice namespaces events --data split --objects 150000 --subjects kubecoro/plain,kubecoro/compressed --rounds 5

[[ ${arguments[*]} == *--plan* ]] || $bench --report-only --out $results --docs docs/benchmarks.md
