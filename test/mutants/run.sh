#!/usr/bin/env bash
# Breaks the library on purpose, one rule at a time, and expects the named test to fail. docs/testing.md says how to add a mutant.
#
#   run.sh               every mutant
#   run.sh --sample N    N of them, other ones each day of the year
#   run.sh --only MODULE[:TEXT]   those of one list, or those of it whose rule contains TEXT; may be repeated
#   run.sh --applies     compiles nothing: checks that each list is well-formed and that each change has exactly one place
#
# Ends with the slowest ten and those that were not killed.
# Works on copies of the tree below build/mutants, one for each of KUBECORO_JOBS workers; the checkout is never changed.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/mutants
hang_seconds=60
memory_kilobytes=8000000

rules=() modules=() files=() programs=() specs=()
selected=()

die() {
    echo "mutants: $*" >&2
    exit 2
}

read_lists() {
    local module file program spec rule
    while IFS=$'\x1f' read -r module file program spec rule; do
        modules+=("$module") files+=("$file") programs+=("$program") specs+=("$spec") rules+=("$rule")
    done < <(python3 "$here/mutants.py" list "$root")
    ((${#rules[@]})) || die "no mutant can be read: see $0 --applies"
}

describe() { echo "${modules[$1]}: ${rules[$1]}"; } # index

# ---- building and running in a tree of a worker

# Brings the worker's copy up to date. A file that differs gets a new time, so that what a killed run left is compiled again.
refresh_tree() { # tree
    local name
    mkdir -p "$1"
    for name in CMakeLists.txt CMakePresets.json README.md LICENSE; do cmp -s "$root/$name" "$1/$name" || cp "$root/$name" "$1/$name"; done
    for name in lib apps test docs; do
        mkdir -p "$1/$name"
        { diff -rq "$root/$name" "$1/$name" || true; } | while IFS= read -r line; do
            case $line in
            "Files $root/"*)
                line=${line#"Files $root/"}
                cp "$root/${line%% and *}" "$1/${line%% and *}"
                ;;
            "Only in $1/"*) # first: the copy is below the root
                line=${line#"Only in $1/"}
                rm -rf "${1:?}/${line%%: *}/${line#*: }"
                ;;
            "Only in $root/"*)
                line=${line#"Only in $root/"}
                cp -R "$root/${line%%: *}/${line#*: }" "$1/${line%%: *}/"
                ;;
            esac
        done
    done
}

build() { # tree program...
    local tree=$1
    shift
    cmake --build "$tree/build/release" -j "$jobs_of_a_worker" --target "${@/#/test_}" >"$tree/build/log" 2>&1
}

# The program with its arguments: one quoted Catch2 test specification, or words.
run_test() { # tree index
    local arguments=() spec=${specs[$2]}
    if [[ $spec == '"'*'"' ]]; then arguments=("${spec:1:-1}"); else read -r -a arguments <<<"$spec"; fi
    (
        ulimit -v "$memory_kilobytes" -c 0
        cd "$1/build/release" && timeout -k 5 "$hang_seconds" "bin/test_${programs[$2]}" "${arguments[@]}" >"$1/build/test.log" 2>&1
    )
}

# Each test must pass, and run at least one case, while nothing is broken. Sets `sound` to the mutants of which that is true.
sound=()
check_baseline() { # tree index...
    local tree=$1 i key wanted=()
    local -A passes=()
    shift
    for i in "$@"; do wanted+=("${programs[$i]}"); done
    mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" | sort -u)
    if ! build "$tree" "${wanted[@]}"; then
        tail -30 "$tree/build/log"
        return 1
    fi
    sound=()
    for i in "$@"; do
        key="${programs[$i]} ${specs[$i]}"
        if [[ ! ${passes[$key]:-} ]]; then
            passes[$key]=yes
            if ! run_test "$tree" "$i" || grep -q 'No test cases matched' "$tree/build/test.log"; then
                passes[$key]=no
                tail -15 "$tree/build/test.log"
            fi
        fi
        if [[ ${passes[$key]} == yes ]]; then sound+=("$i"); else report 'FAILS UNBROKEN' 0 "$i" "($key)"; fi
    done
}

# Prints one outcome, and keeps it for the summary.
report() { # outcome tenths-of-seconds index [remark]
    local line
    line=$(printf '%-17s %5d.%d s  %s%s' "$1" $(($2 / 10)) $(($2 % 10)) "$(describe "$3")" "${4:+ $4}")
    echo "$line"
    echo "$line" >>"$work/outcomes"
}

try_mutant() { # tree index
    local tree=$1 i=$2 file outcome status=0 start=${EPOCHREALTIME/./}
    file=$tree/${files[$i]}
    if ! python3 "$here/mutants.py" make "$tree" "$i"; then
        report 'NO LONGER APPLIES' 0 "$i"
        return 1
    fi
    if ! build "$tree" "${programs[$i]}"; then
        outcome='DOES NOT COMPILE'
    else
        run_test "$tree" "$i" 2>>"$tree/build/test.log" || status=$?
        case $status in
        0) outcome='SURVIVES' ;;
        124 | 137) outcome='killed by time' ;;
        *) outcome='killed' ;;
        esac
    fi
    cp "$root/${files[$i]}" "$file"
    report "$outcome" $(((${EPOCHREALTIME/./} - start) / 100000)) "$i"
    if [[ $outcome == DOES* ]]; then grep -m 3 -E 'error:|Error ' "$tree/build/log" || tail -5 "$tree/build/log"; fi
    [[ $outcome == killed* ]]
}

