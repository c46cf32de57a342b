#!/usr/bin/env bash
# cluster_metrics.sh TOOL OPERATOR: runs cluster-metrics as users do, against the tool's server.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scrape.sh
. "$(dirname "$0")/scrape.sh"
operator=$2
samples=$(dirname "$0")/../../unit/operators/data/cluster_metrics.yaml

prints "$(cat "$(dirname "$0")/../../../apps/operators/cluster-metrics/manifests/rbac.yaml")" "$operator" --print-rbac cluster-metrics

serve --load "$samples"
metrics_of first

# shows PATTERN: scrapes until the text matches the glob.
shows() {
    local text='' i
    for ((i = 0; i < 600; i++)); do
        text=$(scrape "$port")
        # shellcheck disable=SC2053 # a glob by design
        if [[ $text == $1 ]]; then return; fi
        sleep 0.1
    done
    die "no series like $1"
}

# The port opens when everything is there.
text=$(scrape "$port")
[[ $text == *'kube_pod_status_phase{namespace="shop",pod="cart-1",uid="00000000-0000-4000-8000-000000000003",phase="Running"} 1'* ]] ||
    die "no phase of the pod: $text"
[[ $text == *'kube_node_info{node="n1",'*'os_image="Debian \"12\" \\ bookworm"'* ]] || die "no node, or not escaped"
[[ $text != *c3VycHJpc2U* && $text != *surprise* ]] || die "the value of a secret"
[[ $text != *'kube_pod_labels{'* ]] || die "labels that nobody wanted"
names=$(grep '^# TYPE ' <<<"$text" | sort | uniq -d)
[[ -z $names ]] || die "families twice: $names"

api PATCH /api/v1/namespaces/shop/pods/cart-1/status '{"status":{"phase":"Succeeded"}}'
shows '*pod="cart-1",*phase="Succeeded"} 1*'
api DELETE /api/v1/namespaces/shop/configmaps/settings
shows '*kube_secret_info*'
for ((i = 0; i < 600; i++)); do
    [[ $(scrape "$port") != *'configmap="settings"'* ]] && break
    sleep 0.1
done
((i < 600)) || die "a deleted object has series"
finish first TERM

# A part of it, with labels.
metrics_of second --resources pods,nodes --metric-labels-allowlist 'pods=[app,tier]' -n shop
text=$(scrape "$port")
[[ $text == *'kube_pod_labels{namespace="shop",pod="cart-1",uid="00000000-0000-4000-8000-000000000003",label_app="cart",label_tier="front"} 1'* ]] ||
    die "no labels: $text"
[[ $text != *kube_secret* && $text != *kube_deployment* ]] || die "more than wanted"
finish second INT

# The tokens of its own metrics hold for the series too.
metrics_of guarded --metrics-secure
! scrape "$port" 2>"$work/refused" || die 'series without a token'
like '*401*' cat "$work/refused"
token=$(sed -n 's/^ *token: *"\?\([^"]*\)"\?$/\1/p' "$work/admin")
[[ $(scrape "$port" "$token") == *kube_pod_info* ]] || die 'no series with a token'
finish guarded TERM

# Without rights it ends, and names all that is missing.
fails '*the program may not *namespaces*nodes*pods*' "$operator" --kubeconfig "$work/limited" --series-address 0 --metrics-address 0 --health-address 0
fails '*no series of *gadgets*: expected some of configmaps, *pods, *' "$operator" --kubeconfig "$work/admin" --resources gadgets --metrics-address 0 --health-address 0
fails '*pods*: expected RESOURCE=*' "$operator" --kubeconfig "$work/admin" --metric-labels-allowlist pods --metrics-address 0 --health-address 0
finish serve TERM
