#!/usr/bin/env bash
# The servers that the bench starts are stopped however the bench ends, unless they are to be kept. They are played by scripts.
# Usage: interrupted.sh KUBECORO_BENCH_CLUSTER
set -euo pipefail
set -m # a bench in the background gets a process group, and signals, of its own

bench=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

die() { echo "FAILED: $*" >&2; exit 1; }

mkdir -p "$dir/peers" "$dir/cluster"
cat >"$dir/cluster.sh" <<END
#!/bin/sh
echo "\$1 \$KUBECORO_CLUSTER_DIR" >>"$dir/orders"
if [ "\$1" = up ] && [ -e "$dir/slow" ]; then touch "$dir/waiting"; sleep 600; fi
END
# Fills the cluster forever.
cat >"$dir/peers/load" <<END
#!/bin/sh
touch "$dir/waiting"
sleep 600
END
chmod +x "$dir/cluster.sh" "$dir/peers/load"
touch "$dir/cluster/pods-2.records"

within() { # seconds condition...
    local i
    for ((i = 0; i < $1 * 20; i++)); do
        if "${@:2}"; then return 0; fi
        sleep 0.05
    done
    return 1
}
ordered() { grep -qs "^$1 $dir/cluster/cluster\$" "$dir/orders"; }

interrupted() { # signal [flags]: a bench that ends by the signal while it waits
    local signal=$1
    shift
    rm -f "$dir/orders" "$dir/waiting"
    "$bench" sync --pods 2 --widgets 0 --requests 0 --rounds 1 --cluster "$dir/cluster.sh" --peers "$dir/peers" \
        --out "$dir/results.json" "$@" >"$dir/log" 2>&1 &
    local pid=$!
    within 20 test -e "$dir/waiting" || { cat "$dir/log"; die "the bench did not start"; }
    kill "-$signal" -- "-$pid"
    wait "$pid" && die "SIG$signal: the bench ended well"
    return 0
}

for signal in INT TERM HUP KILL; do
    interrupted "$signal"
    within 10 ordered down || die "SIG$signal: the servers go on running"
done
interrupted INT --keep
within 1 ordered down && die "--keep: the servers were stopped"
touch "$dir/slow"
interrupted INT
within 10 ordered down || die "interrupted while the servers start: they go on running"
[[ $(grep -c '^down' "$dir/orders") == 1 ]] || die "stopped more than once"
echo "the servers end with the bench"
