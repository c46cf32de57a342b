#!/usr/bin/env bash
# Runs kubectl against `kubecoro serve`. Usage: kubectl.sh KUBECORO_BINARY. Exit status 77: kubectl not found.
# Uses KUBECORO_E2E_KUBECTL; otherwise the kubectl built for the test cluster and the one in PATH, if they exist.
set -uo pipefail

tool=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
server= watcher=
finish() {
    # shellcheck disable=SC2046
    kill $(echo "$server" "$watcher") 2>/dev/null
    wait 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
export HOME=$work KUBECONFIG=$work/kubeconfig
export KUBECTL_KUBERC=false
failed=0 checks=0

# ---- checks

out= # output of the last command, both streams
run() { # ARGUMENTS: runs kubectl
    out=$(timeout 180 "$kubectl" "$@" 2>&1)
}
complain() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n%s\n' "$1" "$(sed 's/^/    /' <<<"$out" | head -20)"
}
ok() { # TEXT -- ARGUMENTS: succeeds, and the output matches TEXT (a regular expression)
    local text=$1
    shift 2
    checks=$((checks + 1))
    run "$@" || { complain "kubectl $* (exit status $?)"; return; }
    [[ -z $text ]] || grep -qE -- "$text" <<<"$out" || complain "kubectl $*: the output does not match: $text"
}
no() { # TEXT -- ARGUMENTS: fails, and the output matches TEXT
    local text=$1
    shift 2
    checks=$((checks + 1))
    run "$@" && { complain "kubectl $* succeeded"; return; }
    grep -qE -- "$text" <<<"$out" || complain "kubectl $*: the output does not match: $text"
}
is() { # TEXT -- ARGUMENTS: succeeds, and the output equals TEXT
    local text=$1
    shift 2
    checks=$((checks + 1))
    run "$@" && [[ $out == "$text" ]] || complain "kubectl $*: the output is not: $text"
}
editing() { # SED-SCRIPT CHECK...: runs the check with an editor that applies the script
    local script=$1
    shift
    KUBE_EDITOR="sed -i -e '$script'" "$@"
}
eventually() { # FILE TEXT: waits at most 60 s until the file matches TEXT
    local i
    checks=$((checks + 1))
    for ((i = 0; i < 600; i++)); do
        grep -qE -- "$2" "$1" && return
        sleep 0.1
    done
    out=$(cat "$1")
    complain "the watch never prints: $2"
}

# ---- the objects

manifests() {
    cat >"$work/cm.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {app: web}}
data: {k: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, labels: {app: db}}
data: {k: "2"}
YAML
    sed 's/k: "1"/k: "changed"/' "$work/cm.yaml" >"$work/cm2.yaml"
    sed 's/^data:/bogus: 1\ndata:/' "$work/cm.yaml" >"$work/bogus.yaml"
    cat >"$work/deploy.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
YAML
    sed 's/nginx:1/nginx:2/' "$work/deploy.yaml" >"$work/deploy2.yaml"
    cat >"$work/pod.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: lp, labels: {app: web}}
spec: {containers: [{name: c, image: nginx}]}
YAML
    cat >"$work/crd.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.k.example.com}
spec:
  group: k.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
YAML
    cat >"$work/cr.yaml" <<'YAML'
apiVersion: k.example.com/v1
kind: Widget
metadata: {name: w1}
spec: {size: 3}
YAML
    sed 's/size: 3/size: 4/' "$work/cr.yaml" >"$work/cr2.yaml"
}

start_server() { # FLAGS
    rm -f "$KUBECONFIG"
    "$tool" serve "$@" --kubeconfig-out "$KUBECONFIG" >"$work/serve.log" 2>&1 &
    server=$!
    local i
    for ((i = 0; i < 1200; i++)); do
        [[ -s $KUBECONFIG ]] && return
        sleep 0.1
    done
    cat "$work/serve.log"
    echo "kubecoro serve did not start"
    exit 1
}

stop_server() { # checks that the server ends cleanly on SIGTERM, even with an open watch
    checks=$((checks + 1))
    kill -TERM "$server"
    wait "$server" || { out=$(cat "$work/serve.log"); complain "kubecoro serve ended with status $?"; }
    server=
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    watcher=
}

# ---- the checks

