#!/usr/bin/env bash
# Compiles lines as a user writes them: a good one compiles, a bad one is refused with the text that helps, in 30 lines at most.
# usage: lines.sh SOURCE_TREE COMPILER KINDS_HEADERS PASSED [FILE..]; without files all of test/package/lines. KINDS_HEADERS: the generated types.
# PASSED: a file that keeps the digest of all that the last success has read, so that it is not repeated. docs/testing.md describes the format.
set -uo pipefail

root=$1 compiler=$2 kinds=$3 passed=$4
shift 4
digest_of_inputs() {
    { "$compiler" --version; find "$root"/lib/*/include "$kinds" "$root/test/package/lines" "$root/test/package/lines.sh" -type f -print0 |
        LC_ALL=C sort -z | xargs -0 cat; printf '%s\n' "$@"; } | sha256sum
}
digest=$(digest_of_inputs "$@")
[ -f "$passed" ] && [ "$(<"$passed")" = "$digest" ] && echo "nothing has changed since all lines were as expected" && exit 0
[ $# -gt 0 ] || set -- "$root"/test/package/lines/*.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=(-std=c++20 -Wall -Wextra -Wno-unused -fdiagnostics-color=never)
for module in base certificates api client admission http cache collections controller endpoints manager webhooks program apiserver testing package; do flags+=("-I$root/lib/$module/include"); done
flags+=("-I$kinds")
pch=gch
"$compiler" -dM -E -x c++ /dev/null | grep -q __clang__ && pch=pch flags+=(-DBOOST_ASIO_DISABLE_THREAD_KEYWORD_EXTENSION -fshow-overloads=best)
sed '/^#pragma once$/d' "$root/test/package/lines/prelude.hpp" >"$work/prelude.hpp"
"$compiler" "${flags[@]}" -x c++-header "$work/prelude.hpp" -o "$work/prelude.hpp.$pch" || exit 2

# One file for each line: its name, what is expected, and the line as the body of a coroutine.
awk -v work="$work" '
    /^== / {name = substr($0, 4); expect = "compiles"; next}
    /^fails / {expect = (expect == "compiles" ? "" : expect "\n") substr($0, 7); next}
    /^compiles$/ {expect = "compiles"; next}
    /^<<<<$/ {n++; f = sprintf("%s/line%03d", work, n); print name > (f ".name"); print expect > (f ".expect");
              printf "#include \"prelude.hpp\"\nasio::awaitable<void> line(with& w)\n{\n    co_await w.turn();\n" > (f ".cpp"); inside = 1; next}
    /^>>>>$/ {print "}" > (f ".cpp"); close(f ".cpp"); inside = 0; next}
    inside {print > (f ".cpp")}' "$@"

# Number of lines of a compiler's output without those that say who includes a file.
said() { grep -vcE '^In file included from|^ +from ' "$1"; }

check() {
    local f=${1%.cpp} name expect
    name=$(<"$f.name") expect=$(<"$f.expect")
    if "$compiler" "${flags[@]}" -fsyntax-only "$f.cpp" >"$f.out" 2>&1; then
        [ "$expect" = compiles ] && return 0
        echo "$name: compiles, and should not"
    elif [ "$expect" = compiles ]; then
        echo "$name: does not compile, and should:"
        head -15 "$f.out"
    elif ! grep -qF -- "$expect" "$f.out"; then
        echo "$name: the compiler does not say \"$expect\":"
        head -30 "$f.out"
    elif [ "$(said "$f.out")" -gt 30 ]; then
        echo "$name: $(said "$f.out") lines of errors, more than 30:"
        cut -c1-160 "$f.out"
    else
        return 0
    fi
    return 1
}
bad=0 all=0
for f in "$work"/line*.cpp; do
    all=$((all + 1))
    check "$f" || bad=$((bad + 1))
done
printf '%d lines, %d not as expected\n' "$all" "$bad"
[ "$all" -gt 0 ] && [ "$bad" -eq 0 ] && echo "$digest" >"$passed"
