#!/usr/bin/env bash
# Joins the profiles of a coverage build and prints which lines of each module were executed, the files with most missing lines,
# and where the lines are shown. No threshold: the report says where to look, tests are not written for a number.
# usage: report.sh LLVM_COV LLVM_PROFDATA BUILD
set -euo pipefail
llvm_cov=$1 profdata=$2 build=$3
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

"$profdata" merge -sparse "$build"/profiles/*.profraw -o "$build/all.profdata"
programs=()
for program in "$build"/bin/test_*; do
    if [[ -x $program ]]; then programs+=(-object "$program"); fi
done
# The first program is given without -object.
sources=("${programs[1]}" "${programs[@]:2}" -instr-profile="$build/all.profdata")
"$llvm_cov" show "${sources[@]}" -format=html -output-dir="$build/html" "$root/lib" >/dev/null
"$llvm_cov" report "${sources[@]}" "$root/lib" >"$build/report.txt"
# FILE REGIONS MISSED % FUNCTIONS MISSED % LINES MISSED % [BRANCHES MISSED %]
awk '
    $1 ~ /\.(cpp|hpp)$/ {
        file = $1
        sub(/.*lib\//, "", file)
        module = file
        sub(/\/.*/, "", module)
        lines[module] += $8
        missed[module] += $9
        if ($9 > 0) printf "%d %d %s\n", $9, $8, file | "sort -rn | head -30 > " worst
    }
    END {
        printf "%-12s %8s %9s %9s\n", "module", "lines", "missed", "executed"
        for (m in lines) printf "%-12s %8d %9d %8.1f%%\n", m, lines[m], missed[m], 100 * (1 - missed[m] / lines[m]) | "sort"
    }' worst="$build/worst.txt" "$build/report.txt"
printf '\nmost missing lines:\n'
awk '{ printf "%6d of %4d  lib/%s\n", $1, $2, $3 }' "$build/worst.txt"
echo "all lines: $build/html/index.html"
