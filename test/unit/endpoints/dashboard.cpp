#include "dashboard/dashboard_page.hpp"
#include "dashboard/snapshot_feed.hpp"

#include <kubecoro/test/catch.hpp>

#include <random>

using namespace kubecoro;
using namespace std::chrono_literals;
using detail::snapshot_core;
using detail::snapshot_feed;
using step = snapshot_core::step;
using progress = snapshot_core::progress;

namespace {

const time_point start{1h};

/// A page that counts how often it is rendered.
debug_pages counting(int& rendered, std::string json = "[]")
{
    debug_pages out;
    REQUIRE(out.add("tasks", {[] { return std::string("text"); },
                              [&rendered, json] {
                                  ++rendered;
                                  return json;
                              }}));
    return out;
}

std::string sent(snapshot_feed::seat& seat, time_point now)
{
    const auto next = seat.next(now);
    const auto* text = std::get_if<std::shared_ptr<const std::string>>(&next);
    return text ? **text : std::string();
}

} // namespace

TEST_CASE("snapshot_core: a snapshot is made when it is due, and sent once to each stream", "[endpoints][dashboard]")
{
    snapshot_core core(2s);
    core.on_join();
    core.on_join();
    const progress fresh, up_to_date{1, start};
    CHECK(core.next(fresh, start) == step::make);
    core.on_made(start);
    CHECK(core.next(fresh, start) == step::send); // either stream
    CHECK(core.next(up_to_date, start) == step::wait);
    CHECK(core.due(up_to_date) == start + 2s);
    CHECK(core.next(up_to_date, start + 2s - 1ns) == step::wait);
    CHECK(core.next(fresh, start + 2s - 1ns) == step::send); // a late one takes what there is
    CHECK(core.next(up_to_date, start + 2s) == step::make);
    core.on_made(start + 2s);
    CHECK(core.next(up_to_date, start + 2s) == step::send);
    CHECK(core.number() == 2);
    CHECK_FALSE(core.on_leave());
    core.on_join();
    CHECK_FALSE(core.on_leave());
    CHECK(core.on_leave());
}

TEST_CASE("snapshot_core: a stream without a snapshot for five seconds sends a comment", "[endpoints][dashboard]")
{
    snapshot_core core(12s);
    core.on_join();
    core.on_made(start);
    progress of{1, start};
    for (const auto at : {start + 5s, start + 10s}) {
        CHECK(core.due(of) == at);
        CHECK(core.next(of, at - 1ns) == step::wait);
        CHECK(core.next(of, at) == step::comment);
        of.at = at;
        CHECK(core.next(of, at) == step::wait);
    }
    CHECK(core.due(of) == start + 12s);
    CHECK(core.next(of, start + 12s) == step::make);
}

TEST_CASE("snapshot_core: a period of nothing is one of 100 milliseconds", "[endpoints][dashboard]")
{
    for (const duration period : {duration::zero(), duration::min()}) {
        snapshot_core core(period);
        core.on_join();
        core.on_made(start);
        CHECK(core.next({1, start}, start + 100ms - 1ns) == step::wait);
        CHECK(core.due({1, start}) == start + 100ms);
        CHECK(core.next({1, start}, start + 100ms) == step::make);
    }
}

TEST_CASE("snapshot_core: however streams come, ask and go, snapshots are a period apart and comments five seconds",
          "[endpoints][dashboard]")
{
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto upto = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n)(random); };
    const auto period = std::chrono::seconds(1 + upto(19));
    snapshot_core core(period);
    std::vector<progress> streams;
    auto now = start;
    auto made = start - 1h;
    for (int i = 0; i < 20'000; ++i) {
        now += std::chrono::milliseconds(upto(300));
        if (upto(9) == 0 && streams.size() < 5) {
            core.on_join();
            streams.push_back({});
        }
        if (streams.empty()) continue;
        auto& one = streams[upto(static_cast<unsigned>(streams.size()) - 1)];
        auto next = core.next(one, now);
        if (next == step::make) {
            REQUIRE(now - made >= period);
            core.on_made(made = now);
            next = core.next(one, now);
            REQUIRE(next == step::send);
        }
        if (next == step::send) {
            REQUIRE(one.seen < core.number());
            one = {core.number(), now};
        } else if (next == step::comment) {
            REQUIRE(now - one.at >= 5s);
            one.at = now;
        } else {
            REQUIRE(core.due(one) > now);
            REQUIRE(core.due(one) <= one.at + 5s);
        }
        if (upto(19) == 0) {
            streams.erase(streams.begin());
            REQUIRE(core.on_leave() == streams.empty());
        }
        REQUIRE(core.streams() == streams.size());
    }
}