discovery() {
    ok 'Server Version: v1\.' -- version
    ok '^apps/v1$' -- api-versions
    ok '^pods +po +v1 +true +Pod$' -- api-resources
    ok '^deployments.apps$' -- api-resources -o name --api-group=apps
    ok '^ok$' -- get --raw /readyz
    ok '^NAME +STATUS +AGE$' -- get namespaces
    ok '^default +Active' -- get ns default
}

config_maps() {
    ok 'configmap/one created' -- create -f "$work/cm.yaml"
    no 'configmaps "one" already exists' -- create -f "$work/cm.yaml"
    no 'unknown field "bogus"' -- create -f "$work/bogus.yaml"
    ok '^NAME +DATA +AGE' -- get cm
    ok '^default +one +1 +' -- get cm -A
    ok '^kube-public +kube-root-ca.crt +1 ' -- get cm -A
    ok '-----BEGIN CERTIFICATE-----' -- get cm kube-root-ca.crt -n kube-system -o 'jsonpath={.data.ca\.crt}'
    ok '^one +1 +' -- get cm one
    is 'configmap/one' -- get cm one -o name
    is '1' -- get cm one -o 'jsonpath={.data.k}'
    ok '"k": "1"' -- get cm one -o json
    ok '  k: "1"' -- get cm one -o yaml
    ok '^NAME +DATA +AGE' -- get cm one -o wide
    ok 'LABELS' -- get cm --show-labels
    is 'configmap/two' -- get cm -l app=db -o name
    is 'configmap/one' -- get cm -l 'app in (web)' -o name
    is 'configmap/two' -- get cm --field-selector=metadata.name=two -o name
    is $'configmap/kube-root-ca.crt\nconfigmap/one\nconfigmap/two' -- get cm -o name --chunk-size=1
    no 'configmaps "none" not found' -- get cm none
    ok 'kind: List' -- get cm one two -o yaml
    ok '^Data' -- describe cm one
    ok 'configmap/one labeled' -- label cm one tier=front
    is 'front' -- get cm one -o 'jsonpath={.metadata.labels.tier}'
    ok 'configmap/one annotated' -- annotate cm one note=hello
    ok 'configmap/one unlabeled' -- label cm one tier-
    ok 'configmap/two labeled' -- label cm one two --overwrite app=web
    ok 'configmap/two labeled' -- label cm two --overwrite app=db
    ok 'configmap/one not labeled' -- label cm one app=web
    editing 's/k: "1"/k: "edited"/' ok 'configmap/one edited' -- edit cm one
    is 'edited' -- get cm one -o 'jsonpath={.data.k}'
    editing 's/none/none/' ok 'Edit cancelled' -- edit cm one
    ok 'configmap/one patched' -- patch cm one --type=merge -p '{"data":{"k":"m"}}'
    is 'm' -- get cm one -o 'jsonpath={.data.k}'
    ok 'configmap/one patched \(no change\)' -- patch cm one --type=merge -p '{"data":{"k":"m"}}'
    ok 'patched' -- patch cm one --type=json -p '[{"op":"replace","path":"/data/k","value":"j"}]'
    is 'j' -- get cm one -o 'jsonpath={.data.k}'
    ok 'patched' -- patch cm one -p '{"data":{"k":"s"}}'
    is 's' -- get cm one -o 'jsonpath={.data.k}'
    ok 'configmap/one replaced' -- replace -f "$work/cm2.yaml"
    ok 'configmap "one" deleted' -- delete cm one
    ok 'configmap "two" deleted' -- delete cm -l app=db
    is 'configmap/kube-root-ca.crt' -- get cm -o name
    ok 'deleted' -- delete cm kube-root-ca.crt
    is 'configmap/kube-root-ca.crt' -- get cm -o name # again
}

apply() {
    ok 'configmap/one created' -- apply -f "$work/cm.yaml"
    ok 'configmap/one unchanged' -- apply -f "$work/cm.yaml"
    ok 'configmap/one configured' -- apply -f "$work/cm2.yaml"
    is 'changed' -- get cm one -o 'jsonpath={.data.k}'
    ok 'configured \(server dry run\)' -- apply --dry-run=server -f "$work/cm.yaml"
    is 'changed' -- get cm one -o 'jsonpath={.data.k}'
    ok 'deleted' -- delete -f "$work/cm.yaml"
    ok 'deployment.apps/web created' -- apply -f "$work/deploy.yaml"
    ok 'deployment.apps/web unchanged' -- apply -f "$work/deploy.yaml"
    ok 'deployment.apps/web configured' -- apply -f "$work/deploy2.yaml"
    is 'nginx:2' -- get deploy web -o 'jsonpath={.spec.template.spec.containers[0].image}'
}

