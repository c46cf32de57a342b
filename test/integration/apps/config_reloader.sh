#!/usr/bin/env bash
# config_reloader.sh TOOL OPERATOR MANIFESTS: runs the operator as users do, against the tool's server.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scrape.sh
. "$(dirname "$0")/scrape.sh"
operator=$2 manifests=$3

prints "$(cat "$manifests/rbac.yaml")" "$operator" --print-rbac config-reloader
prints "$(cat "$manifests/rbac-one-namespace.yaml")" "$operator" --print-rbac config-reloader --namespace shop

cat >"$work/shop.yaml" <<'YAML'
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: web}
data: {colour: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: web}
data: {p: c3VycHJpc2U=}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: web, annotations: {config-reloader.kubecoro.dev/reload: "true"}}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: main
          image: example.com/shop
          envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: password}}]
YAML
serve --load "$work/shop.yaml"
start watch "$tool" watch deployments -n web -o json --kubeconfig "$work/admin"
expect watch '{"type":"synced","objects":1}'

# operate NAME [FLAGS...]: starts a replica with its log as output; the port of its metrics is in $port.
operate() {
    local name=$1
    shift
    # shellcheck disable=SC2016 # the inner shell's
    start "$name" bash -c 'exec "$@" 2>&1' -- "$operator" --kubeconfig "$work/admin" --log-format json \
        --leader-election-namespace default --metrics-address 127.0.0.1:0 --health-address 0 "$@"
    expect "$name" '*"url":"http://127.0.0.1:*'
    port=${line##*127.0.0.1:}
    port=${port%%[!0-9]*}
}
# outcomes OUTCOME NUMBER: of the replica at $port.
outcomes() { counts config_reloader_outcomes_total outcome "$@"; }

operate first
expect first '*"message":"rolled: first seen"*"object":"web/shop"*'
expect watch '*"config-reloader.kubecoro.dev/checksum":"*'
api PATCH /api/v1/namespaces/web/configmaps/settings '{"data":{"colour":"green"}}'
expect first '*"message":"rolled: referenced contents have changed"*"object":"web/shop"*'
outcomes rolled 1
outcomes adopted 1
finish first TERM

# A change during downtime is detected at the start.
api PATCH /api/v1/namespaces/web/secrets/password '{"data":{"p":"bmV3LXN1cnByaXNl"}}'
operate second -v --namespace web
expect second '*"message":"rolled: referenced contents have changed"*'
[[ $seen != *c3VycHJpc2U* && $seen != *bmV3LXN1cnByaXNl* ]] || die "a secret in the log"
outcomes rolled 1
outcomes adopted 0

# A second replica waits, and takes over.
operate third
expect third '*"message":"waiting for leadership"*'
finish second INT
expect third '*"message":"ready"*'
api PATCH /api/v1/namespaces/web/configmaps/settings '{"data":{"colour":"red"}}'
expect third '*"message":"rolled: referenced contents have changed"*'
finish third TERM

# Without rights it ends, and names all that is missing.
fails '*the program may not *get, list, watch secrets*deployments*' "$operator" --kubeconfig "$work/limited" \
    --metrics-address 0 --health-address 0

fails '*misconfigured: *none*' "$operator" --kubeconfig "$work/none" --metrics-address 0 --health-address 0
for wrong in '--adopt maybe' '--namespace A/b' '--workers 0' '--log-format xml' 'argument'; do
    # shellcheck disable=SC2086 # two words
    if "$operator" --kubeconfig "$work/admin" $wrong >/dev/null 2>"$work/wrong.err"; then die "$wrong was accepted"; fi
done
finish watch INT
finish serve TERM
