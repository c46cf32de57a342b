#!/usr/bin/env bash
# cluster_metrics.sh TOOL OPERATOR [PODS [KUBE_STATE_METRICS]]: cluster-metrics beside kube-state-metrics on the same objects: PODS
# pods (default 10,000) with two containers each, a node for every 100 and a ReplicaSet for every 10. Prints, for each of both, memory
# after sync and after scrapes, processor time of the sync, of 2,000 updates and of a scrape, and its time and bytes. One after the other, so that
# they do not share the processor; the server has the other one. For a quiet machine.
# shellcheck source=../integration/apps/common.sh
. "$(dirname "$0")/../integration/apps/common.sh"
operator=$2 pods=${3:-10000} peer=${4:-$work/kube-state-metrics}
here=$(dirname "$0")
type -P curl >/dev/null || { echo "needs curl"; exit 77; }
[[ -x $peer ]] || (cd "$here/peers/kube-state-metrics" &&
    CGO_ENABLED=0 go build -p 2 -mod=readonly -trimpath -buildvcs=false -o "$peer" k8s.io/kube-state-metrics/v2)

# objects COUNT TEMPLATE: a list of COUNT objects; in the template # is the number of each, NODE and SET are those of its node and set.
objects() {
    template=$2 awk -v count="$1" 'BEGIN {
        printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
        for (i = 0; i < count; ++i) {
            text = ENVIRON["template"]
            gsub(/#/, i, text)
            gsub(/NODE/, int(i / 100), text)
            gsub(/SET/, int(i / 10), text)
            printf "%s%s", i ? "," : "", text
        }
        print "]}"
    }'
}

condition() { printf '{"type":"%s","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:09Z"}' "$1"; }
conditions=$(condition Initialized),$(condition Ready),$(condition ContainersReady),$(condition PodScheduled)
container() { printf '{"name":"%s","image":"registry.example.com/shop/%s:1.2.3","env":[{"name":"A","value":"b"},{"name":"C","value":"d"}],"ports":[{"containerPort":8080,"protocol":"TCP"}],"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"250m","memory":"512Mi"}},"volumeMounts":[{"name":"token","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}' "$1" "$1"; }
status_of() { printf '{"name":"%s","state":{"running":{"startedAt":"2026-01-01T00:00:06Z"}},"lastState":{},"ready":true,"restartCount":0,"image":"registry.example.com/shop/%s:1.2.3","imageID":"registry.example.com/shop/%s@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","containerID":"containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","started":true}' "$1" "$1" "$1"; }
mkdir "$work/objects"
# Files are loaded in the order of their names: owners first, or the server's garbage collector removes what they own.
objects "$pods" '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop-SET-#","namespace":"web","generateName":"shop-SET-","labels":{"app":"shop","pod-template-hash":"SET"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"shop-SET","uid":"set-SET","controller":true,"blockOwnerDeletion":true}]},"spec":{"volumes":[{"name":"token","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}}],"defaultMode":420}}],"containers":['"$(container main),$(container side)"'],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","nodeName":"n-NODE","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Running","conditions":['"$conditions"'],"hostIP":"192.0.2.1","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],"startTime":"2026-01-01T00:00:03Z","containerStatuses":['"$(status_of main),$(status_of side)"'],"qosClass":"Burstable"}}' >"$work/objects/pods.json"
objects $(((pods + 99) / 100)) '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n-#"},"spec":{},"status":{"capacity":{"cpu":"8","memory":"32Gi","pods":"110"},"allocatable":{"cpu":"7","memory":"30Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}}' >"$work/objects/nodes.json"
objects $(((pods + 9) / 10)) '{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"shop-#","namespace":"web","uid":"set-#"},"spec":{"replicas":10,"selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}},"spec":{"containers":[{"name":"main","image":"i"}]}}},"status":{"replicas":10,"readyReplicas":10}}' >"$work/objects/a-sets.json"

EXPECT_WITHIN=1200
serve --load "$work/objects"

