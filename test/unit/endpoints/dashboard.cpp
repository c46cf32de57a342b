#include "dashboard/dashboard_page.hpp"
#include "dashboard/snapshot_feed.hpp"

#include <kubecoro/test/catch.hpp>

#include <random>

using namespace kubecoro;
using namespace std::chrono_literals;
using detail::snapshot_core;
using detail::snapshot_feed;
using step = snapshot_core::step;

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
    snapshot_core core(2s, 2);
    REQUIRE(core.on_join());
    REQUIRE(core.on_join());
    CHECK_FALSE(core.on_join());
    CHECK(core.next(0, start) == step::make);
    core.on_made(start);
    CHECK(core.next(0, start) == step::send); // either stream
    CHECK(core.next(1, start) == step::wait);
    CHECK(core.due() == start + 2s);
    CHECK(core.next(1, start + 2s - 1ns) == step::wait);
    CHECK(core.next(0, start + 2s - 1ns) == step::send); // a late one takes what there is
    CHECK(core.next(1, start + 2s) == step::make);
    core.on_made(start + 2s);
    CHECK(core.next(1, start + 2s) == step::send);
    CHECK(core.number() == 2);
    CHECK_FALSE(core.on_leave());
    CHECK(core.on_join());
    CHECK_FALSE(core.on_leave());
    CHECK(core.on_leave());
}

TEST_CASE("snapshot_core: however streams come, ask and go, snapshots are a period apart", "[endpoints][dashboard]")
{
    const auto seed = std::random_device()();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto upto = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n)(random); };
    snapshot_core core(2s, 5);
    std::vector<std::uint64_t> seen;
    auto now = start;
    auto made = start - 1h;
    for (int i = 0; i < 20'000; ++i) {
        now += std::chrono::milliseconds(upto(300));
        if (upto(9) == 0 && core.on_join()) seen.push_back(0);
        if (seen.empty()) continue;
        auto& one = seen[upto(static_cast<unsigned>(seen.size()) - 1)];
        auto next = core.next(one, now);
        if (next == step::make) {
            REQUIRE(now - made >= 2s);
            core.on_made(made = now);
            next = core.next(one, now);
            REQUIRE(next == step::send);
        }
        if (next == step::send) {
            REQUIRE(one < core.number());
            one = core.number();
        } else {
            REQUIRE(core.due() > now);
        }
        if (upto(19) == 0) {
            seen.erase(seen.begin());
            REQUIRE(core.on_leave() == seen.empty());
        }
        REQUIRE(core.streams() == seen.size());
    }
}

TEST_CASE("snapshot_feed: one snapshot serves all streams, and none is made without one", "[endpoints][dashboard]")
{
    int rendered = 0;
    const auto feed = std::make_shared<snapshot_feed>(counting(rendered), 2s, 3);
    CHECK(rendered == 0);
    {
        const auto a = feed->join(), b = feed->join(), c = feed->join();
        CHECK_FALSE(feed->join());
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

TEST_CASE("snapshot_feed: a page cannot end its event, nor fill the memory", "[endpoints][dashboard]")
{
    int rendered = 0;
    const auto lines = std::make_shared<snapshot_feed>(counting(rendered, "[\n1,\r\n\n2]"), 2s, 1);
    CHECK(sent(*lines->join(), start) == "event: tasks\ndata: [ 1,   2]\n\nevent: SNAPSHOT\ndata: 1\n\n");
    const auto large =
        std::make_shared<snapshot_feed>(counting(rendered, '"' + std::string(5'000'000, 'x') + '"'), 2s, 1);
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
