#!/usr/bin/env bash
# operators_soak.sh TOOL CLUSTER_METRICS CONFIG_RELOADER WEBSITE [PODS [ROUNDS [CHANGES]]]: the operators over time, in a cluster of PODS pods
# (default 150,000) with 200 Deployments that config-reloader rolls, their ConfigMaps, and 200 Websites. A round changes CHANGES objects
# (default 2,000) that the operator follows, and prints its resident memory. After each fifth of the ROUNDS (default 10) the server is killed
# and restored from a backup: every watch fails, and every informer lists again. Memory after the last of these that is more than a fifth above
# that after the first one is a failure. OPERATORS names some of the three.
# shellcheck source=../integration/apps/common.sh
. "$(dirname "$0")/../integration/apps/common.sh"
declare -A program=([cluster-metrics]=$2 [config-reloader]=$3 [website]=$4)
pods=${5:-150000} rounds=${6:-10} changes=${7:-2000}

# objects NAME COUNT TEMPLATE: lists of COUNT objects in files of that name, each of as many as the server reads of one; # is the number
# of each object.
objects() {
    template=$3 awk -v to="$work/objects/$1" -v count="$2" 'BEGIN {
        pieces = split(ENVIRON["template"], piece, "#")
        for (i = 0; i < count; ++i) {
            if (i % 5000 == 0) {
                if (i) print "]}" >file
                file = sprintf("%s-%06d.json", to, i)
                printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" >file
            }
            text = piece[1]
            for (p = 2; p <= pieces; ++p) text = text i piece[p]
            printf "%s%s", i % 5000 ? "," : "", text >file
        }
        print "]}" >file
    }'
}

mkdir "$work/objects"
"${program[website]}" --print-crd >"$work/objects/a-crd.yaml"
objects config-maps 200 '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings-#","namespace":"web"},"data":{"text":"round 0"}}'
objects deployments 200 '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop-#","namespace":"web","annotations":{"config-reloader.kubecoro.dev/reload":"true"}},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"shop-#"}},"template":{"metadata":{"labels":{"app":"shop-#"}},"spec":{"containers":[{"name":"main","image":"i","envFrom":[{"configMapRef":{"name":"settings-#"}}]}]}}}}'
objects pods "$pods" '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop-#","namespace":"web","labels":{"app":"shop"}},"spec":{"nodeName":"n","containers":[{"name":"main","image":"example.com/shop:1.2.3","resources":{"requests":{"cpu":"250m"}}}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:09Z"}]}}'
objects websites 200 '{"apiVersion":"web.kubecoro.dev/v1","kind":"Website","metadata":{"name":"site-#","namespace":"web"},"spec":{"replicas":1,"pages":{"index.html":"round 0"}}}'

# begin FLAGS...: a server at the address of the former one, if there was one, with its authority.
begin() {
    serve --data "$work/data" --listen "127.0.0.1:${port:-0}" "$@"
    port=${address##*:}
}
# begin_again: the server as it was in the beginning, restored from a backup as etcd advises, with higher resource versions: the state's first
# line has the version.
begin_again() {
    ((++restarts))
    sed "1s/\"resourceVersion\":\"[0-9]*\"/\"resourceVersion\":\"$((restarts * 10000000))\"/" "$work/backup" >"$work/data/state.json"
    begin
}
# kill_server: as if its machine had gone.
kill_server() {
    kill -KILL "${pid_of[serve]}"
    wait "${pid_of[serve]}" 2>/dev/null || true
    unset "pid_of[serve]"
    rm "$work/serve.out"
}

# change NAME ROUND: changes objects that the operator NAME follows, one request after the other.
change() {
    local i
    for ((i = 0; i < changes; i++)); do
        case $1 in
        cluster-metrics) printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop-%d","namespace":"web","annotations":{"round":"%d"}}}\n---\n' $((i % pods)) $(($2 * changes + i)) ;;
        config-reloader) printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings-%d","namespace":"web"},"data":{"text":"round %d"}}\n---\n' $((i % 200)) $(($2 * changes + i)) ;;
        website) printf '{"apiVersion":"web.kubecoro.dev/v1","kind":"Website","metadata":{"name":"site-%d","namespace":"web"},"spec":{"replicas":1,"pages":{"index.html":"round %d"}}}\n---\n' $((i % 200)) $(($2 * changes + i)) ;;
        esac
    done >"$work/changes.yaml"
    "$tool" apply -f "$work/changes.yaml" --force-conflicts --kubeconfig "$work/admin" >/dev/null
}

ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
# rest PID: returns when the process has used no processor time for two seconds.
rest() {
    local last=-1 now
    while now=$(ticks "$1"); ((now > last + 5)); do last=$now; sleep 2; done
}
# listed NAME: how often the operator's informers have listed again.
listed() { grep -c 'listing again' "$work/$1.log" || true; }
# restart NAME INFORMERS: another server at the same address, until all of the operator's informers have listed.
restart() {
    local before tries=0
    before=$(listed "$1")
    kill_server
    begin_again
    until (($(listed "$1") >= before + $2)); do
        ((++tries < 180)) || die "$1: only $(($(listed "$1") - before)) of $2 informers have listed again: $(tail -3 "$work/$1.log")"
        sleep 1
    done
}
resident() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"; }

# soak NAME: all rounds of one operator.
soak() {
    local name=$1 round pid now middle=0 informers
    local flags=(--kubeconfig "$work/admin" --metrics-address 0 --health-address 0)
    case $name in
    cluster-metrics) flags+=(--series-address 0 --resources 'pods,configmaps,deployments') informers=3 ;;
    config-reloader) flags+=(--no-leader-election --adopt record) informers=5 ;;
    website) flags+=(--no-leader-election --webhooks-address 0) informers=4 ;;
    esac
    : >"$work/$name.log"
    "${program[$name]}" "${flags[@]}" >>"$work/$name.log" 2>&1 &
    pid=$!
    pid_of[$name]=$pid
    until grep -q ' ready' "$work/$name.log"; do sleep 0.5; done
    rest "$pid"
    echo "$name: $(resident "$pid") KB after the start"
    for ((round = 1; round <= rounds; round++)); do
        change "$name" "$round"
        if ((round % 5 == 0)); then
            restart "$name" "$informers"
        fi
        rest "$pid"
        now=$(resident "$pid") || die "$name has ended: $(tail -3 "$work/$name.log")"
        echo "$name: $now KB after $((round * changes)) changes$( ((round % 5)) || echo ' and a restore of the server')"
        ((round == 5)) && middle=$now
    done
    ((now <= middle + middle / 5)) || die "$name has grown: $middle KB after the first restore, $now KB at the end"
    kill "$pid"
    wait "$pid" || die "$name ended with $?"
    unset "pid_of[$name]"
}

EXPECT_WITHIN=600 restarts=0
begin --load "$work/objects"
until [[ -e $work/data/state.json ]]; do sleep 1; done
cp "$work/data/state.json" "$work/backup"
for name in ${OPERATORS:-cluster-metrics config-reloader website}; do soak "$name"; done
finish serve TERM
