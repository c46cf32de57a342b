# Shared by the scripts: processes whose output can be awaited, and a minimal API client. Sourced with the tool's path.
# shellcheck shell=bash
set -euo pipefail

tool=$1
work=$(mktemp -d)
declare -A pid_of fd_of
seen=''

clean_up() {
    local pid
    for pid in "${pid_of[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap clean_up EXIT

die() { echo "FAILED: $*" >&2; for f in "$work"/*.err; do echo "--- $f" >&2; tail -5 "$f" >&2; done; exit 1; }

# start NAME COMMAND...: starts a command whose output is read by expect; stderr goes to $work/NAME.err.
start() {
    local name=$1 fd
    shift
    mkfifo "$work/$name.out"
    "$@" >"$work/$name.out" 2>"$work/$name.err" &
    pid_of[$name]=$!
    exec {fd}<"$work/$name.out"
    fd_of[$name]=$fd
}

# expect NAME PATTERN: reads lines until one matches the glob; it is left in $line, and all lines read in $seen.
expect() {
    local name=$1 pattern=$2
    seen=''
    while IFS= read -r -t "${EXPECT_WITHIN:-120}" -u "${fd_of[$name]}" line; do
        seen+=$line$'\n'
        # shellcheck disable=SC2053 # a glob by design
        if [[ $line == $pattern ]]; then return; fi
    done
    die "$name: no line like $pattern; it said: ${seen:-nothing}"
}

# finish NAME SIGNAL: expects the end with status 0; the remaining output is in $seen.
finish() {
    local name=$1 status=0
    kill -"$2" "${pid_of[$name]}"
    seen=$(cat <&"${fd_of[$name]}")
    wait "${pid_of[$name]}" || status=$?
    unset "pid_of[$name]"
    rm "$work/$name.out"
    ((status == 0)) || die "$name ended with $status after SIG$2"
}

# serve [FLAGS...]: starts a server; its address is in $address and its admin kubeconfig in $work/admin. Its namespaces
# are empty, so that a list shows what a script has made.
serve() {
    start serve "$tool" serve --empty-namespaces --kubeconfig-out "$work/admin" --limited-kubeconfig-out "$work/limited" "$@"
    expect serve 'listening on https://127.0.0.1:*'
    address=${line##*//}
    sed -n 's/^ *certificate-authority-data: *"\?\([^"]*\)"\?$/\1/p' "$work/admin" | base64 -d >"$work/ca.pem"
    token=$(sed -n 's/^ *token: *"\?\([^"]*\)"\?$/\1/p' "$work/admin")
}

# api METHOD PATH [BODY]: sends one request as the admin; a PATCH is a merge patch.
api() {
    local type=application/json body=${3:-}
    if [[ $1 == PATCH ]]; then type=application/merge-patch+json; fi
    printf '%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s' \
        "$1" "$2" "$address" "$token" "$type" "${#body}" "$body" |
        openssl s_client -quiet -verify_return_error -CAfile "$work/ca.pem" -connect "$address" >"$work/answer" 2>/dev/null || true
    [[ $(head -1 "$work/answer") == *' 20'[0-9]* ]] || die "$1 $2: $(cat "$work/answer")"
}

# ends STATUS PATTERN COMMAND...: expects this status, and stderr that matches the glob.
ends() {
    local wanted=$1 pattern=$2 status=0 said
    shift 2
    said=$("$@" 2>&1 >"$work/stdout") || status=$?
    ((status == wanted)) || die "$*: status $status in place of $wanted; it said: $said"
    # shellcheck disable=SC2053
    [[ $said == $pattern ]] || die "$*: said \"$said\" in place of $pattern"
}
fails() { ends 1 "$@"; }
misuses() { ends 2 "$@"; }

# prints TEXT COMMAND...: expects success and exactly this output.
prints() {
    local wanted=$1 said
    shift
    said=$("$@" 2>"$work/prints.err") || die "$*: failed: $(cat "$work/prints.err")"
    [[ $said == "$wanted" ]] || die "$*: printed \"$said\" in place of \"$wanted\""
}

# like PATTERN COMMAND...: expects success and output that matches the glob.
like() {
    local pattern=$1 said
    shift
    said=$("$@" 2>"$work/like.err") || die "$*: failed: $(cat "$work/like.err")"
    # shellcheck disable=SC2053
    [[ $said == $pattern ]] || die "$*: printed \"$said\" in place of $pattern"
}

# write_app: manifests in $work/app (a definition, and an object of its kind) and $work/app/more (a list of two objects).
write_app() {
    mkdir -p "$work/app/more"
    cat >"$work/app/all.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {size: 3}
YAML
    cat >"$work/app/more/web.yaml" <<'YAML'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings}
  data: {colour: blue}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    replicas: 2
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: example.com/web}]}}
YAML
}
