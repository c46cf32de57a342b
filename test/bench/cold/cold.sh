#!/usr/bin/env bash
# CPU seconds of a first `./dev demo` and of a first `./dev test` after it, in a fresh clone of the last commit, without a compiler cache.
# CPU seconds, because they hardly depend on the number of cores and on what else runs.
#
#   cold.sh ROOT           measures; fails when one takes more than 1.2 times its budget
#   cold.sh --table DIR    prints the table of a measurement again, from the files that it left in DIR
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
verbs=(demo test)
declare -A budget=([demo]=450 [test]=1500)

# Lines "user system output" of each verb become a row per module: the folder whose files were compiled.
table() { # directory
    local verb logs=()
    for verb in "${verbs[@]}"; do logs+=("$1/$verb.log"); done
    awk '
    FNR == 1 { verb++ }
    {
        part = $3
        if (part ~ /^bin\// || part !~ /\/CMakeFiles\//) part = "linking"
        sub(/\/CMakeFiles\/.*/, "", part)
        split(part, folder, "/")
        if (folder[2] != "" && part !~ /\.(a|so)/) part = folder[1] "/" folder[2] (folder[1] == "test" && folder[3] != "" ? "/" folder[3] : "")
        seconds[part, verb] += $1 + $2
        sum[part] += $1 + $2
        files[part]++
    }
    END {
        printf "%-34s %7s %9s %9s\n", "compiled and linked", "files", "demo", "test"
        for (part in sum) printf "%-34s %7d %9.1f %9.1f\n", part, files[part], seconds[part, 1], seconds[part, 2] | "sort -k1,1"
    }' "${logs[@]}"
    printf '\n'
    local spent compiled status=0
    for verb in "${verbs[@]}"; do
        read -r spent <"$1/$verb.total"
        compiled=$(awk '{ s += $1 + $2 } END { printf "%.0f", s }' "$1/$verb.log")
        printf './dev %s: %.0f CPU seconds (compiling and linking: %s), %s by the clock; the budget is %s\n' "$verb" "${spent% *}" "$compiled" \
            "${spent#* }" "${budget[$verb]}"
        if awk -v s="${spent% *}" -v b="${budget[$verb]}" 'BEGIN { exit s <= 1.2 * b }'; then
            echo "./dev $verb: more than 1.2 times the budget"
            status=1
        fi
    done
    return "$status"
}

measure() { # root
    local work=$1/build/bench/cold verb spent status=0
    rm -rf "$work"
    mkdir -p "$work"
    git clone -q "$1" "$work/tree"
    export CCACHE_DISABLE=1 CMAKE_CXX_COMPILER_LAUNCHER=$here/count.sh CMAKE_CXX_LINKER_LAUNCHER=$here/count.sh
    for verb in "${verbs[@]}"; do
        export KUBECORO_COLD_LOG=$work/$verb.log
        TIMEFORMAT='%U %S %R'
        : >"$KUBECORO_COLD_LOG"
        spent=$({ time "$work/tree/dev" "$verb" >"$work/$verb.out" 2>&1 </dev/null || echo failed >"$work/$verb.failed"; } 2>&1)
        awk '{ printf "%.1f %d:%02d\n", $1 + $2, $3 / 60, $3 % 60 }' <<<"$spent" >"$work/$verb.total"
        if [[ -e $work/$verb.failed ]]; then
            tail -n 30 "$work/$verb.out"
            echo "./dev $verb failed: $work/$verb.out" >&2
            status=1
        fi
    done
    ((status == 0)) || return 1
    table "$work" | tee "$work/table"
}

case ${1:-} in
--table) table "$2" ;;
'') echo "usage: cold.sh ROOT | cold.sh --table DIR" >&2 && exit 2 ;;
*) measure "$1" ;;
esac
