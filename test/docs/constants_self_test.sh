#!/usr/bin/env bash
# Shows constants.sh a tree in which a number is repeated rightly, then with the constant changed, then with the text changed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failed=0
complain() { echo "$*"; failed=1; }
cp "$here/constants.sh" "$work"
echo 'most = 16; | a.hpp: at most 16 labels | guide.md: 16 labels' >"$work/constants.txt"
constants() { bash "$work/constants.sh" "$tree"; }

mkdir -p "$tree/lib/base/include" "$tree/lib/base/src" "$tree/docs"
: >"$tree/README.md"
code() { echo "constexpr int most = $1;" >"$tree/lib/base/src/b.cpp"; }
printf '/// Indexes at\n/// most 16 labels.\n' >"$tree/lib/base/include/a.hpp"
echo 'There are 16 labels.' >"$tree/docs/guide.md"

code 16
constants >/dev/null || complain "a true text was reported"
code 32
if report=$(constants); then complain "a changed constant was not noticed"; fi
grep -q 'repeated in a.hpp: at most 16 labels' <<<"$report" || complain "the places were not named: $report"
code 16
echo 'There are 20 labels.' >"$tree/docs/guide.md"
if constants >/dev/null; then complain "a changed text was not noticed"; fi
exit "$failed"
