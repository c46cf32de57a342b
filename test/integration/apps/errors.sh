#!/usr/bin/env bash
# errors.sh TOOL: the error messages for users, and the exit status.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

serve --history 100
watch=("$tool" watch -o json)

# changed FIELD VALUE FILE: prints the kubeconfig with a different value.
changed() { sed "s|^\( *$1:\).*|\1 $2|" "$3"; }

fails "*$work/none*" "${watch[@]}" pods --kubeconfig "$work/none"
printf 'current-context: [not, a, name]\n' >"$work/wrong"
fails "*$work/wrong*current-context*" "${watch[@]}" pods --kubeconfig "$work/wrong"
fails "*nowhere*" "${watch[@]}" pods --kubeconfig "$work/admin" --context nowhere

changed server https://127.0.0.1:1 "$work/admin" >"$work/gone"
fails '*unreachable*127.0.0.1:1*' "${watch[@]}" pods --kubeconfig "$work/gone"
start other "$tool" serve --kubeconfig-out "$work/other"
expect other 'listening on *'
changed server "https://$address" "$work/other" >"$work/stranger"
fails '*certificate*' "${watch[@]}" pods --kubeconfig "$work/stranger"

fails '*not_found*gizmos*' "${watch[@]}" gizmos --kubeconfig "$work/admin"
[[ $(cat "$work/stdout") == '{"type":"error","reason":"NotFound","message":"'*gizmos*'","code":404}' ]] || die "no error document: $(cat "$work/stdout")"
# Options that can never succeed are rejected before any request, as wrong usage.
misuses 'kubecoro: invalid: -n *"a?b=c"*' "${watch[@]}" cm -n web -n 'a?b=c' --kubeconfig "$work/admin"
[[ $(cat "$work/stdout") == '{"type":"error","reason":"BadRequest","message":"'*'a?b=c'*'","code":400}' ]] || die "no error document: $(cat "$work/stdout")"
misuses 'kubecoro: invalid: -n *"xxx*..."*' "${watch[@]}" cm -n "$(printf 'x%.0s' {1..5000})" --kubeconfig "$work/admin"
misuses 'kubecoro: invalid: -n *""*' "${watch[@]}" cm -n '' --kubeconfig "$work/admin"
misuses 'kubecoro: invalid: -l "a in (": *position*' "${watch[@]}" cm -l 'a in (' --kubeconfig "$work/admin"
misuses 'kubecoro: invalid: --field-selector "name": *' "${watch[@]}" cm --field-selector name --kubeconfig "$work/admin"
changed token nobody "$work/admin" >"$work/nobody"
fails '*unauthorized*' "${watch[@]}" pods --kubeconfig "$work/nobody"

# Refused by the server: the watch ends, or reports it once and keeps trying.
fails '*kubecoro: forbidden: the server refuses the watch; --keep-trying *' "${watch[@]}" pods --kubeconfig "$work/limited"
[[ $(cat "$work/stdout") == '{"type":"error","reason":"Forbidden",'* && $(wc -l <"$work/stdout") == 1 ]] || die "documents: $(cat "$work/stdout")"
start refused "${watch[@]}" pods --keep-trying --kubeconfig "$work/limited"
expect refused '{"type":"error","reason":"Forbidden","message":"*","code":403*}'
read -rt 2.5 -u "${fd_of[refused]}" line && die "reported again: $line"
finish refused INT
[[ -z $seen ]] || die "more output: $seen"
# A resource that is not defined yet is waited for, and reported once.
start early "${watch[@]}" gizmos.example.com --keep-trying --kubeconfig "$work/admin"
expect early '{"type":"error","reason":"NotFound","message":"*gizmos*","code":404}'
"$tool" apply -f - --kubeconfig "$work/admin" >/dev/null <<'YAML' || die 'the definition was not applied'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.example.com}
spec:
  group: example.com
  names: {kind: Gizmo, plural: gizmos, singular: gizmo}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
YAML
expect early '{"type":"synced",*'
finish early INT
misuses '*empty type*' "${watch[@]}" pods, --keep-trying --kubeconfig "$work/admin"
start allowed "${watch[@]}" cm -A --kubeconfig "$work/limited"
expect allowed '{"type":"synced",*'
finish allowed INT

fails "*${address}*" "$tool" serve --listen "$address"
misuses '*HOST:PORT*' "$tool" serve --listen somewhere
fails "*$work/none.yaml*" "$tool" serve --load "$work/none.yaml"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\nkind: [\n' >"$work/broken.yaml"
fails "*$work/broken.yaml*line 6*" "$tool" serve --load "$work/broken.yaml"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Gizmo\nmetadata: {name: g}\n' >"$work/unknown.yaml"
fails "*$work/unknown.yaml*Gizmo*" "$tool" serve --load "$work/unknown.yaml"
fails '*' "$tool" serve --kubeconfig-out "$work/no/such/folder/config"
mkdir "$work/nothing"
fails "*$work/nothing*" "$tool" serve --load "$work/nothing"
for n in 0 -1 1.5 some 99999999999999999999; do
    said=$("$tool" serve --history "$n" 2>&1) && die "--history $n is accepted"
    [[ $said == *"--history"*"from 1 to 4294967295, not $n"* ]] || die "--history $n: $said"
done
misuses '*-o*' "$tool" watch pods -o yaml
misuses '*--all-namespaces*' "$tool" watch pods -A -n web
misuses '*' "$tool"
misuses '*no verb "nonsense"; the verbs are get, apply, delete, wait, watch, serve, generate, new, replay, demo' "$tool" nonsense
misuses '*--nonsense*' "$tool" get pods --nonsense
fails '*standard output*' bash -c '"$0" watch cm -A --kubeconfig "$1" >/dev/full' "$tool" "$work/admin"
# With stdout closed, no line is written to the connection that gets its file descriptor number: the watch continues.
start deaf bash -c 'exec "$0" watch cm -A -v --kubeconfig "$1" 2>&1 >&-' "$tool" "$work/admin"
expect deaf '*info*synced*'
finish deaf INT
[[ $("$tool" --version) == 'kubecoro '[0-9]*.* ]] || die 'no version'
like '*get*Exit status: 0 done, 1 failed, 2 wrong usage*' "$tool" --help
like '*Usage: kubecoro get *--sort-by*' "$tool" get --help

finish serve TERM
finish other INT