server_side_apply() {
    ok 'configmap/one serverside-applied' -- apply --server-side -f "$work/cm.yaml"
    ok 'configmap/one serverside-applied' -- apply --server-side -f "$work/cm2.yaml"
    is 'changed' -- get cm one -o 'jsonpath={.data.k}'
    is 'kubectl Apply' -- get cm one -o 'jsonpath={.metadata.managedFields[*].manager} {.metadata.managedFields[*].operation}'
    no 'Apply failed with 1 conflict: conflict with "kubectl": .data.k' -- apply --server-side --field-manager=else -f "$work/cm.yaml"
    ok 'serverside-applied' -- apply --server-side --field-manager=else --force-conflicts -f "$work/cm.yaml"
    ok 'deleted' -- delete -f "$work/cm.yaml"
    # From client-side to server-side apply: kubectl moves its own fields, and keeps its annotation for older versions of itself.
    ok 'configmap/one created' -- apply -f "$work/cm.yaml"
    ok 'configmap/one serverside-applied' -- apply --server-side -f "$work/cm2.yaml"
    is 'kubectl-last-applied kubectl' -- get cm one -o 'jsonpath={.metadata.managedFields[*].manager}'
    ok 'serverside-applied \(server dry run\)' -- apply --server-side --dry-run=server -f "$work/cm.yaml"
    ok 'deleted' -- delete -f "$work/cm.yaml"
}

explained() {
    ok 'KIND: +Deployment' -- explain deploy
    ok 'replicas.*<integer>' -- explain deploy.spec
    ok 'containers.*<\[\]Container>' -- explain pod.spec
    no 'field "bogus" does not exist' -- explain pod.spec.bogus
    ok 'nodeSelector.*<map\[string\]string>' -- explain pod.spec
}

logs_and_tokens() {
    ok 'pod/lp created' -- create -f "$work/pod.yaml"
    printf 'one\ntwo\n' >"$work/lines"
    ok Success -- create --raw '/api/v1/namespaces/default/pods/lp/log?end=true' -f "$work/lines"
    is $'one\ntwo' -- logs lp
    is 'two' -- logs lp --tail=1 --follow
    no 'previous terminated container "c" in pod "lp" not found' -- logs lp --previous
    no 'container none is not valid for pod lp' -- logs lp -c none
    ok deleted -- delete pod lp --now
    ok created -- create serviceaccount robot
    ok '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$' -- create token robot
    ok 'system:serviceaccount:default:robot' -- auth whoami --token="$out"
    ok 'jane' -- auth whoami --as=jane --as-group=g
    no 'cannot list resource "pods"' -- get pods --as=jane
    is 'yes' -- auth can-i list pods
    no '^no' -- auth can-i list pods --as=jane
    reviews
    ok deleted -- delete serviceaccount robot
}

review() { # KIND SPEC: posts a review of authorization.k8s.io, as JSON in one line
    printf '{"apiVersion":"authorization.k8s.io/v1","kind":"%s","metadata":{},"spec":%s}' "$1" "$2" >"$work/review"
}
reviews() {
    ok '^yes$' -- auth can-i create selfsubjectreviews --as=jane # of itself everybody may ask
    ok '^\*\.\* +\[\] +\[\] +\[\*\]' -- auth can-i --list
    ok 'selfsubjectrulesreviews.authorization.k8s.io +\[\] +\[\] +\[create\]' -- auth can-i --list --as=jane
    review SubjectAccessReview '{"user":"jane","resourceAttributes":{"verb":"list","resource":"pods"}}'
    is 'false' -- create -f "$work/review" -o 'jsonpath={.status.allowed}'
    review SubjectAccessReview '{"groups":["system:masters"],"nonResourceAttributes":{"verb":"get","path":"/metrics"}}'
    is 'true' -- create -f "$work/review" -o 'jsonpath={.status.allowed}'
    review SubjectAccessReview '{}'
    no 'at least one of user or group must be specified' -- create -f "$work/review"
    printf '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"%s"}}' \
        "$("$kubectl" create token robot)" >"$work/review"
    is 'true system:serviceaccount:default:robot ["https://kubernetes.default.svc"]' -- create -f "$work/review" \
        -o 'jsonpath={.status.authenticated} {.status.user.username} {.status.audiences}'
    printf '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"wrong"}}' >"$work/review"
    is 'invalid bearer token' -- create -f "$work/review" -o 'jsonpath={.status.error}'
    ok '^tokenreviews +authentication.k8s.io/v1 +false +TokenReview$' -- api-resources --api-group=authentication.k8s.io
    no 'the server does not allow this method' -- get tokenreviews
}

