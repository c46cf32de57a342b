#!/usr/bin/env bash
# cluster_metrics_diff.sh TOOL OPERATOR [KUBE_STATE_METRICS]: cluster-metrics and kube-state-metrics read the same server, and their
# series are equal, line by line, for all families that cluster-metrics has. Without the third argument kube-state-metrics is built
# from its module. Exit status 77: Go not found.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scrape.sh
. "$(dirname "$0")/scrape.sh"
operator=$2
here=$(dirname "$0")
if [[ $# -lt 3 ]] && ! type -P go >/dev/null; then
    echo "skipped: go not found"
    exit 77
fi
peer=${3:-$work/kube-state-metrics}
[[ -x $peer ]] || (cd "$here/../../bench/peers/kube-state-metrics" &&
    CGO_ENABLED=0 go build -p 2 -mod=readonly -trimpath -buildvcs=false -o "$peer" k8s.io/kube-state-metrics/v2) || die "no peer"

serve --load "$here/../../unit/operators/data/cluster_metrics.yaml"
shown='pods=[app,tier,app.kubernetes.io/partOf],namespaces=[*]'
metrics_of ours --metric-labels-allowlist "$shown"
# shellcheck disable=SC2016 # the inner shell's
start theirs bash -c 'exec "$@" 2>&1' -- "$peer" --kubeconfig "$work/admin" --host 127.0.0.1 --port 0 --telemetry-host 127.0.0.1 \
    --telemetry-port 0 --metric-labels-allowlist "$shown" --v 1
their_port=
while [[ -z $their_port ]]; do
    expect theirs '*"Listening on"*address="127.0.0.1:*'
    candidate=$(sed 's/.*address="127\.0\.0\.1:\([0-9]*\).*/\1/' <<<"$line")
    if [[ $(scrape "$candidate") != *kube_state_metrics_build_info* ]]; then their_port=$candidate; fi
done

# known FILE: the lines of FILE that belong to the families which cluster-metrics has, sorted. Objects in the order of maps are no
# difference, nor are headers of kinds that have no objects.
known() {
    awk 'NR == FNR { if ($2 == "TYPE") known[$3] = 1; next }
        /^# /  { if ($3 in known) print; next }
        { name = $0; sub(/\{.*/, "", name); if (name in known) print }' "$work/ours.txt" "$1" | LC_ALL=C sort
}

# equal WHEN: both have the same series, as soon as both have seen everything.
equal() {
    local i
    for ((i = 0; i < 300; i++)); do
        scrape "$port" >"$work/ours.txt"
        scrape "$their_port" >"$work/theirs.txt"
        known "$work/ours.txt" >"$work/ours.sorted"
        known "$work/theirs.txt" >"$work/theirs.sorted"
        if cmp -s "$work/ours.sorted" "$work/theirs.sorted"; then
            echo "$1: $(grep -vc '^#' "$work/ours.sorted") series of $(grep -c '^# TYPE' "$work/ours.sorted") families are equal"
            return
        fi
        sleep 0.1
    done
    diff "$work/theirs.sorted" "$work/ours.sorted" | head -40 >&2 || true
    die "$1: the series differ"
}

equal 'at the start'
api PATCH /api/v1/namespaces/shop/pods/cart-1/status '{"status":{"phase":"Failed","reason":"Evicted","containerStatuses":[{"name":"main","image":"i","imageID":"","ready":false,"restartCount":1000000,"state":{"waiting":{}},"lastState":{}}]}}'
api PATCH /apis/apps/v1/namespaces/shop/deployments/cart '{"spec":{"replicas":7,"strategy":{"rollingUpdate":{"maxSurge":3,"maxUnavailable":"100%"}}}}'
api PATCH /api/v1/nodes/n1 '{"spec":{"unschedulable":false,"taints":null}}'
# Finalizers keep these: they have times of deletion.
for path in namespaces/shop/pods/old-1 nodes/n2 persistentvolumes/pv-fc namespaces/shop/persistentvolumeclaims/cart-read; do
    api DELETE "/api/v1/$path"
done
api DELETE /api/v1/namespaces/shop/services/cart
api DELETE /apis/batch/v1/namespaces/shop/jobs/broken
api POST /api/v1/namespaces/shop/configmaps '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"later"}}'
api POST /api/v1/namespaces/shop/pods '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bare"},"spec":{"containers":[{"name":"main","image":"quote\"and\\slash"}]}}'
equal 'after changes'
kill "${pid_of[theirs]}"
unset 'pid_of[theirs]'
finish ours TERM
finish serve TERM
