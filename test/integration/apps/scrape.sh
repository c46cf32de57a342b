# Sourced after common.sh: reads a page over HTTP/1.1 without other programs.
# shellcheck shell=bash

# scrape PORT [TOKEN]: prints the body of /metrics, which may come in chunks. Fails when it breaks off.
scrape() (
    export LC_ALL=C # sizes are bytes
    exec {peer}<>"/dev/tcp/127.0.0.1/$1" || return 1
    printf 'GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n' "${2:+Authorization: Bearer $2$'\r\n'}" >&"$peer"
    IFS= read -r status <&"$peer" || return 1
    [[ $status == 'HTTP/1.1 200'* ]] || { echo "$status" >&2; return 1; }
    chunked=
    while IFS= read -r header <&"$peer" && [[ $header != $'\r' ]]; do
        [[ ${header,,} == transfer-encoding:*chunked* ]] && chunked=1
    done
    [[ $chunked ]] || { cat <&"$peer"; return; }
    while IFS= read -r size <&"$peer"; do
        size=$((16#${size%$'\r'}))
        ((size)) || return 0
        IFS= read -r -d '' -N "$size" part <&"$peer" || return 1
        printf '%s' "$part"
        IFS= read -r _ <&"$peer"
    done
    return 1
)

# counts NAME LABEL VALUE NUMBER: expects the only series of that name with this label at $port to have the number.
counts() {
    local found
    found=$(scrape "$port" | grep "^$1{$2=\"$3\"}")
    [[ $found == *' '"$4" ]] || die "$found in place of $4"
}

# metrics_of NAME: starts the operator "$operator" under that name; the port of its series is in $port.
metrics_of() {
    local name=$1
    shift
    # shellcheck disable=SC2016 # the inner shell's
    start "$name" bash -c 'exec "$@" 2>&1' -- "$operator" --kubeconfig "$work/admin" --log-format json \
        --series-address 127.0.0.1:0 --metrics-address 127.0.0.1:0 --health-address 127.0.0.1:0 "$@"
    # The program's own page, then that of the series.
    expect "$name" '*"message":"serving"*'
    expect "$name" '*"message":"serving"*'
    port=$(sed 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/' <<<"$line")
}
