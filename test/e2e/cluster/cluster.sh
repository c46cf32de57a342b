#!/usr/bin/env bash
# Starts, disturbs and stops a kube-apiserver with etcd on free loopback ports, for the end-to-end tests.
# Usage: cluster.sh up|down|status|kubeconfig, and for tests: restart-apiserver, kill-apiserver, start-apiserver,
# stop-apiserver (SIGSTOP), cont-apiserver (SIGCONT), compact, rotate-certificates. State is in build/cluster; `down` ends only what `up` started.
# KUBECORO_APISERVER_FLAGS adds flags to every start of kube-apiserver, e.g. --min-request-timeout=10.
# KUBECORO_CLUSTER_DIR is another directory for the state, so that a second cluster can run; the programs are shared.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
base=${KUBECORO_CLUSTER_DIR:-$root/build/cluster}
run=$base/run
bin=$root/build/cluster/bin
umask 077

say() { echo "cluster: $*" >&2; }
die() { say "$*"; exit 1; }

# ---- processes: a pid file holds the pid, its start time and the boot id, so that a reused pid is detected

identity() { # pid -> "start-time boot-id"; nothing when the process does not exist or has ended
    local stat fields
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    read -ra fields <<<"${stat##*) }"
    [[ ${fields[0]} == Z ]] || echo "${fields[19]} $(cat /proc/sys/kernel/random/boot_id)"
}

pid_of() { # name -> pid, when the process that launch() started still runs
    local pid id
    read -r pid id 2>/dev/null <"$run/$1.pid" || return 1
    [[ -n $id && $(identity "$pid") == "$id" ]] && echo "$pid"
}

launch() { # name command...: detached, output to $run/NAME.log
    local name=$1
    shift
    setsid "$@" >>"$run/$name.log" 2>&1 </dev/null 9>&- &
    echo "$! $(identity $!)" >"$run/$name.pid"
    disown
}

finish() { # name seconds: terminates, waits up to that time, then kills
    local pid i
    pid=$(pid_of "$1") || { rm -f "$run/$1.pid"; return 0; }
    kill -TERM "$pid" 2>/dev/null || true
    kill -CONT "$pid" 2>/dev/null || true
    for ((i = 0; i < $2 * 10; i++)); do
        pid_of "$1" >/dev/null || break
        sleep 0.1
    done
    kill_now "$1"
}

kill_now() { # name
    local pid
    if pid=$(pid_of "$1"); then
        kill -KILL "$pid" 2>/dev/null || true
        while pid_of "$1" >/dev/null; do sleep 0.02; done
    fi
    rm -f "$run/$1.pid"
}

free_port() { # below the kernel's range of ephemeral ports
    local port
    while true; do
        port=$((20000 + RANDOM % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}

wait_for() { # name what seconds command...: waits until the command succeeds; fails when the process ends first
    local name=$1 what=$2 deadline=$((SECONDS + $3)) start=$SECONDS
    shift 3
    printf 'cluster: waiting for %s ' "$what" >&2
    while ! "$@" >/dev/null 2>&1; do
        if ! pid_of "$name" >/dev/null || ((SECONDS > deadline)); then
            echo ' no' >&2
            return 1
        fi
        printf . >&2
        sleep 0.25
    done
    echo " ready after $((SECONDS - start)) s" >&2
}

# ---- etcd

etcd_url() { echo "http://127.0.0.1:$(cat "$run/etcd.port")"; }
etcd_post() { curl -sf --noproxy '*' --max-time 10 "$(etcd_url)$1" -d "$2"; }

start_etcd() {
    local attempt client peer
    for attempt in 1 2 3; do
        client=$(free_port) peer=$(free_port)
        echo "$client" >"$run/etcd.port"
        launch etcd "$bin/etcd" --data-dir "$run/etcd" --logger zap --log-level warn --unsafe-no-fsync --quota-backend-bytes 8589934592 \
            --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
            --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
            --initial-cluster "default=http://127.0.0.1:$peer"
        wait_for etcd "etcd on port $client (try $attempt)" 30 etcd_post /v3/maintenance/status '{}' && return
        kill_now etcd
        rm -rf "$run/etcd"
    done
    tail -5 "$run/etcd.log" >&2
    die "etcd did not start; see $run/etcd.log"
}

compact() { # drops all history, so that a watch or page from an older resourceVersion is answered with 410
    local revision answer
    revision=$(etcd_post /v3/kv/range '{"key":"Lw=="}' | sed -n 's/.*"revision":"\([0-9]*\)".*/\1/p')
    [[ -n $revision ]] || die "etcd does not answer"
    answer=$(curl -s --noproxy '*' --max-time 10 "$(etcd_url)/v3/kv/compaction" -d "{\"revision\":\"$revision\",\"physical\":true}")
    case $answer in
    *'"header"'* | *'has been compacted'*) echo "compacted at revision $revision" ;;
    *) die "etcd refused to compact at revision $revision: $answer" ;;
    esac
}