deployments() {
    ok '^web +0/2 ' -- get deploy
    ok 'CONTAINERS' -- get deploy -o wide
    ok 'deployment.apps/web scaled' -- scale deploy web --replicas=3
    is '3' -- get deploy web -o 'jsonpath={.spec.replicas}'
    ok '^Replicas: +3 desired' -- describe deploy web
    ok 'deployment.apps/web patched' -- patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"x"}]}}}}'
    ok '^(c d|d c)$' -- get deploy web -o 'jsonpath={.spec.template.spec.containers[*].name}'
    ok 'image updated' -- set image deploy/web c=nginx:3
    is 'nginx:3' -- get deploy web -o 'jsonpath={.spec.template.spec.containers[?(@.name=="c")].image}'
    ok 'restarted' -- rollout restart deploy/web
    ok 'deployment.apps/web paused' -- rollout pause deploy/web
    ok 'deployment.apps/web resumed' -- rollout resume deploy/web
    ok 'No rollout history found' -- rollout history deploy/web
    no 'timed out' -- rollout status deploy/web --timeout=1s # no controller runs
    ok 'deployment.apps/web env updated' -- set env deploy/web A=b
    is 'b' -- get deploy web -o 'jsonpath={.spec.template.spec.containers[?(@.name=="c")].env[?(@.name=="A")].value}'
    ok 'deployment.apps/web resource requirements updated' -- set resources deploy/web -c c --limits=cpu=1
    ok 'service/web exposed' -- expose deploy web --port=80
    ok 'service "web" deleted' -- delete svc web
    ok 'deployment.apps/web patched' -- patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":3}}'
    ok 'deployment.apps/web' -- get all
    ok 'deployment.apps "web" deleted' -- delete deploy web
}

# Since 1.32 a typed `create` sends protobuf and asks for it.
typed_creates() {
    local what kind
    for what in 'namespace made' 'configmap made --from-literal=a=b' 'secret generic made --from-literal=a=b' \
        'deployment made --image=nginx' 'job made --image=nginx' 'cronjob made --image=nginx --schedule=@daily' \
        'serviceaccount made' 'service clusterip made --tcp=80:80' 'clusterrole made --verb=get --resource=pods' \
        'clusterrolebinding made --clusterrole=made --user=u' 'role made --verb=get --resource=pods' \
        'rolebinding made --role=made --user=u' 'ingress made --rule=h/=s:80' 'quota made --hard=pods=1' \
        'poddisruptionbudget made --selector=a=b --min-available=1' 'priorityclass made --value=7'; do
        kind=${what%% *}
        # shellcheck disable=SC2086 # split into words
        ok created -- create $what
        # shellcheck disable=SC2086
        no 'already exists' -- create $what
        ok . -- describe "$kind" made
        ok deleted -- delete "$kind" made
    done
    ok 'pod/runs created' -- run runs --image=nginx
    ok 'created \(server dry run\)' -- run other --image=nginx --dry-run=server
    ok deleted -- delete pod runs --now
}

owners() {
    ok created -- create deployment owner --image=nginx
    local uid
    uid=$("$kubectl" get deploy owner -o 'jsonpath={.metadata.uid}')
    for name in first second; do
        cat >"$work/owned.yaml" <<YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: $name
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: owner, uid: $uid, blockOwnerDeletion: true}]
YAML
        ok created -- create -f "$work/owned.yaml"
    done
    ok deleted -- delete deploy owner --cascade=orphan --timeout=60s
    is '' -- get cm first -o 'jsonpath={.metadata.ownerReferences}'
    ok created -- create deployment owner --image=nginx
    uid=$("$kubectl" get deploy owner -o 'jsonpath={.metadata.uid}')
    for name in first second; do
        ok patched -- patch cm "$name" --type=merge -p \
            '{"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"owner","uid":"'"$uid"'","blockOwnerDeletion":true}]}}'
    done
    ok deleted -- delete deploy owner --cascade=foreground --timeout=60s # waits until it is gone
    is 'configmap/kube-root-ca.crt' -- get cm -o name
}

