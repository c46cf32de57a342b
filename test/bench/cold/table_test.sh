#!/usr/bin/env bash
# The table of cold.sh, from a measurement that is written here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { printf '%s\n' "$*" >&2; exit 1; }

cat >"$work/demo.log" <<'END'
10.5 0.5 lib/api/CMakeFiles/kubecoro_api_fast.dir/Unity/unity_src_decode_cxx.cxx.o
2.0 0.0 lib/api/CMakeFiles/kubecoro_api.dir/cmake_pch.hxx.pch
1.0 0.0 bin/kubecoro-demo
END
cat >"$work/test.log" <<'END'
7.0 1.0 test/unit/api/CMakeFiles/test_unit_api.dir/Unity/unity_0_cxx.cxx.o
3.0 0.0 lib/api/CMakeFiles/kubecoro_api.dir/late.cpp.o
END
echo "540.0 4:00" >"$work/demo.total"
echo "20.0 0:20" >"$work/test.total"
said=$("$here/cold.sh" --table "$work") || die "1.2 times the budget is too much: $said"
for row in 'lib/api +3 +13.0 +3.0' 'test/unit/api +1 +0.0 +8.0' 'linking +1 +1.0 +0.0' './dev demo: 540 CPU seconds \(compiling and linking: 14\), 4:00 '; do
    grep -qE "^$row" <<<"$said" || die "no row $row in: $said"
done

echo "540.1 4:00" >"$work/demo.total"
said=$("$here/cold.sh" --table "$work") && die "more than 1.2 times the budget passes: $said"
[[ $said == *'./dev demo: more than 1.2 times the budget'* ]] || die "$said"

# The launcher hands everything on, and writes a line.
KUBECORO_COLD_LOG=$work/log "$here/count.sh" sh -c 'echo out; echo err >&2; exit 3' sh -o lib/x.o >"$work/out" 2>"$work/err" && die "the status is lost"
[[ $(<"$work/out") == out && $(<"$work/err") == err ]] || die "the output is lost: $(<"$work/out"), $(<"$work/err")"
[[ $(<"$work/log") =~ ^[0-9.]+\ [0-9.]+\ lib/x.o$ ]] || die "the line: $(<"$work/log")"
echo "the table and the launcher are right"