# ---- kube-apiserver

make_pki() { # one CA for the server's certificate and for client certificates; two token users
    local pki=$run/pki
    mkdir -p "$pki"
    make_certificates "$pki"
    openssl genrsa -out "$pki/sa.key" 2048 >>"$run/pki.log" 2>&1 || die "openssl failed; see $run/pki.log"
    openssl rand -hex 16 >"$pki/admin.token"
    openssl rand -hex 16 >"$pki/limited.token"
    echo "$(cat "$pki/admin.token"),admin,1,\"system:masters\"" >"$run/tokens.csv"
    echo "$(cat "$pki/limited.token"),limited,2" >>"$run/tokens.csv"
}

make_certificates() { # folder: a CA, and a certificate of the server and one of a client that it has signed
    {
        openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=kubecoro-test-ca -keyout "$1/ca.key" -out "$1/ca.crt"
        signed "$1" server /CN=kube-apiserver 'subjectAltName=IP:127.0.0.1,DNS:localhost'
        signed "$1" admin /O=system:masters/CN=admin-by-certificate 'extendedKeyUsage=clientAuth'
    } >>"$run/pki.log" 2>&1 || die "openssl failed; see $run/pki.log"
}

rotate_certificates() { # another CA, and certificates by it; the server, which reads its files again, trusts no other one
    local name
    rm -rf "$run/next"
    mkdir "$run/next"
    make_certificates "$run/next"
    for name in ca.key ca.crt server.key server.crt admin.key admin.crt; do mv "$run/next/$name" "$run/pki/$name"; done
    write_kubeconfigs
}

signed() { # folder name subject extension: creates NAME.key and NAME.crt in the folder
    local pki=$1
    shift
    openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$pki/$1.key" -out "$pki/$1.csr"
    echo "$3" >"$pki/$1.ext"
    openssl x509 -req -in "$pki/$1.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -CAcreateserial -days 365 \
        -extfile "$pki/$1.ext" -out "$pki/$1.crt"
}

api_get() { # path, as the administrator (the token is passed in a file, because command lines are public)
    curl -sf --noproxy '*' --max-time 5 --cacert "$run/pki/ca.crt" -H @"$run/pki/admin.header" \
        "https://127.0.0.1:$(cat "$run/apiserver.port")$1"
}

api_ready() { api_get /readyz && api_get /api/v1/namespaces/default; }

start_apiserver() { # returns when it is ready
    local port extra
    if pid_of kube-apiserver >/dev/null; then return; fi
    [[ -s $run/apiserver.port ]] || die "not up"
    port=$(cat "$run/apiserver.port")
    echo "Authorization: Bearer $(cat "$run/pki/admin.token")" >"$run/pki/admin.header"
    read -ra extra <<<"${KUBECORO_APISERVER_FLAGS:-}"
    # configmaps are served without a watch cache, so that after a compaction an old resourceVersion is answered with 410;
    # for other kinds the cache answers until the server is restarted. etcd is compacted only on request.
    launch kube-apiserver "$bin/kube-apiserver" --etcd-servers "$(etcd_url)" --bind-address 127.0.0.1 --secure-port "$port" \
        --tls-cert-file "$run/pki/server.crt" --tls-private-key-file "$run/pki/server.key" --cert-dir "$run/pki" \
        --client-ca-file "$run/pki/ca.crt" --token-auth-file "$run/tokens.csv" --authorization-mode RBAC \
        --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$run/pki/sa.key" \
        --service-account-signing-key-file "$run/pki/sa.key" --service-cluster-ip-range 10.0.0.0/24 \
        --disable-admission-plugins ServiceAccount --allow-privileged=true \
        --etcd-compaction-interval 0 --watch-cache-sizes configmaps#0 --feature-gates ShardedListAndWatch=true "${extra[@]}"
    wait_for kube-apiserver "kube-apiserver on port $port" 90 api_ready
}