operators_kinds() { # what the manifests of operators contain
    cat >"$work/kinds.yaml" <<'YAML'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: checks}
webhooks:
- name: checks.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {name: hook, namespace: default}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: site}
spec: {ingressClassName: web, tls: [{hosts: [a.example.com]}], rules: [{host: a.example.com}, {host: b.example.com}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scales}
spec: {minReplicas: 2, maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: binds}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reads}
subjects: [{kind: ServiceAccount, name: robot, namespace: default}]
YAML
    ok created -- create -f "$work/kinds.yaml"
    ok '^checks +1 ' -- get validatingwebhookconfigurations
    ok '^site +web +a.example.com,b.example.com +80, 443 ' -- get ingress
    ok '^scales +Deployment/web +cpu: <unknown>/80% +2 +5 +0 ' -- get hpa
    ok '^binds +Role/reads +.* default/robot' -- get rolebindings -o wide
    ok deleted -- delete -f "$work/kinds.yaml"
}

events() {
    cat >"$work/event.yaml" <<'YAML'
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: noted}
eventTime: "2026-11-21T06:00:00.000000Z"
reportingController: example.com/robot
reportingInstance: robot-1
action: Looking
reason: Seen
type: Normal
note: something was seen
regarding: {apiVersion: v1, kind: Pod, name: p, namespace: default}
YAML
    ok created -- create -f "$work/event.yaml"
    ok 'Normal +Seen +pod/p +something was seen' -- get events
    ok 'Seen +Pod/p +something was seen' -- events
    is 'something was seen' -- get events.events.k8s.io noted -o 'jsonpath={.note}'
    ok deleted -- delete event noted
    ok 'No resources found' -- get events.events.k8s.io
}

nodes() {
    printf 'apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n' >"$work/node.yaml"
    ok created -- create -f "$work/node.yaml"
    ok 'node/n1 cordoned' -- cordon n1
    ok 'node/n1 uncordoned' -- uncordon n1
    ok 'node/n1 tainted' -- taint node n1 a=b:NoSchedule
    ok deleted -- delete node n1
}

pods() {
    ok 'pod/lp created' -- create -f "$work/pod.yaml"
    ok '^lp +0/1 +Pending' -- get pods
    ok 'NOMINATED NODE' -- get pods -o wide
    is 'pod/lp' -- get pods --field-selector=status.phase=Pending -o name
    ok 'No resources found' -- get pods --field-selector=status.phase=Running
    ok '^Status: +Pending' -- describe pod lp
    no 'timed out' -- wait --for=condition=Ready pod/lp --timeout=1s
    ("$kubectl" patch pod lp --subresource=status --type=merge \
        -p '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}' >/dev/null) &
    ok 'pod/lp condition met' -- wait --for=condition=Ready pod/lp --timeout=20s
    ok 'pod/lp condition met' -- wait --for=jsonpath='{.status.phase}'=Running pod/lp --timeout=20s
    : >"$work/wait.log" # the log of the kubectl before must not be read
    "$kubectl" -v=6 wait --for=delete pod/lp --timeout=20s >"$work/wait.log" 2>&1 &
    eventually "$work/wait.log" 'watch=true' # its watch has begun
    ok deleted -- delete pod lp
    eventually "$work/wait.log" 'pod/lp condition met'
    wait $!
}

watches() {
    : >"$work/watch.log"
    "$kubectl" get cm -w --output-watch-events >"$work/watch.log" 2>&1 &
    watcher=$!
    ok created -- create -f "$work/cm.yaml"
    eventually "$work/watch.log" '^ADDED +one +1 '
    ok patched -- patch cm one --type=merge -p '{"data":{"l":"2"}}'
    eventually "$work/watch.log" '^MODIFIED +one +2 '
    ok deleted -- delete cm one two
    eventually "$work/watch.log" '^DELETED +one +2 '
}

