#!/bin/bash
# Tests `kubecoro serve`: --data, -v, and shutdown. Usage: serve.sh KUBECORO_BINARY.
set -u
tool=$1
work=$(mktemp -d)
server=
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
failed=0
complain() { echo "FAILED: $1"; failed=1; }

# Starts a server and waits for its address. Writes its output to $work/out and its log to $work/log.
start() {
    : >"$work/out"
    "$tool" serve --listen 127.0.0.1:0 --kubeconfig-out "$work/kubeconfig" "$@" >"$work/out" 2>"$work/log" &
    server=$!
    for _ in $(seq 1200); do
        grep -q '^listening on' "$work/out" && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    cat "$work/log"
    complain "the server did not start with: $*"
}
# A server that does not end is killed, which its status shows.
stop() {
    kill -TERM "$server"
    for _ in $(seq 1200); do
        kill -0 "$server" 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL "$server" 2>/dev/null
    wait "$server" || complain "the server ended with status $?: $(tail -n 3 "$work/log")"
}
names() { bounded watch configmaps -A --once --kubeconfig "$work/kubeconfig" -o json | head -n 1; }
bounded() {
    timeout -k 5 120 "$tool" "$@"
    local status=$?
    [ "$status" -lt 124 ] || echo "FAILED: kubecoro $1 did not end: status $status" >&2
    return "$status"
}

cat >"$work/map.yaml" <<EOF
apiVersion: v1
kind: ConfigMap
metadata: {name: kept, namespace: default}
EOF

start -v --data "$work/data" --load "$work/map.yaml"
names | grep -q '"kept"' || complain "the object was not loaded"
grep -q 'request.*method=GET.*status=200.*user=admin' "$work/log" || complain "-v logs no requests"
grep -o 'token: .*\|certificate-authority-data: .*' "$work/kubeconfig" >"$work/first"
bounded serve --data "$work/data" >/dev/null 2>"$work/second-log" && complain "two servers use one directory"
grep -q 'in use by another server' "$work/second-log" || complain "the second server does not report why it ended"
stop

[ "$(stat -c %a "$work/data")" = 700 ] || complain "the data directory is accessible to other users"
for file in authority.pem admin.token limited.token state.json; do
    [ "$(stat -c %a "$work/data/$file")" = 600 ] || complain "$file is accessible to other users"
done

start --data "$work/data"
grep -o 'token: .*\|certificate-authority-data: .*' "$work/kubeconfig" | cmp -s - "$work/first" ||
    complain "the token or the authority changed with the restart"
names | grep -q '"kept"' || complain "the state was lost with the restart"
grep -q request "$work/log" && complain "requests are logged without -v"
stop

echo nonsense >"$work/data/state.json"
bounded serve --data "$work/data" >/dev/null 2>"$work/log" && complain "an invalid state was accepted"
grep -q 'saved state, line 1' "$work/log" || complain "an invalid state is not reported"

"$tool" serve --listen 0.0.0.0:0 2>"$work/log" | head -n 1 >"$work/out" &
server=$!
for _ in $(seq 1200); do
    grep -q . "$work/out" && ! pgrep -P $$ -x kubecoro >/dev/null && break
    sleep 0.05
done
pgrep -P $$ -x kubecoro >/dev/null && complain "the server continues although its output is not read"
grep -q 'all interfaces' "$work/log" || complain "no warning about --listen 0.0.0.0"
grep -q '^listening on https://127.0.0.1:' "$work/out" || complain "the printed address is not one to connect to"
exit $failed
