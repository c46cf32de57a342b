#!/usr/bin/env bash
# logs.sh TOOL: logs of pods, of workloads and by label, followed and not.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

pod() { printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: web, labels: {app: shop}}\nspec: {initContainers: [{name: init, image: i}], containers: [{name: main, image: i}, {name: side, image: i}]}\n' "$1"; }
{
    printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n'
    pod one
    pod two
    printf -- '---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop, namespace: web}\nspec: {selector: {matchLabels: {app: shop}}, template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: main, image: i}]}}}\n'
} >"$work/pods.yaml"
serve --load "$work/pods.yaml"
export KUBECONFIG=$work/admin

# wrote POD CONTAINER TEXT [QUERY]: the container writes a text.
wrote() { api POST "/api/v1/namespaces/web/pods/$1/log?container=$2${4:-}" "$3"; }
wrote one main $'first\nsecond\e[2J\n'
wrote one side $'beside\n'
wrote two main $'other\n'

prints $'first\nsecond\e[2J' "$tool" logs one -n web
[[ $("$tool" logs one -n web 2>&1 >/dev/null) == 'kubecoro: container main of init, main, side;'* ]] || die 'silent about the other containers'
prints $'second\e[2J' "$tool" logs pod/one -n web --tail 1
prints 'beside' "$tool" logs one side -n web
prints 'beside' "$tool" logs one -c side -n web
like '20??-*Z beside' "$tool" logs one -c side -n web --timestamps
prints '[pod/one/side] beside' "$tool" logs one -c side -n web --prefix
prints $'[pod/one/main] first\n[pod/one/main] second\e[2J\n[pod/two/main] other' "$tool" logs deploy/shop -n web -c main
prints $'[pod/one/main] first\n[pod/one/main] second\e[2J\n[pod/two/main] other' "$tool" logs -l app=shop -n web -c main
like '*\[pod/one/main\] first*\[pod/one/side\] beside' "$tool" logs one -n web --all-containers
fails '*not_found*"three"*' "$tool" logs three -n web
fails '*none*' "$tool" logs one none -n web
fails '*no pod is selected*' "$tool" logs -l app=none -n web
api POST /api/v1/namespaces/web/configmaps '{"metadata":{"name":"a"}}'
fails '*ConfigMap selects no pods*' "$tool" logs cm/a -n web
misuses '*expected POD*' "$tool" logs
misuses '*-c cannot*' "$tool" logs one -c a --all-containers
misuses '*--since*' "$tool" logs one --since yesterday
misuses '*--since-time*yesterday*' "$tool" logs one --since-time yesterday
misuses '*--tail*' "$tool" logs one --tail=-2

# On a terminal the text of a container cannot move the cursor.
shown=$(TERM=xterm script -qec "'$tool' logs one -n web" /dev/null 2>/dev/null) || die 'no terminal'
[[ $shown == *'second [2J'* && $shown != *$'\e[2J'* ]] || die "the terminal is controlled: $shown"

start follow "$tool" logs one -c main -n web -f --tail 0
start both "$tool" logs deploy/shop -c main -n web -f
expect both '\[pod/two/main\] other'
wrote one main $'third\n'
expect follow 'third'
expect both '\[pod/one/main\] third'
wrote two main $'last\n' '&end=true'
expect both '\[pod/two/main\] last'
wrote one main $'end\n' '&end=true'
expect follow 'end'
wait "${pid_of[follow]}" || die 'the end of the container is no failure'
expect both '\[pod/one/main\] end'
wait "${pid_of[both]}" || die 'the end of all containers is no failure'
unset 'pid_of[follow]' 'pid_of[both]'

wrote one side $'again\n' '&restart=true'
prints 'again' "$tool" logs one side -n web
prints 'beside' "$tool" logs one side -n web --previous
start interrupted "$tool" logs one side -n web -f
expect interrupted 'again'
kill -INT "${pid_of[interrupted]}"
status=0
wait "${pid_of[interrupted]}" || status=$?
((status == 130)) || die "interrupted with $status"
unset 'pid_of[interrupted]'
finish serve TERM
