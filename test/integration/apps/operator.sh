#!/usr/bin/env bash
# operator.sh TOOL COPIER: runs the guide's operator as users do, two replicas of it, against the tool's server.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
copier=$2

# The rights that it declares, without a server.
like '*kind: ClusterRole*configmaps*namespaces*namespace: ops*leases*' \
    env -u KUBECONFIG HOME="$work" "$copier" --print-rbac ops
ends 105 '*--print-rbac*name of a namespace*' "$copier" --print-rbac 'Not one'
# Some versions of CLI11 name the variable, some the flag.
ends 105 '*[Ee][Ll][Ee][Cc][Tt][Ii][Oo][Nn]*' env COPIER_LEADER_ELECTION=maybe "$copier"
ends 105 '*[Nn][Aa][Mm][Ee][Ss][Pp][Aa][Cc][Ee]*' env COPIER_NAMESPACE=web,Jobs "$copier"

serve
api POST /api/v1/namespaces '{"metadata":{"name":"web"}}'
api POST /api/v1/namespaces/default/configmaps '{"metadata":{"name":"shared"},"data":{"message":"hello"}}'

# Its service account has these rights, and no others.
"$copier" --print-rbac default >"$work/rights.yaml"
"$tool" apply -f "$work/rights.yaml" --kubeconfig "$work/admin" >/dev/null
api POST /api/v1/namespaces/default/serviceaccounts/copier/token \
    '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}'
account=$(sed -n 's/.*"token":"\([^"]*\)".*/\1/p' "$work/answer")
sed "s|^\( *token:\).*|\1 $account|" "$work/admin" >"$work/account"

# operate NAME: starts a replica with its log as output; the address of its endpoints is in $endpoint.
operate() {
    # shellcheck disable=SC2016 # the inner shell's
    start "$1" bash -c 'exec "$@" 2>&1' -- "$copier" --kubeconfig "$work/account" --log-format json \
        --leader-election-namespace default --metrics-address 0 --health-address 127.0.0.1:0
    expect "$1" '*"url":"http://*'
    endpoint=${line##*\"url\":\"http://}
    endpoint=${endpoint%%[\"/]*}
}
# ready PATTERN: asks the replica at $endpoint whether it is ready.
ready() {
    local answer
    exec {fd}<>"/dev/tcp/${endpoint%:*}/${endpoint##*:}"
    printf 'GET /readyz?verbose HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&"$fd"
    answer=$(cat <&"$fd")
    exec {fd}<&-
    # shellcheck disable=SC2053 # a glob by design
    [[ $answer == $1 ]] || die "readyz: $answer"
}
# shared_in NAMESPACE: the copy, as the server has it.
shared_in() { "$tool" get configmap shared -n "$1" -o json --kubeconfig "$work/admin"; }

operate first
expect first '*"message":"waiting for leadership"*"lease":"copier"*"namespace":"default"*'
expect first '*"message":"ready"*'
ready 'HTTP/1.1 200 *manager ok*'
start watch "$tool" watch configmaps -A -o json --kubeconfig "$work/admin"
expect watch '*"namespace":"web"*'
like '*"message": *"hello"*' shared_in web

# The second replica waits, and takes over when the first one stops in order.
operate second
expect second '*"message":"waiting for leadership"*'
ready 'HTTP/1.1 200 *manager ok*'
finish first TERM
[[ $seen == *'"message":"stopped"'* ]] || die "the first replica did not stop in order: $seen"
expect second '*"message":"ready"*'
api POST /api/v1/namespaces '{"metadata":{"name":"jobs"}}'
expect watch '*"namespace":"jobs"*'
finish second INT

# Without rights it ends at once, and says which.
ends 1 '*the program may not create, update, patch configmaps; *namespaces*Add to the rules of its role: {apiGroups: *' \
    "$copier" --kubeconfig "$work/limited" --no-leader-election --metrics-address 0 --health-address 0
said=$("$copier" --kubeconfig "$work/limited" --no-leader-election --metrics-address 0 --health-address 0 2>&1) || true
[[ $(grep -c 'may not create' <<<"$said") == 1 ]] || die "the failure is not logged once: $said"
finish watch INT
finish serve TERM
