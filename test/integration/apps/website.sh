#!/usr/bin/env bash
# website.sh TOOL OPERATOR MANIFESTS: runs the operator of websites as users do, against a server that plays a cluster.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
operator=$2 manifests=$3

prints "$(cat "$manifests/crd.yaml")" "$operator" --print-crd
prints "$(cat "$manifests/rbac.yaml")" "$operator" --print-rbac website
prints "$(cat "$manifests/webhooks.yaml"; echo ---; cat "$manifests/rbac.yaml")" "$operator" --print-webhooks website

serve --live
like '*websites.web.kubecoro.dev*' "$tool" apply -f "$manifests/crd.yaml" --kubeconfig "$work/admin"
# shellcheck disable=SC2016 # the inner shell's
start operate bash -c 'exec "$@" 2>&1' -- "$operator" --kubeconfig "$work/admin" --log-format json \
    --leader-election-namespace default --metrics-address 0 --health-address 127.0.0.1:0 --webhooks-address 127.0.0.1:0
expect operate '*"message":"ready"*'

cat >"$work/blog.yaml" <<'YAML'
apiVersion: web.kubecoro.dev/v1
kind: Website
metadata: {name: blog, namespace: default}
spec: {replicas: 2, pages: {index.html: hello}}
YAML
start watch "$tool" watch websites.web.kubecoro.dev -n default -o json --kubeconfig "$work/admin"
like '*blog*' "$tool" apply -f "$work/blog.yaml" --kubeconfig "$work/admin"
expect watch '*"message":"2 of 2 pods are ready"*'
like '*http://blog.default.svc*' "$tool" get websites.web.kubecoro.dev -n default --kubeconfig "$work/admin"
api PATCH /apis/web.kubecoro.dev/v1/namespaces/default/websites/blog/scale '{"spec":{"replicas":3}}'
expect watch '*"message":"3 of 3 pods are ready"*'
api DELETE /apis/web.kubecoro.dev/v1/namespaces/default/websites/blog
expect watch '*"type":"delete*'
finish operate TERM
finish watch INT
finish serve TERM
