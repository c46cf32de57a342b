#!/usr/bin/env bash
# Runs mutants.py on a tree made here: what it finds, changes and reports.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/test/mutants" "$tree/lib/base/src"

source=$tree/lib/base/src/backoff.cpp
write_source() {
    cat >"$source" <<'END'
constexpr int most = 8;
int limit(int delay);
struct pace
{
    int next(int d) const { return d + 1; } // d + 2
    int first = 1;
};
template<class T>
backoff<T>::backoff(int cap)
    : cap_{cap}, base_(0)
{
}
int backoff<int>::next(int delay)
{
    if (limit(delay) > 1 && "}" != name_) {
        return std::min(
            delay, cap_);
    }
    ++attempts_;
    return delay << delay; /* { */
}
int next() { return attempts_; }
END
}

mutant() { # function change..
    printf '== a rule\n%s\nunit_base "backoff*"\n' "$1" >"$tree/test/mutants/base.txt"
    printf '%s\n' "${@:2}" >>"$tree/test/mutants/base.txt"
    write_source
}

makes() { # the line that is different then
    "$here/mutants.py" make "$tree" 0 && grep -qxF -- "$1" "$source" && return
    echo "expected the line: $1, got:"
    cat "$source"
    failed=1
}

reports() { # text
    local report
    report=$("$here/mutants.py" check "$tree" 2>&1) && { echo "not noticed: $1"; failed=1; }
    grep -qF -- "$1" <<<"$report" || { echo "expected: $1, got: $report"; failed=1; }
}

mutant backoff::next 'std::min(delay, cap_) => delay'
makes '        return delay;'
mutant backoff::next '++attempts_; =>'
makes '    '
mutant backoff::next 'delay << delay => 1' 'limit(delay) > 1 => true'
makes '    return 1; /* { */'
mutant pace::next 'd + 1 => d'
makes '    int next(int d) const { return d; } // d + 2'
mutant backoff::backoff 'base_(0) => base_(1)'
makes '    : cap_{cap}, base_(1)'
mutant next 'return attempts_ => return 0'
makes 'int next() { return 0; }'
mutant pace 'first = 1 => first = 2'
makes '    int first = 2;'
mutant most '8 => 9'
makes 'constexpr int most = 9;'

mutant backoff::last 'cap_ => 0'
reports 'test/mutants/base.txt:1: nothing in lib/base is named backoff::last'
mutant limit 'delay => 0'
reports 'test/mutants/base.txt:1: nothing in lib/base is named limit'
mutant backoff::next 'cap => 0'
reports 'test/mutants/base.txt:4: occurs 0 times in backoff::next: cap'
mutant backoff::next '++attempts_; =>' 'delay < delay => 0'
reports 'test/mutants/base.txt:5: occurs 0 times in backoff::next: delay < delay'
mutant pace::next 'd + 2 => d'
reports 'test/mutants/base.txt:4: occurs 0 times in pace::next: d + 2'
mutant next 'attempts_ => 0'
reports 'test/mutants/base.txt:4: occurs 2 times in next: attempts_'
mutant backoff::next 'delay - 1'
reports 'test/mutants/base.txt:4: not understood: delay - 1'
mutant backoff::next
reports 'test/mutants/base.txt:4: the mutant above has no change'
mutant backoff::next 'cap_ => 0'
mv "$tree/test/mutants/base.txt" "$tree/test/mutants/bases.txt"
reports 'test/mutants/bases.txt:1: neither lib nor apps has a folder bases'
rm "$tree/test/mutants/bases.txt"
reports 'from 1 to 500 mutants'

exit "$failed"