custom_resources() {
    ok 'customresourcedefinition.apiextensions.k8s.io/widgets.k.example.com created' -- apply -f "$work/crd.yaml"
    ok 'condition met' -- wait --for=condition=Established crd/widgets.k.example.com --timeout=20s
    ok '^widgets +wd +k.example.com/v1 +true +Widget$' -- api-resources --api-group=k.example.com
    ok 'widget.k.example.com/w1 created' -- apply -f "$work/cr.yaml"
    ok 'widget.k.example.com/w1 unchanged' -- apply -f "$work/cr.yaml"
    ok 'widget.k.example.com/w1 configured' -- apply -f "$work/cr2.yaml"
    ok '^NAME +SIZE$' -- get wd
    ok '^w1 +4' -- get widgets.k.example.com
    is '4' -- get widget w1 -o 'jsonpath={.spec.size}'
    ok 'patched' -- patch widget w1 --type=merge -p '{"spec":{"size":5}}'
    ok 'Size: +5' -- describe widget w1
    ok 'widget.k.example.com "w1" deleted' -- delete -f "$work/cr.yaml"
    ok 'deleted' -- delete crd widgets.k.example.com
    no "the server could not find the requested resource|doesn't have a resource type" -- get widgets
}

live() { # with serve --live
    ok created -- create deployment web --image=nginx:1 --replicas=3
    ok 'deployment "web" successfully rolled out' -- rollout status deploy/web --timeout=60s
    ok '^web +3/3 +3 +3 ' -- get deploy
    ok 'condition met' -- wait --for=condition=Ready pod -l app=web --timeout=60s
    ok 'image updated' -- set image deploy/web nginx=nginx:2
    ok 'successfully rolled out' -- rollout status deploy/web --timeout=60s
    is 'nginx:2' -- get deploy web -o 'jsonpath={.spec.template.spec.containers[0].image}'
    ok '^2 ' -- rollout history deploy/web
    ok 'rolled back' -- rollout undo deploy/web
    ok 'successfully rolled out' -- rollout status deploy/web --timeout=60s
    ok 'Replicas: +3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable' -- describe deploy web
    ok deleted -- delete deploy web --cascade=foreground --timeout=60s
    ok 'No resources found' -- get pods -l app=web
    ok created -- create job once --image=nginx
    ok 'condition met' -- wait --for=condition=Complete job/once --timeout=60s
    ok '^once +Complete +1/1 ' -- get jobs
    ok '' -- logs job/once
    ok deleted -- delete job once
}

namespaces() {
    printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: kspace}\n' >"$work/ns.yaml"
    ok 'namespace/kspace created' -- create -f "$work/ns.yaml"
    ok 'configmap/one created' -- create -n kspace -f "$work/cm.yaml"
    ok 'namespace "kspace" deleted' -- delete ns kspace --timeout=20s
    no 'namespaces "kspace" not found' -- get ns kspace
    no 'namespaces "kspace" not found' -- create -n kspace -f "$work/cm.yaml"
    no 'Unauthorized|logged in' -- get pods --token=wrong
}

all_kubectls() {
    if [[ -n ${KUBECORO_E2E_KUBECTL:-} ]]; then
        echo "$KUBECORO_E2E_KUBECTL"
        return
    fi
    [[ -x $root/build/cluster/bin/kubectl ]] && echo "$root/build/cluster/bin/kubectl"
    type -P kubectl
}

mapfile -t kubectls < <(all_kubectls)
if ((${#kubectls[@]} == 0)); then
    echo "skipped: kubectl not found (install it, build it with ./dev cluster up, or set KUBECORO_E2E_KUBECTL)"
    exit 77
fi
manifests
for kubectl in "${kubectls[@]}"; do
    before=$failed
    start_server
    for part in discovery config_maps apply server_side_apply explained logs_and_tokens deployments typed_creates owners operators_kinds events nodes pods watches custom_resources namespaces; do
        $part
    done
    stop_server
    start_server --live
    live
    stop_server
    rm -rf "$work/.kube"
    echo "$("$kubectl" version --client 2>/dev/null | head -1) ($kubectl): $((failed - before)) failed"
done
echo "$checks checks, $failed failed"
exit $((failed > 0))
