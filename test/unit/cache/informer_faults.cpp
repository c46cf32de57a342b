// Sources and steps of an informer that throw: every wait ends.

#include "store/version_board.hpp"
#include "trapped_source.hpp"

#include <kubecoro/cache/delta_fifo.hpp>
#include <kubecoro/test/allocations.hpp>

#include <boost/asio/post.hpp>

#include <cstdint>
#include <functional>
#include <new>

namespace asio = boost::asio;
using namespace informer_test;

namespace {

/// Calls `f`, whose n-th allocation fails. Returns whether it throws.
bool lacks_memory(std::uint64_t nth, const std::function<void()>& f)
{
    bool thrown = false;
    test::fail_allocation(nth);
    try {
        f();
    } catch (const std::bad_alloc&) {
        thrown = true;
    }
    test::fail_allocation(0);
    return thrown;
}

} // namespace

TEST_CASE("informer faults: a change of namespaces whose source throws ends the informer, and the change with it",
          "[cache][informer][faults][ends]")
{
    trapped_fixture f;
    auto pods = f.get({"web"});
    f.source("web").on_list(kt::make_page({kt::make_pod("web", "a", "1")}, "5"));
    f.source("web").on_watch();
    f.trapped->start();
    REQUIRE(f.run.run(pods.has_synced()));
    f.at().describe.left = 1; // the added namespace fails
    CHECK(f.run.run(pods.set_namespaces({"jobs"})).error() == cond::internal);
    CHECK(f.at().describe.left == 0);
    CHECK(pods.state() == informer_state::failed);
    CHECK(f.run.run(pods.set_namespaces({"jobs"})).error() == cond::internal);
    CHECK(f.run.run(pods.wait_until("7")).error() == cond::internal);
}

TEST_CASE("informer faults: a consistency check whose source throws is skipped, and later lists are checked",
          "[cache][informer][faults]")
{
    trapped_fixture f;
    auto pods = f.trapped->get<pod>({.check_consistency = true});
    const auto page = [](const char* version) { return kt::make_page({kt::make_pod("web", "a", "1")}, version); };
    f.source().on_list(page("5"), 1s);
    auto watch = f.source().on_watch();
    f.trapped->start();
    f.settle();
    f.at().list.left = 1; // that of the check
    f.run.advance(2s);
    CHECK(f.at().list.left == 0);
    CHECK(pods.stats().consistency.checks == 1);
    CHECK(pods.stats().consistency.skipped == 1);

    f.source().on_list(page("20"));
    f.source().on_list(page("20"));
    f.source().on_watch();
    watch.send(kt::error_event(410, "Expired"));
    f.run.advance(20s);
    CHECK(pods.stats().consistency.checks == 2);
    CHECK(pods.stats().consistency.skipped == 1);
}

TEST_CASE("informer faults: a resync that lacks memory does not hold up the next one", "[cache][fifo][memory]")
{
    for (std::uint64_t nth = 1; nth <= 3; ++nth) {
        CAPTURE(nth);
        kt::runner run;
        delta_fifo fifo;
        CHECK(lacks_memory(nth, [&] { fifo.sync(7); }));
        fifo.sync(7);
        std::vector<delta> got;
        CHECK(run.run(fifo.pop([&](std::vector<delta>& batch) {
            got = batch;
            return result<>();
        })));
        REQUIRE(got.size() == 1);
        CHECK(got[0].target == 7);
        CHECK(fifo.size() == 0);
    }
}

TEST_CASE("informer faults: a wait for a version that lacks memory is woken when the version is reached again",
          "[cache][own_writes][memory]")
{
    for (const bool is_number : {true, false})
        for (std::uint64_t nth = 1; nth <= 2; ++nth) { // later ones are those of Asio
            CAPTURE(is_number, nth);
            const std::string begin = is_number ? "10" : "a";
            const std::string end = is_number ? "11" : "b";
            kt::runner run;
            const auto board = std::make_shared<kubecoro::detail::version_board>();
            const kubecoro::detail::sync_gate gate;
            board->add_lane("web", gate);
            board->reach("web", gate, begin);
            const auto waiting = run.spawn(kubecoro::detail::version_board::wait(board, "web", end));
            run.run_until_idle();
            REQUIRE(board->waiting() == 1);
            CHECK(lacks_memory(nth, [&] { board->reach("web", gate, end); }));
            board->reach("web", gate, end);
            run.run_until_idle();
            CHECK(waiting.done());
            CHECK(board->waiting() == 0);
        }
}