# Runs its share of the mutants; 0 when all of them were killed.
run_worker() { # number index...
    local tree=$work/tree-$1 bad=0 i
    shift
    refresh_tree "$tree"
    [[ -f $tree/build/release/build.ninja ]] || (cd "$tree" && mkdir -p build && cmake --preset release -DKUBECORO_UNITY=OFF >build/log 2>&1) || {
        cat "$tree/build/log"
        return 1
    }
    check_baseline "$tree" "$@" || return 1
    ((${#sound[@]} == $#)) || bad=1
    for i in "${sound[@]}"; do try_mutant "$tree" "$i" || bad=1; done
    return "$bad"
}

# ---- selection

select_sample() { # count
    local n=${#rules[@]} first i
    first=$((10#$(date +%j) * $1 % n))
    for ((i = 0; i < $1 && i < n; i++)); do selected+=($(((first + i) % n))); done
}

select_only() { # MODULE[:TEXT]
    local i module=${1%%:*} text=''
    [[ $1 != *:* ]] || text=${1#*:}
    for i in "${!rules[@]}"; do
        [[ ${modules[$i]} != "$module" || ${rules[$i]} != *"$text"* ]] || selected+=("$i")
    done
}

summarise() {
    echo "in $SECONDS s; the slowest:"
    sort -k1.18,1.25nr "$work/outcomes" | head -10
    if grep -qv '^killed  ' "$work/outcomes"; then
        echo "to be mended:"
        grep -v '^killed  ' "$work/outcomes"
    fi
}

run_selected() {
    local workers=${KUBECORO_JOBS:-$(nproc)} w i pids=() share status=0
    ((${#selected[@]})) || die "no mutant is named so"
    ((workers <= ${#selected[@]})) || workers=${#selected[@]}
    jobs_of_a_worker=1
    mapfile -t selected < <(for i in "${selected[@]}"; do echo "${programs[$i]} ${files[$i]} $i"; done | sort | sed 's/.* //') # neighbours share what is compiled
    echo "${#selected[@]} of ${#rules[@]} mutants, $workers at a time"
    mkdir -p "$work"
    : >"$work/outcomes"
    for ((w = 0; w < workers; w++)); do
        share=("${selected[@]:${#selected[@]}*w/workers:${#selected[@]}*(w+1)/workers-${#selected[@]}*w/workers}")
        run_worker "$w" "${share[@]}" &
        pids+=($!)
    done
    for w in "${pids[@]}"; do wait "$w" || status=1; done
    summarise
    if ((status)); then echo "not every mutant was killed"; else echo "${#selected[@]} mutants, all killed"; fi
    return "$status"
}

[[ ${1:-} != --applies ]] || exec python3 "$here/mutants.py" check "$root"
read_lists
(($#)) || selected=("${!rules[@]}")
while (($#)); do
    case $1 in
    --sample) select_sample "${2:?--sample takes a number}" ;;
    --only) select_only "${2:?--only takes MODULE[:TEXT]}" ;;
    *) die "not understood: $1 (see the head of $0)" ;;
    esac
    shift 2
done
run_selected