TEST_CASE("snapshot_feed: one snapshot serves all streams, and none is made without one", "[endpoints][dashboard]")
{
    int rendered = 0;
    const auto feed = std::make_shared<snapshot_feed>(counting(rendered), 2s);
    CHECK(rendered == 0);
    {
        const auto a = feed->join(), b = feed->join(), c = feed->join();
        CHECK(sent(*a, start) == "event: tasks\ndata: []\n\nevent: SNAPSHOT\ndata: 1\n\n");
        CHECK(sent(*b, start + 1s) == sent(*c, start + 1s));
        CHECK(rendered == 1);
        CHECK(std::get<time_point>(a->next(start + 1s)) == start + 2s);
        CHECK(sent(*a, start + 2s) == "event: tasks\ndata: []\n\nevent: SNAPSHOT\ndata: 2\n\n");
        CHECK(rendered == 2);
    }
    // A snapshot is not kept for those that come later.
    const auto later = feed->join();
    CHECK(sent(*later, start + 3s).ends_with("data: 3\n\n"));
    CHECK(rendered == 3);
}

TEST_CASE("snapshot_feed: a comment is all that is sent between snapshots", "[endpoints][dashboard]")
{
    int rendered = 0;
    const auto feed = std::make_shared<snapshot_feed>(counting(rendered), 20s);
    const auto viewer = feed->join();
    CHECK(sent(*viewer, start).ends_with("data: 1\n\n"));
    for (const auto at : {start + 5s, start + 10s, start + 15s}) {
        CHECK(std::get<time_point>(viewer->next(at - 1ns)) == at);
        CHECK(sent(*viewer, at) == ":\n\n");
    }
    CHECK(rendered == 1);
    CHECK(sent(*viewer, start + 20s).ends_with("data: 2\n\n"));
}

TEST_CASE("snapshot_feed: a page cannot end its event, nor fill the memory", "[endpoints][dashboard]")
{
    int rendered = 0;
    const auto lines = std::make_shared<snapshot_feed>(counting(rendered, "[\n1,\r\n\n2]"), 2s);
    CHECK(sent(*lines->join(), start) == "event: tasks\ndata: [ 1,   2]\n\nevent: SNAPSHOT\ndata: 1\n\n");
    const auto large = std::make_shared<snapshot_feed>(counting(rendered, '"' + std::string(5'000'000, 'x') + '"'), 2s);
    const auto text = sent(*large->join(), start);
    CHECK(text.size() < 200);
    CHECK(text.find("too large") != std::string::npos);
}

TEST_CASE("dashboard_page: it is one text with a policy for its own style and script", "[endpoints][dashboard]")
{
    const auto& page = detail::the_dashboard_page();
    CHECK(page.html.starts_with("<!DOCTYPE html>"));
    CHECK(page.html.find("{style}") == std::string::npos);
    CHECK(page.html.find("{script}") == std::string::npos);
    CHECK(page.policy.starts_with("default-src 'none'; style-src 'sha256-"));
    CHECK(page.policy.find("unsafe") == std::string::npos);
    // Nothing is loaded from elsewhere, and nothing is inserted as markup.
    for (const char* never : {"http://", "https://", "src=", "@import", "url(", "innerHTML", "outerHTML",
                              "insertAdjacent", "document.write", "eval(", "style=\"", "onclick="})
        CHECK(page.html.find(never) == std::string::npos);
}
