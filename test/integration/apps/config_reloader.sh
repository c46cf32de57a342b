#!/usr/bin/env bash
# config_reloader.sh TOOL OPERATOR: runs the operator as users do, against the tool's server.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
operator=$2

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

# operate NAME [FLAGS...]: starts the operator with its log as output.
operate() {
    local name=$1
    shift
    # shellcheck disable=SC2016 # the inner shell's
    start "$name" bash -c 'exec "$@" 2>&1' -- "$operator" --kubeconfig "$work/admin" --log-format json "$@"
}

operate first
expect first '*"message":"rolled: first seen"*"object":"web/shop"*'
expect watch '*"config-reloader.kubecoro.dev/checksum":"*'
api PATCH /api/v1/namespaces/web/configmaps/settings '{"data":{"colour":"green"}}'
expect first '*"message":"rolled: referenced contents have changed"*"object":"web/shop"*'
finish first TERM
[[ $seen == *'"message":"stopped","rolled":1,"adopted":1}'* ]] || die "no summary: $seen"

# A change during downtime is detected at the start.
api PATCH /api/v1/namespaces/web/secrets/password '{"data":{"p":"bmV3LXN1cnByaXNl"}}'
operate second -v --namespace web
expect second '*"message":"rolled: referenced contents have changed"*'
[[ $seen != *c3VycHJpc2U* && $seen != *bmV3LXN1cnByaXNl* ]] || die "a secret in the log"
finish second INT
[[ $seen == *'"message":"stopped","rolled":1,"adopted":0}'* ]] || die "no last line: $seen"

# Without rights it logs that, waits for them, and can be stopped.
start limited bash -c 'exec "$@" 2>&1' -- "$operator" --kubeconfig "$work/limited"
expect limited '*forbidden*'
finish limited TERM

fails 'config-reloader: misconfigured: *none*' "$operator" --kubeconfig "$work/none"
for wrong in '--adopt maybe' '--namespace A/b' '--workers 0' '--log-format xml' 'argument'; do
    # shellcheck disable=SC2086 # two words
    if "$operator" --kubeconfig "$work/admin" $wrong >/dev/null 2>"$work/wrong.err"; then die "$wrong was accepted"; fi
done
finish watch INT
finish serve TERM