ticks=$(getconf CLK_TCK)
# used PID: milliseconds of processor time so far.
used() { awk -v t="$ticks" '{ sub(/.*\) /, ""); print int(($12 + $13) * 1000 / t) }' "/proc/$1/stat"; }
memory() { awk '$1 == "VmRSS:" { print int($2 / 1024) }' "/proc/$1/status"; }

# measure NAME PORT: PORT is that of the series.
measure() {
    local name=$1 port=$2 pid=${pid_of[$1]} expected bytes=0 before after i
    expected="pod=\"shop-$(((pods - 1) / 10))-$((pods - 1))\""
    local tries=0
    until curl -s "http://127.0.0.1:$port/metrics" >"$work/text" && grep -q "kube_pod_info.*$expected" "$work/text" &&
        [[ $(grep -c '^kube_pod_info{' "$work/text") == "$pods" ]]; do
        ((++tries < 600)) || die "$name: not all series after 600 scrapes"
        sleep 0.5
    done
    # Scrapes of the wait are not part of the sync: it is measured again, without any, below.
    echo "$name: ready; $(grep -vc '^#' "$work/text") series"
    for i in 1 2 3; do
        before=$(used "$pid")
        bytes=$(curl -s -o /dev/null -w '%{size_download} bytes in %{time_total} s' "http://127.0.0.1:$port/metrics")
        after=$(used "$pid")
        echo "$name: scrape $i: $bytes, $((after - before)) ms of processor time"
    done
    echo "$name: memory after three scrapes: $(memory "$pid") MB"
    before=$(used "$pid")
    # Each pod changes once.
    for ((i = 0; i < pods && i < 2000; i++)); do
        printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop-%d-%d","namespace":"web","annotations":{"round":"%s-%d"}}}\n---\n' $((i / 10)) "$i" "$name" "$RANDOM"
    done >"$work/changes.yaml"
    "$tool" apply -f "$work/changes.yaml" --kubeconfig "$work/admin" >/dev/null
    sleep 2
    after=$(used "$pid")
    echo "$name: $i updates: $((after - before)) ms of processor time"
    kill "$pid"
    wait "$pid" 2>/dev/null || true
    unset "pid_of[$name]"
    rm "$work/$name.out"
}

# sync_of NAME COMMAND...: the processor time until the program has been quiet for ten seconds, without any scrape.
sync_of() {
    local name=$1 last=-1 now
    shift
    "$@" >/dev/null 2>&1 &
    local pid=$!
    while now=$(used "$pid"); ((now != last)); do last=$now; sleep "${QUIET:-10}"; done
    echo "$name: sync: $now ms of processor time, $(memory "$pid") MB"
    kill "$pid"
    wait "$pid" 2>/dev/null || true
}

kinds=pods,nodes,replicasets
ours=("$operator" --kubeconfig "$work/admin" --log-format json --resources "$kinds" --metrics-address 0 --health-address 0 --scrape-timeout 600)
theirs=("$peer" --kubeconfig "$work/admin" --host 127.0.0.1 --telemetry-host 127.0.0.1 --telemetry-port 0 --resources "$kinds" --v 1)
sync_of cluster-metrics "${ours[@]}" --series-address 127.0.0.1:0
sync_of kube-state-metrics "${theirs[@]}" --port 0
# shellcheck disable=SC2016 # the inner shell's
start cluster-metrics bash -c 'exec "$@" 2>&1' -- "${ours[@]}" --series-address 127.0.0.1:0
expect cluster-metrics '*"message":"serving"*'
measure cluster-metrics "$(sed 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/' <<<"$line")"
# shellcheck disable=SC2016 # the inner shell's
start kube-state-metrics bash -c 'exec "$@" 2>&1' -- "${theirs[@]}" --port 0
# It has two ports, in any order. The page of its own metrics is the one that names its build.
while expect kube-state-metrics '*"Listening on"*address="127.0.0.1:*'; do
    port=$(sed 's/.*address="127\.0\.0\.1:\([0-9]*\).*/\1/' <<<"$line")
    curl -s "http://127.0.0.1:$port/metrics" >"$work/page"
    grep -q kube_state_metrics_build_info "$work/page" || break
done
measure kube-state-metrics "$port"
finish serve TERM
