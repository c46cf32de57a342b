#!/usr/bin/env bash
# The tables in test/docs/conformance.
#   conformance.sh tables ROOT         writes them as Markdown to standard output, for the site
#   conformance.sh check ROOT BUILD    fails when a row names a test that its program does not have, or when
#                                      that program is not registered with ctest or is disabled, or when a row is missing
# A table: "= title", "> text" under it, and rows of three columns,
#   WHAT | TESTS | REMARK
# TESTS is `program: name of the test`, or `script: name of the ctest entry`, several of them joined by ` && `; `-` where the rule does not
# apply, with the reason as remark; `missing` where a test is to be written.
set -u -o pipefail
verb=${1:?usage: conformance.sh tables|check ROOT [BUILD]}
root=${2:?usage: conformance.sh tables|check ROOT [BUILD]}
cd "$root" || exit 2
shopt -s nullglob
tables=(test/docs/conformance/*.txt)

write_tables() {
    awk -F' [|] ' '
        /^#/ || /^ *$/ { next }
        /^= / { printf "\n## %s\n", substr($0, 3); head = 1; next }
        /^> / { printf "\n%s\n", substr($0, 3); next }
        {
            if (head) { print "\n| upstream | our test | remark |\n|---|---|---|"; head = 0 }
            gsub(/ && /, "<br>", $2)
            if ($2 == "-") $2 = "does not apply"
            if ($2 == "missing") $2 = "**missing**"
            printf "| %s | %s |%s|\n", $1, $2, $3 == "" ? " " : " " $3 " "
        }' "${tables[@]}"
}

# Rows that are no rows, one a line.
malformed() {
    awk -F' [|] ' '!/^[#=>]/ && !/^ *$/ && (NF < 2 || NF > 3 || ($2 == "-" && $3 == "") || $2 == "") {
        printf "%s:%d: not a row: %s\n", FILENAME, FNR, $0 }' "${tables[@]}"
}

# Rows whose test is to be written, one a line.
unheld() { awk -F' [|] ' '!/^[#=>]/ && $2 == "missing" { printf "%s:%d: no test holds: %s\n", FILENAME, FNR, $1 }' "${tables[@]}"; }

# PROGRAM<tab>TEST of every row that names a test.
named_tests() {
    awk -F' [|] ' '!/^[#=>]/ && NF > 1 && $2 != "-" && $2 != "missing" {
        n = split($2, all, " && ")
        for (i = 1; i <= n; i++) { at = index(all[i], ": "); print substr(all[i], 1, at - 1) "\t" substr(all[i], at + 2) }
    }' "${tables[@]}" | sort -u
}

# The tests of a program. Catch2 2 and 3 name the option differently; 2 exits with the number of tests.
tests_of() { "$1" --list-test-names-only 2>/dev/null || "$1" --list-tests --verbosity quiet 2>/dev/null || true; }

check() {
    local build=$1 bad=0 program test registered names
    complain() { echo "$1"; bad=$((bad + 1)); }
    while IFS= read -r line; do complain "$line"; done < <(malformed; unheld)
    registered=$(cd "$build" && ctest -N 2>/dev/null)
    while IFS= read -r program; do
        if [ "$program" = script ]; then
            while IFS= read -r test; do
                grep -qE "Test +#[0-9]+: $test\$" <<<"$registered" || complain "script: no test that runs: $test"
            done < <(named_tests | awk -F'\t' '$1 == "script" { print $2 }')
            continue
        fi
        grep -qE "Test +#[0-9]+: $program\$" <<<"$registered" || complain "$program: no test program that runs"
        [ -x "$build/bin/test_$program" ] || { complain "$program: not built"; continue; }
        names=$(tests_of "$build/bin/test_$program")
        while IFS= read -r test; do
            grep -qxF -- "$test" <<<"$names" || complain "$program: no test named: $test"
        done < <(named_tests | awk -F'\t' -v p="$program" '$1 == p { print $2 }')
    done < <(named_tests | cut -f1 | uniq)
    awk -F' [|] ' '!/^[#=>]/ && NF > 1 { rows++; if ($2 == "missing") missing++; else if ($2 == "-") others++ }
        END { printf "%d rows: %d tested, %d do not apply, %d missing\n", rows, rows - others - missing, others, missing }' "${tables[@]}"
    [ "$bad" -eq 0 ]
}

case $verb in
tables) write_tables ;;
check) check "${3:?usage: conformance.sh check ROOT BUILD}" ;;
*) exit 2 ;;
esac
