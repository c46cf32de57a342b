#!/usr/bin/env bash
# get_watch.sh TOOL: `get --watch` and `--watch-only` in each form, across a restart of the server.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

serve --data "$work/data"
export KUBECONFIG=$work/admin
maps=/api/v1/namespaces/default/configmaps
api POST $maps '{"metadata":{"name":"first","labels":{"app":"shop"}},"data":{"a":"1"}}'

start rows "$tool" get cm -w -L app
expect rows 'NAME *DATA *AGE *APP'
expect rows 'first *1 * shop'
start whole "$tool" get cm first -w -o json
expect whole '*"name": "first"*'
expect whole '}'
start news "$tool" get cm --watch-only -A -o name
start paths "$tool" get cm --watch-only -o 'jsonpath={.metadata.name}{"\n"}'
start yaml "$tool" get cm -w -o yaml
expect yaml '*name: first'

# A watch that shows nothing at the beginning says nothing either; what comes is repeated until it does.
heard() { read -r -t 0.2 -u "${fd_of[$1]}" line; }
n=0
until heard news; do api PATCH $maps/first "{\"data\":{\"n\":\"$((++n))\"}}"; done
[[ $line == configmap/first ]] || die "not a name: $line"
until heard paths; do api PATCH $maps/first "{\"data\":{\"n\":\"$((++n))\"}}"; done
[[ $line == first ]] || die "not a name: $line"

api POST $maps '{"metadata":{"name":"second-with-a-long-name"}}'
expect rows 'second-with-a-long-name *0 *<none>'
api PATCH $maps/first '{"data":{"b":"2"}}'
expect rows 'first  *3 * shop'
expect whole '*"b": "2"*'
expect yaml '---'
expect news 'configmap/second-with-a-long-name'
expect paths second-with-a-long-name
api DELETE $maps/second-with-a-long-name
expect rows 'second-with-a-long-name *0 *'

# The server is restarted: the watch goes on, and shows what has changed in between.
finish serve TERM
start serve "$tool" serve --kubeconfig-out "$work/admin" --data "$work/data" --listen "$address"
expect serve 'listening on *'
api PATCH $maps/first '{"data":{"c":"3"}}'
expect rows 'first *4 * shop'
expect whole '*"c": "3"*'
api PATCH $maps/first '{"data":{"d":"4"}}'
expect rows 'first *5 * shop'
[[ $seen != *NAME* ]] || die "the head is repeated: $seen"

for name in rows whole news paths yaml; do
    kill -INT "${pid_of[$name]}"
    status=0
    wait "${pid_of[$name]}" || status=$?
    ((status == 130)) || die "$name: interrupted with $status"
    unset "pid_of[$name]"
done

fails '*not_found*"none"*' "$tool" get cm none -w
misuses '*follows one type*' "$tool" get cm,secrets -w
misuses '*follows one type*' "$tool" get cm first second -w
misuses '*follows one type*' "$tool" get cm/first cm/second --watch-only
fails '*follows one type*' "$tool" get all -w # only the server knows what a category has
fails '*forbidden*' "$tool" get pods -w --kubeconfig "$work/limited"
misuses '*--sort-by*' "$tool" get cm -w --sort-by .metadata.name
finish serve TERM
