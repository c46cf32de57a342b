#!/usr/bin/env bash
# Shows names.sh a tree of its own, with names and files that exist and with wrong ones.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
failed=0
complain() { echo "$*"; failed=1; }
cp "$here/names.sh" "$work"
: >"$work/foreign_names.txt"
names() { bash "$work/names.sh" "$tree"; }

mkdir -p "$tree/lib/base/include/kubecoro/base" "$tree/lib/base/src" "$tree/docs/guide" "$tree/test/support"
cat >"$tree/lib/base/include/kubecoro/base/a.hpp" <<'CPP'
/// Sent to kubecoro::task_list.
/* only_in_a_comment */
namespace kubecoro { struct task_list { void shut_down(); }; }
CPP
echo 'void drain(); auto metric = "handler_pending"; // also_in_a_comment' >"$tree/lib/base/src/b.cpp"

page() { printf '%s\n' "$1" >"$tree/docs/guide/a.md"; }
good() { page "$1"; names >/dev/null || complain "reported: $1"; }
wrong() {
    local report
    page "$1"
    if report=$(names); then complain "not noticed: $1"; fi
    grep -q "docs/guide/a.md:1: .*$2" <<<"$report" || complain "expected $2, got: $report"
}
good '`task_list`, `shut_down()`, `kubecoro::task_list`, `a.hpp`, `lib/base/src/b.cpp`, `std::no_such`, `--no_flag`, no_code'
good '`kubecoro_handler_pending`, `_pending`, `shut_down()`'
wrong '`no_such_name`' no_such_name
wrong '`co_await queue.drain()`' drain
wrong '`kubecoro::missing`' missing
wrong '`only_in_a_comment` and `shut_down`' only_in_a_comment
wrong '`src/c.cpp`, once `shut_down`' 'src/c.cpp'
wrong '`kubecoro_handler_lost`, once `shut_down`' kubecoro_handler_lost

page '`shut_down`, and upstream `ShutDown`, `epoll_wait`'
echo epoll_wait >"$work/foreign_names.txt"
names >/dev/null || complain "a foreign name was reported"
page '`shut_down`'
if names >/dev/null; then complain "a stale foreign name was not noticed"; fi

: >"$work/foreign_names.txt"
echo '/// Sent to kubecoro::no_such_list.' >>"$tree/lib/base/include/kubecoro/base/a.hpp"
if names >/dev/null; then complain "a wrong name in a header comment was not noticed"; fi
exit "$failed"
