#!/usr/bin/env bash
# tool.sh TOOL: the verbs that work on objects against the kube-apiserver of KUBECORO_E2E_KUBECONFIG, with its exit status, and
# tables beside those of KUBECORO_E2E_KUBECTL. The server has no controllers and no nodes.
# shellcheck source=../integration/apps/common.sh
. "$(dirname "$0")/../integration/apps/common.sh"

export KUBECONFIG=${KUBECORO_E2E_KUBECONFIG:?names the kubeconfig of the cluster}
ns=tool-$$-$RANDOM
group=tool$$-$RANDOM.example.com

cat >"$work/shop.yaml" <<YAML
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, labels: {app: shop}}
spec: {size: 3}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: shop}}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: main, image: example.com/web}, {name: side, image: i}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: one, labels: {app: shop}}
spec: {containers: [{name: main, image: example.com/web}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: shop}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {p: s3cret}
---
apiVersion: v1
kind: Namespace
metadata: {name: $ns}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.$group}
spec:
  group: $group
  names: {kind: Widget, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}, {name: App, type: string, priority: 1, jsonPath: .metadata.labels.app}]
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, description: How it is, properties: {size: {type: integer, description: How large}}}}}}
YAML
sed -i "s|^apiVersion: example.com/v1|apiVersion: $group/v1|" "$work/shop.yaml"

t() { "$tool" "$@" -n "$ns"; }

# apply: definitions and namespaces first, then all else; again, it changes nothing.
applied="customresourcedefinition.apiextensions.k8s.io/widgets.$group applied
namespace/$ns applied
widget.$group/w applied
deployment.apps/web applied
pod/one applied
service/web applied
configmap/settings applied
secret/password applied"
prints "$applied" t apply -f "$work/shop.yaml"
version=$(t get deploy web -o jsonpath=.metadata.resourceVersion)
prints "$applied" t apply -f "$work/shop.yaml"
prints "$version" t get deploy web -o jsonpath=.metadata.resourceVersion
prints 'configmap/none applied (server dry run)' t apply --dry-run=server -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"none"}}'
fails '*not_found*"none"*' t get cm none

# A conflict names field and manager, with the words of the server; --force-conflicts settles it.
map='{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"colour":"red"}}'
fails 'kubecoro: conflict: configmap/settings has fields of others; --force-conflicts takes them over*.data.colour: conflict with "kubecoro"*' \
    t apply --server-side --field-manager other -f - <<<"$map"
prints 'configmap/settings applied' t apply --server-side --field-manager other --force-conflicts -f - <<<"$map"
fails '*invalid*pod/one*' t apply --field-manager other --force-conflicts -f - <<<'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"one"},"spec":{"hostNetwork":true}}'
fails '*.dta: field not declared in schema*' t apply -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"dta":{}}'

# Tables: the columns and rows that kubectl prints, but for ages.
kubectl() { "${KUBECORO_E2E_KUBECTL:?names kubectl}" "$@"; }
plain() { awk '{$1 = $1} 1' | sed -E 's/\b([0-9]+[dhms])+\b/AGE/g'; }
same_table() {
    local ours theirs
    ours=$("$tool" "$@" | plain) || die "$*: failed"
    theirs=$(kubectl "$@" | plain) || die "kubectl $*: failed"
    [[ -n $ours && $ours == "$theirs" ]] || die "$*: $(diff <(echo "$ours") <(echo "$theirs"))"
}
for kind in pods deployments services configmaps secrets widgets."$group"; do
    same_table get "$kind" -n "$ns"
    same_table get "$kind" -n "$ns" -o wide --show-labels
done
same_table get pods,services -n "$ns"
same_table get pod one -n "$ns" -L app
same_table get namespaces --no-headers --sort-by .metadata.name
same_table get crd
same_table get deploy web -n "$ns" -o name
same_table get clusterroles --sort-by .metadata.name
same_table get namespaces -l 'kubernetes.io/metadata.name in (default,kube-system)' -o name

# JSONPath, as kubectl prints it.
same_path() {
    local ours theirs
    ours=$(t get "$1" -o "jsonpath=$2") || die "$2: failed"
    theirs=$(kubectl get "$1" -n "$ns" -o "jsonpath=$2") || die "kubectl: $2: failed"
    [[ $ours == "$theirs" && -n $ours ]] || die "$2: \"$ours\" in place of \"$theirs\""
}
same_path deploy/web '{.spec.template.spec.containers[*].name}'
same_path deploy/web '{.spec.template.spec.containers[?(@.name=="side")].image}'
same_path deploy/web '{range .spec.template.spec.containers[*]}{.name}={.image}{"\n"}{end}'
same_path deploy '{.items[-1:].metadata.labels}'
same_path deploy/web "{.metadata.labels['app']} {..image}"

like "*$ns*" "$tool" get ns -o yaml
like '*synced: 1 objects' t watch widgets."$group" --once

# wait, and the rows of a watch.
patch() { kubectl patch cm settings -n "$ns" --type merge -p "$1" >/dev/null || die "not patched: $1"; }
prints 'deployment.apps/web condition met' t wait deploy web --for 'jsonpath={.spec.replicas}=2'
fails '*timed_out*' t wait deploy web --for condition=Available --timeout 300ms
start rows "$tool" get cm settings -n "$ns" -w
expect rows 'NAME *DATA *AGE'
expect rows 'settings *1 *'
patch '{"data":{"more":"1"}}'
expect rows 'settings *2 *'
kill -INT "${pid_of[rows]}"
wait "${pid_of[rows]}" && die 'a watch that was interrupted'
unset 'pid_of[rows]'

# delete waits for finalizers, and names them.
patch '{"metadata":{"finalizers":["example.com/hold"]}}'
fails '*configmap/settings is deleted, but not gone*example.com/hold*' t delete cm settings --timeout 500ms
start held "$tool" delete cm settings -n "$ns"
expect held 'configmap/settings deleted'
start gone "$tool" wait cm settings -n "$ns" --for delete --timeout 30s
patch '{"metadata":{"finalizers":null}}'
wait "${pid_of[held]}" || die 'delete did not end with the object'
expect gone 'configmap/settings is gone'
wait "${pid_of[gone]}" || die 'wait did not end with the object'
unset 'pid_of[held]' 'pid_of[gone]'
prints 'pod/one deleted' t delete pod one --now
prints 'secret/password deleted (server dry run)' t delete secret password --dry-run
fails '*not_found*' t delete cm none
misuses '*which cm*' t delete cm

# Without rights.
if [[ -n ${KUBECORO_E2E_LIMITED_KUBECONFIG:-} ]]; then
    fails '*forbidden*' "$tool" get pods -n "$ns" --kubeconfig "$KUBECORO_E2E_LIMITED_KUBECONFIG"
    fails '*forbidden*' "$tool" apply -n "$ns" -f - --kubeconfig "$KUBECORO_E2E_LIMITED_KUBECONFIG" <<<"$map"
fi

# The namespace goes last. No controller empties it here: this script does, and finishes it.
t delete -f "$work/shop.yaml" --ignore-not-found --no-wait >/dev/null 2>&1 || true
start last "$tool" wait ns "$ns" --for delete --timeout 60s
kubectl get --raw "/api/v1/namespaces/$ns" | sed 's/"finalizers":\["kubernetes"\]/"finalizers":[]/' |
    kubectl replace --raw "/api/v1/namespaces/$ns/finalize" -f - >/dev/null || true
expect last "namespace/$ns is gone"
wait "${pid_of[last]}" || die 'the namespace is not gone'
unset 'pid_of[last]'
prints '' "$tool" get crd "widgets.$group" --ignore-not-found -o name
