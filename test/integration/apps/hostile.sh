#!/usr/bin/env bash
# hostile.sh TOOL SERVER: text of a server that tries to control the terminal, in the output of every verb.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

start hostile "$2"
expect hostile 'listening on *'
url=${line##*' on '}
cat >"$work/config" <<YAML
apiVersion: v1
kind: Config
current-context: c
contexts:
- {name: c, context: {cluster: s, user: u, namespace: default}}
clusters: [{name: s, cluster: {server: "$url"}}]
users: [{name: u, user: {token: t}}]
YAML
export KUBECONFIG=$work/config

# Control characters but line breaks and tabs, C1 controls, and characters that reorder text.
controls='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]'

harmless() { # FILE COMMAND...: the file shows something of the server, and nothing in it controls a terminal
    local file=$1
    shift
    grep -q evil "$file" || die "$*: shows nothing: $(cat -v "$file")"
    if LC_ALL=C grep -qaP "$controls" "$file"; then die "$*: controls the terminal: $(cat -v "$file")"; fi
}

# tame COMMAND...: what it prints, on both streams, is harmless, into a pipe and on a terminal.
tame() {
    "$tool" "$@" >"$work/said" 2>&1 || true
    harmless "$work/said" "$@"
    tame_terminal "$@"
}

# On a terminal: its driver adds carriage returns, and the tool may colour its own text.
tame_terminal() {
    local words
    words=$(printf '%q ' "$tool" "$@")
    TERM=xterm NO_COLOR=1 script -qec "$words" /dev/null </dev/null 2>/dev/null | sed 's/\r$//' >"$work/said" || true
    harmless "$work/said" "$@"
}

tame get pods
tame get pods -o wide --show-labels -L app
tame get pods one
tame get pods -A --no-headers
tame get pods --sort-by .status.phase
tame get pods -o name
tame get pods -o json
tame get pods -o yaml
tame_terminal get pods -o 'jsonpath={.items[*].metadata.name}'
tame get all
tame watch pods -A --once
tame watch pods -A --once -o json

# Failures: of the server, with its words, and in each verb.
tame get pods refused
tame get pods refused -o yaml
tame get pods refused -w
tame wait pods refused --for condition=Ready
tame delete pods refused
tame delete pods --all
tame watch pods refused --once
tame get evils
for name in conflict refused mine; do
    printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s"}}' $name >"$work/$name.json"
    tame apply -f "$work/$name.json"
    tame apply -f "$work/$name.json" -o yaml
done

# JSONPath is data: a pipe gets it as it is.
[[ $("$tool" get pods one -o jsonpath=.status.phase) == *$'\e[2J'* ]] || die 'a value is changed on its way to a file'

# The rows of a watch that does not end.
for form in table yaml name; do
    # shellcheck disable=SC2016 # the inner shell's
    start rows bash -c 'exec "$@" 2>&1' -- "$tool" get pods -w -o $form
    expect rows '*evil*'
    kill -INT "${pid_of[rows]}"
    printf '%s' "$seen" >"$work/said"
    harmless "$work/said" get -w -o $form
    wait "${pid_of[rows]}" || true
    unset 'pid_of[rows]'
    rm "$work/rows.out"
done
