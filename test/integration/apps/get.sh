#!/usr/bin/env bash
# get.sh TOOL: the forms and selections of `get`.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

cat >"$work/shop.yaml" <<'YAML'
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: first, namespace: web, labels: {app: shop}, annotations: {"n": "2"}}
data: {text: "a\e[2Jb"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second, namespace: web, annotations: {"n": "1"}}
---
apiVersion: v1
kind: Service
metadata: {name: first, namespace: web}
spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}
YAML
serve --load "$work/shop.yaml"
export KUBECONFIG=$work/admin

like $'NAME *DATA *AGE\nfirst *1 *\nsecond *0 *' "$tool" get cm -n web
like $'NAMESPACE *NAME *DATA *AGE *LABELS\nweb *first *1 * app=shop\nweb *second *0 * <none>' "$tool" get cm -A --show-labels
like $'second *\nfirst *' "$tool" get cm -n web --no-headers --sort-by '.metadata.annotations.n'
like 'first *shop' "$tool" get cm first -n web --no-headers -L app
like $'*configmap/first *\nconfigmap/second *\n\n*service/first *10.0.0.1 *' "$tool" get cm,svc -n web
like $'*SELECTOR\n*first *<none>' "$tool" get svc -n web -o wide
prints $'configmap/first\nservice/first' "$tool" get cm,svc first -n web -o name
prints $'configmap/second\nservice/first' "$tool" get cm/second svc/first -n web -o name
prints 'configmap/first' "$tool" get configmaps -n web -l app=shop -o name
prints 'configmap/second' "$tool" get cm -n web --field-selector metadata.name=second -o name
prints $'first=2\nsecond=1' "$tool" get cm -n web -o 'jsonpath={range .items[*]}{.metadata.name}={.metadata.annotations.n}{"\n"}{end}'
prints $'a\e[2Jb' "$tool" get cm first -n web -o jsonpath=.data.text
like $'{\n    "*"text": "a\\\\u001b\[2Jb"*' "$tool" get cm first -n web -o json
like $'*kind: ConfigMap\n*  name: first\n*  text: "a\\\\u001b\[2Jb"*' "$tool" get cm first -n web -o yaml
like '*kind: List*' "$tool" get cm -n web -o yaml
prints '' "$tool" get cm none -n web --ignore-not-found
like 'service/first*' "$tool" get all -n web -o name
prints '' "$tool" get secrets -n web
[[ $("$tool" get secrets -n web 2>&1) == 'No resources found in namespace web' ]] || die 'silent about nothing'

# A missing name is reported, the others are printed.
fails 'kubecoro: not_found *"none"*' "$tool" get cm first none second -n web -o name
[[ $(cat "$work/stdout") == $'configmap/first\nconfigmap/second' ]] || die "others: $(cat "$work/stdout")"
fails '*"none"*"nothing"*' "$tool" get cm none nothing -n web
fails '*not_found*gizmos*' "$tool" get gizmos
fails '*forbidden*' "$tool" get pods --kubeconfig "$work/limited"
fails '*forbidden*' "$tool" get pods --as nobody --kubeconfig "$work/limited"

misuses '*-A*names*' "$tool" get cm first -A
misuses '*selector*names*' "$tool" get cm first -l a=b
misuses '*-o expects*xml*' "$tool" get cm -o xml
misuses '*JSONPath*' "$tool" get cm -o 'jsonpath={.a'
misuses '*-l*' "$tool" get cm -l 'a in ('
misuses '*TYPE/NAME*' "$tool" get cm/a b
misuses '*RESOURCE*' "$tool" get

# A reader that has enough is no failure; a full disk is one.
# shellcheck disable=SC2016 # the inner shell's
bash -c 'set -o pipefail; "$0" get cm -A -o json | head -c 1 >/dev/null' "$tool" || die 'a closed pipe is no failure'
fails '*standard output*' bash -c '"$0" get cm -A >/dev/full' "$tool"

finish serve TERM