kubeconfig_file() { # file context cluster-ca user-lines
    cat >"$1" <<EOF
apiVersion: v1
kind: Config
current-context: $2
contexts:
- name: $2
  context: {cluster: e2e, user: $2, namespace: default}
clusters:
- name: e2e
  cluster:
    server: https://127.0.0.1:$(cat "$run/apiserver.port")
    $3
users:
- name: $2
  user:
$4
EOF
}

write_kubeconfigs() { # two with inline data, one with relative file names; the tests read all three
    local ca
    ca="certificate-authority-data: $(base64 -w0 <"$run/pki/ca.crt")"
    kubeconfig_file "$base/kubeconfig" admin "$ca" "    token: $(cat "$run/pki/admin.token")"
    kubeconfig_file "$base/kubeconfig-limited" limited "$ca" "    token: $(cat "$run/pki/limited.token")"
    kubeconfig_file "$base/kubeconfig-cert" admin-by-certificate "certificate-authority: run/pki/ca.crt" \
        "    client-certificate: run/pki/admin.crt
    client-key: run/pki/admin.key"
}

# ---- verbs

up() {
    local attempt
    if pid_of etcd >/dev/null && pid_of kube-apiserver >/dev/null; then
        say "already up: $base/kubeconfig"
        return
    fi
    "$root/test/e2e/cluster/build.sh" "$bin" >&2
    down
    mkdir -p "$run"
    start_etcd
    make_pki
    for attempt in 1 2 3; do
        free_port >"$run/apiserver.port"
        if start_apiserver; then
            write_kubeconfigs
            say "up: export KUBECONFIG=$base/kubeconfig (also kubeconfig-cert, kubeconfig-limited); kubectl is $bin/kubectl"
            return
        fi
        kill_now kube-apiserver
    done
    tail -5 "$run/kube-apiserver.log" >&2
    cp "$run"/*.log "$base"
    down
    die "kube-apiserver did not start; see $base/kube-apiserver.log"
}

down() {
    finish kube-apiserver 3
    finish etcd 3
    rm -rf "$run" "$base"/kubeconfig{,-cert,-limited}
}

status() {
    local name pid
    for name in etcd kube-apiserver; do
        if pid=$(pid_of "$name"); then echo "$name: running, pid $pid"; else echo "$name: not running"; fi
    done
    pid_of etcd >/dev/null && pid_of kube-apiserver >/dev/null
}

signal_apiserver() { # signal
    local pid
    pid=$(pid_of kube-apiserver) || die "kube-apiserver is not running"
    kill "-$1" "$pid"
}

exclusive() { # one up, down or restart at a time
    mkdir -p "$base"
    exec 9>"$base/lock"
    flock 9
}

case ${1:-} in
up) exclusive; up ;;
down)
    exclusive
    if [[ -d $run ]]; then down; say "down"; else say "not up"; fi
    ;;
status) status ;;
kubeconfig)
    [[ -f $base/kubeconfig ]] || die "not up; start it with ./dev cluster up"
    echo "$base/kubeconfig"
    ;;
start-apiserver) exclusive; start_apiserver ;;
restart-apiserver) exclusive; finish kube-apiserver 10; start_apiserver ;;
kill-apiserver) exclusive; pid_of kube-apiserver >/dev/null || die "kube-apiserver is not running"; kill_now kube-apiserver ;;
stop-apiserver) signal_apiserver STOP ;;
cont-apiserver) signal_apiserver CONT ;;
compact) compact ;;
rotate-certificates) exclusive; rotate_certificates ;;
*) die "usage: cluster up|down|kubeconfig|status" ;;
esac
