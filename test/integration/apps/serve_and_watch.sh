#!/usr/bin/env bash
# serve_and_watch.sh TOOL: the output of `watch -o json` while objects are created, changed and deleted.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

cat >"$work/maps.yaml" <<'YAML'
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: first, namespace: web, labels: {app: shop}}
data: {text: one}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second, namespace: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: elsewhere, namespace: default}
YAML
serve --load "$work/maps.yaml" --history 100
maps=/api/v1/namespaces/web/configmaps

start all "$tool" watch configmaps -n web -o json --kubeconfig "$work/admin"
expect all '{"type":"synced","objects":2}'
[[ $(grep -c '^{"type":"added","initial":true,"object":{' <<<"$seen") == 2 ]] || die "not two initial objects: $seen"
[[ $seen == *'"name":"first"'*'"name":"second"'* || $seen == *'"name":"second"'*'"name":"first"'* ]] || die "other objects: $seen"
[[ $seen == *'"kind":"ConfigMap"'*'"text":"one"'* ]] || die "objects are not whole: $seen"
start selected "$tool" watch cm -A -l app=shop -o json --kubeconfig "$work/admin"
expect selected '{"type":"synced","objects":1}'
start named "$tool" watch cm -n web -n default --field-selector metadata.name=elsewhere -o json --kubeconfig "$work/admin"
expect named '{"type":"synced","objects":1}'
start table "$tool" watch cm -n web --kubeconfig "$work/admin"
expect table '-- synced: 2 objects'

api POST $maps '{"metadata":{"name":"third"},"data":{"text":"a"}}'
expect all '{"type":"added","initial":false,"object":{*"name":"third"*}}'
api PATCH $maps/third '{"metadata":{"labels":{"app":"shop"}},"data":{"text":"b"}}'
expect all '{"type":"updated","before":{*"text":"a"*},"object":{*"text":"b"*}}'
expect selected '{"type":"added","initial":false,"object":{*"name":"third"*}}'
api PATCH $maps/third '{"metadata":{"labels":{"app":"other"}}}'
expect selected '{"type":"deleted","finalStateUnknown":false,"object":{*"name":"third"*}}'
api DELETE $maps/third
expect all '{"type":"deleted","finalStateUnknown":false,"object":{*"name":"third"*}}'
expect table 'added *web/third*'
expect table 'updated *web/third*data.text: a -> b*'
expect table 'deleted *web/third*'
api PATCH /api/v1/namespaces/default/configmaps/elsewhere '{"data":{"x":"y"}}'
expect named '{"type":"updated",*'

finish all INT
[[ -z $seen ]] || die "more lines than events: $seen"
finish selected TERM
finish named INT
finish table INT

# A reader that closes the pipe ends the watch: the next line cannot be written.
# shellcheck disable=SC2016 # the inner shell's
start cut bash -c '"$0" watch cm -n web -o json --kubeconfig "$1" | head -n 1' "$tool" "$work/admin"
expect cut '{"type":"added",*'
api PATCH $maps/first '{"data":{"text":"two"}}'
wait "${pid_of[cut]}" || die "a closed pipe is no failure"
unset 'pid_of[cut]'

# A reader that does not read cannot keep the watch alive.
for i in {1..40}; do api POST $maps "{\"metadata\":{\"name\":\"large-$i\"},\"data\":{\"text\":\"$(printf 'x%.0s' {1..4000})\"}}"; done
start stuck "$tool" watch cm -n web -o json --kubeconfig "$work/admin"
expect stuck '{"type":"added",*'
kill -INT "${pid_of[stuck]}"
wait "${pid_of[stuck]}" || die "a full pipe kept the watch from ending well"
unset 'pid_of[stuck]'

finish serve TERM
