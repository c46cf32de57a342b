#!/usr/bin/env bash
# write.sh TOOL: delete, wait and get of files, as users do.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

write_app
serve --load "$work/app" --load "$work/app/more"
export KUBECONFIG=$work/admin

prints $'configmap/settings\ndeployment.apps/web' "$tool" get -f "$work/app/more/web.yaml" -o name
like $'NAME *\nconfigmap/settings *\n\nNAME *\ndeployment.apps/web *' "$tool" get -f "$work/app/more"
prints 'Widget' "$tool" get -f - -o jsonpath=.kind <<<'{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}}'
fails '*Gadget*' "$tool" get -f - <<<'{"apiVersion":"v1","kind":"Gadget","metadata":{"name":"w"}}'
fails '*-n says jobs*' "$tool" get -n jobs -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"w","namespace":"web"}}'
misuses '*-f cannot*' "$tool" get cm -f x
api PATCH /apis/apps/v1/namespaces/default/deployments/web '{"spec":{"replicas":4}}'
prints 'deployment.apps/web condition met' "$tool" wait -f - --for 'jsonpath={.spec.replicas}=4' <<<'{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}}'

# wait: for a state, an absence, a creation; each also in vain.
prints 'deployment.apps/web condition met' "$tool" wait deploy web --for 'jsonpath={.spec.replicas}=4'
# shellcheck disable=SC2016 # the inner shell's
start waiting bash -c 'exec "$@" 2>&1' -- "$tool" wait cm/settings --for 'jsonpath={.data.ready}=yes' --timeout 5m --progress always
start creating "$tool" wait cm/later --for create --timeout 5m
start vanishing "$tool" wait cm/settings --for delete --timeout 5m
expect waiting 'waiting for configmap/settings (*'
api PATCH /api/v1/namespaces/default/configmaps/settings '{"data":{"ready":"yes"}}'
expect waiting 'configmap/settings condition met'
api POST /api/v1/namespaces/default/configmaps '{"metadata":{"name":"later"}}'
expect creating 'configmap/later condition met'
fails '*timed_out*' "$tool" wait cm settings --for condition=Ready --timeout 300ms
fails '*not_found*' "$tool" wait cm none --for condition=Ready
misuses '*--for expects*' "$tool" wait cm settings --for Ready
misuses '*which cm*' "$tool" wait cm --for delete

# delete: dry, held by a finalizer, by files, by label.
prints 'configmap/settings deleted (server dry run)' "$tool" delete cm settings --dry-run
prints 'configmap/settings deleted (server dry run)' "$tool" delete cm settings --dry-run=server
misuses '*--dry-run*client*' "$tool" delete cm settings --dry-run=client
prints 'configmap/settings deleted' "$tool" delete cm settings
expect vanishing 'configmap/settings is gone'
api POST /api/v1/namespaces/default/configmaps '{"metadata":{"name":"held","finalizers":["example.com/hold"],"labels":{"a":"b"}}}'
fails '*configmap/held is deleted, but not gone*example.com/hold*' "$tool" delete cm held --timeout 300ms
start holding "$tool" delete cm -l a=b
expect holding 'configmap/held deleted'
api PATCH /api/v1/namespaces/default/configmaps/held '{"metadata":{"finalizers":null}}'
wait "${pid_of[holding]}" || die 'delete did not end with the object'
unset 'pid_of[holding]'
prints $'deployment.apps/web deleted' "$tool" delete -f "$work/app/more/web.yaml" --ignore-not-found
prints $'widget.example.com/w deleted\ncustomresourcedefinition.apiextensions.k8s.io/widgets.example.com deleted' "$tool" delete -f "$work/app"
fails '*not_found*' "$tool" delete cm none
prints '' "$tool" delete cm none --ignore-not-found
prints 'configmap/later deleted' "$tool" delete cm --all --no-wait
misuses '*which cm*' "$tool" delete cm
misuses '*-f cannot*' "$tool" delete -f x cm
misuses '*with names*' "$tool" delete cm a --all
misuses '*-f cannot*' "$tool" delete -A -f x

finish serve TERM
