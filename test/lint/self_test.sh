#!/usr/bin/env bash
# Breaks every rule of layers.sh once, in a tree of its own, and looks for the report.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

write() { # path, then the text on stdin
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}

expect() { # file:line and a part of the rule
    local report
    report=$("$here/layers.sh" "$tree" 2>/dev/null) && { echo "not noticed at all: $1 $2"; failed=1; }
    if ! grep -qF "$1: " <<<"$report" || ! grep -F "$1: " <<<"$report" | grep -qF "$2"; then
        echo "expected $1: ...$2..., got:"
        echo "${report:-nothing}"
        failed=1
    fi
    rm -rf "${tree:?}"/*
}

header() { printf '#pragma once\n%s\n' "$1"; }

header '#include <kubecoro/client/client.hpp>' | write lib/cache/include/kubecoro/cache/a.hpp
expect lib/cache/include/kubecoro/cache/a.hpp:2 "module cache may not include module client"
header '#include <kubecoro/controller/workqueue.hpp>' | write lib/cache/src/a.hpp
expect lib/cache/src/a.hpp:2 "module cache may not include module controller"
header '#include <kubecoro/apiserver/server.hpp>' | write lib/controller/src/a.hpp
expect lib/controller/src/a.hpp:2 "module controller may not include module apiserver"
header '#include <kubecoro/api/object.hpp>' | write lib/base/src/a.hpp
expect lib/base/src/a.hpp:2 "module base may not include module api"
echo '#include "../../client/src/pool.hpp"' | write lib/api/src/a.cpp
expect lib/api/src/a.cpp:1 "climbs out"
header '#include <boost/asio/steady_timer.hpp>' | write lib/api/include/kubecoro/api/a.hpp
expect lib/api/include/kubecoro/api/a.hpp:2 "of Asio a public header"
header '#include <boost/beast/http.hpp>' | write lib/client/include/kubecoro/client/a.hpp
expect lib/client/include/kubecoro/client/a.hpp:2 "no Beast"
header '#include <openssl/ssl.h>' | write lib/client/include/kubecoro/client/a.hpp
expect lib/client/include/kubecoro/client/a.hpp:2 "no TLS library"
header '#include <boost/json/basic_parser.hpp>' | write lib/api/include/kubecoro/api/a.hpp
expect lib/api/include/kubecoro/api/a.hpp:2 "of Boost.JSON"
echo '#include <boost/asio/post.hpp>' | write lib/cache/src/queue_core.cpp
expect lib/cache/src/queue_core.cpp:1 "no Asio in a sans-io core"
echo '#include <mutex>' | write lib/cache/src/queue_core.cpp
expect lib/cache/src/queue_core.cpp:1 "no threads or locks"
echo 'auto t = std::chrono::steady_clock::now();' | write lib/cache/src/queue_core.cpp
expect lib/cache/src/queue_core.cpp:1 "does not read a clock"
echo 'std::mutex m;' | write lib/cache/src/queue_core.cpp
expect lib/cache/src/queue_core.cpp:1 "no threads or locks"
printf 'int a;\nlogger log_;\n' | write lib/cache/src/queue_core.cpp
expect lib/cache/src/queue_core.cpp:2 "does not log"
echo 'std::this_thread::sleep_for(1s);' | write test/unit/base/a.cpp
expect test/unit/base/a.cpp:1 "a test does not sleep"
{ echo '#pragma once'; seq 300 | sed 's/^/\/\/ /'; } | write lib/api/include/kubecoro/api/a.hpp
expect lib/api/include/kubecoro/api/a.hpp:301 "300 lines"
seq 501 | sed 's/^/\/\/ /' | write lib/api/src/a.cpp
expect lib/api/src/a.cpp:501 "500 lines"
echo 'int x;' | write lib/api/src/a.hpp
expect lib/api/src/a.hpp:1 "#pragma once"
echo 'co_await finish_despite_cancellation();' | write lib/cache/src/a.cpp
expect lib/cache/src/a.cpp:1 "changes the state of its chain"
echo 'co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());' | write apps/a.cpp
expect apps/a.cpp:1 "changes the state of its chain"
echo 'co_await asio::this_coro::throw_if_cancelled(false);' | write lib/api/src/a.cpp
expect lib/api/src/a.cpp:1 "changes the state of its chain"
echo 'asio::co_spawn(e, f(), asio::detached);' | write lib/api/src/a.cpp
expect lib/api/src/a.cpp:1 "nothing is detached"
echo '// TO''DO: later' | write lib/api/src/a.cpp
expect lib/api/src/a.cpp:1 "notes to self"
header 'using namespace std;' | write lib/api/src/a.hpp
expect lib/api/src/a.hpp:2 "using namespace"
echo 'int x;' | write lib/api/src/forgotten.cpp
echo 'SOURCES remembered.cpp' | write lib/api/CMakeLists.txt
expect lib/api/src/forgotten.cpp:1 "not listed"
echo '-I/ro''ot/include' | write docs/a.md
echo 'int x;' | write lib/api/src/a.cpp
expect ./docs/a.md:1 "a path of some machine"

# The table of awaitables: one that is missing, one that is gone, and what is not public.
write lib/api/include/kubecoro/api/a.hpp <<'CPP'
#pragma once
namespace detail {
class b;
}
class a
{
public:
    // awaitable<result<>> commented();
    [[nodiscard]] boost::asio::awaitable<result<std::vector<int>>>
    first(std::function<boost::asio::awaitable<void>()> f);
    boost::asio::awaitable<void> second();

private:
    boost::asio::awaitable<void> third();
};
namespace detail {
int c;
boost::asio::awaitable<void> fourth();
} // namespace detail
CPP
echo '{"api/a.hpp second", f}, {"api/a.hpp gone", f},' | write test/unit/callers/a.cpp
report=$("$here/awaitables.sh" "$tree") && { echo "a table of awaitables that is wrong was not noticed"; failed=1; }
if [[ $(wc -l <<<"$report") != 2 || $report != *'api/a.hpp first is in no table'* || $report != *'api/a.hpp gone is declared nowhere'* ]]; then
    echo "expected two reports about awaitables, got: $report"
    failed=1
fi
rm -rf "${tree:?}"/*

# And what is allowed is left alone: comments, strings, raw strings, values of clocks as arguments.
write lib/cache/src/queue_core.cpp <<'CPP'
#include <kubecoro/base/clock.hpp>
// std::mutex in a comment, and asio:: as well
/* co_await
   asio::post */
const char* text = "asio::post(std::mutex)";
const char* raw = R"({"asio::":1})";
void step(kubecoro::time_point now);
std::mutex guard_of_a_static; // rule aside: shows how an exception is written
CPP
echo 'SOURCES queue_core.cpp' | write lib/cache/CMakeLists.txt
if ! "$here/layers.sh" "$tree"; then
    echo "clean code was reported"
    failed=1
fi
exit "$failed"
