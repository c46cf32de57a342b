#include "object_names.hpp"
#include "scripted_fifo.hpp"
#include "store/store.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <algorithm>
#include <random>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::detail;
using cache_test::scripted_fifo;
namespace kt = kubecoro::testing;

namespace {

std::vector<std::string> text(const std::vector<delta>& batch)
{
    std::vector<std::string> out;
    for (const auto& d : batch) {
        switch (d.type) {
        case delta_type::added:
            out.push_back("+" + to_string(d.obj.key()));
            break;
        case delta_type::updated:
            out.push_back("~" + to_string(d.obj.key()));
            break;
        case delta_type::deleted:
            out.push_back("-" + to_string(d.obj.key()));
            break;
        case delta_type::replaced_all:
            out.push_back("list " + std::to_string(d.all->items.size()));
            break;
        case delta_type::vanished:
            out.push_back("vanished " + std::to_string(d.scope));
            break;
        case delta_type::sync_all:
            out.push_back("sync " + std::to_string(d.target));
            break;
        case delta_type::version:
            out.push_back("version " + d.resource_version);
            break;
        }
    }
    return out;
}
using lines = std::vector<std::string>;
object pod(std::string_view name, std::string_view version = "1") { return kt::make_pod("web", name, version); }

} // namespace

TEST_CASE("delta fifo: pops single deltas together, lists and syncs alone, all in order", "[cache][delta_fifo]")
{
    scripted_fifo f;
    const auto scope = f.add();
    f.push(delta_type::added, pod("a"));
    f.push(delta_type::added, pod("d"));
    f.push(delta_type::updated, pod("a"));
    f.version(scope, "7");
    f.replace(scope, {pod("b")}, "8");
    f.push(delta_type::added, pod("e"));
    f.sync(3);
    f.push(delta_type::added, pod("c"));
    CHECK(f.size() == 8);
    CHECK(text(f.pop()) == lines{"+web/a", "+web/d", "~web/a", "version 7"});
    CHECK(text(f.pop()) == lines{"list 1"});
    CHECK(text(f.pop()) == lines{"+web/e"});
    CHECK(text(f.pop()) == lines{"sync 3"});
    CHECK(text(f.pop()) == lines{"+web/c"});
    CHECK(f.pop().empty());
    CHECK(f.empty());
}

TEST_CASE("delta fifo: of consecutive deletions of a key the first is kept", "[cache][delta_fifo]")
{
    scripted_fifo f;
    const auto scope = f.add();
    f.push(delta_type::deleted, pod("a", "5"));
    f.push(delta_type::added, pod("b"));
    f.push(delta_type::deleted, pod("a", "6"));
    CHECK(f.size() == 2);
    f.replace(scope, {pod("a", "7")}, "7");
    f.push(delta_type::deleted, pod("a", "8"));
    CHECK(f.size() == 4);
    const auto first = f.pop();
    CHECK(text(first) == lines{"-web/a", "+web/b"});
    CHECK(first.front().obj.resource_version() == "5");
    CHECK(text(f.pop()) == lines{"list 1"});
    CHECK(text(f.pop()) == lines{"-web/a"});
    f.push(delta_type::deleted, pod("a", "9"));
    CHECK(f.size() == 1);
}

TEST_CASE("delta fifo: a batch is bounded", "[cache][delta_fifo]")
{
    scripted_fifo f(2);
    REQUIRE(f.add() == 0);
    for (int i = 0; i < 5; ++i) f.push(delta_type::added, pod("p" + std::to_string(i)));
    CHECK(f.pop().size() == 2);
    CHECK(f.pop().size() == 2);
    CHECK(f.pop().size() == 1);
}

TEST_CASE("delta fifo: has synced when every scope's first list was processed, not when it was popped",
          "[cache][delta_fifo]")
{
    scripted_fifo f;
    CHECK_FALSE(f.synced());
    const auto a = f.add();
    const auto b = f.add();
    f.push(delta_type::added, pod("x")); // client-go reports synced here
    CHECK_FALSE(f.synced());
    f.replace(a, {}, "1");
    const auto single = f.pop();
    f.processed();
    const auto list = f.pop();
    CHECK(list.front().all->initial);
    f.processed();
    CHECK_FALSE(f.synced());
    f.replace(b, {}, "1");
    f.replace(b, {}, "2");
    CHECK(f.pop().front().all->initial);
    CHECK_FALSE(f.synced());
    f.processed();
    CHECK(f.synced());
    CHECK_FALSE(f.pop().front().all->initial);
    f.replace(a, {}, "3");
    CHECK(f.synced());
}

TEST_CASE("delta fifo: reports keys with pending deltas", "[cache][delta_fifo]")
{
    scripted_fifo f(1);
    REQUIRE(f.add() == 0);
    f.push(delta_type::added, pod("a"));
    f.push(delta_type::updated, pod("a", "2"));
    CHECK(f.has_pending({"web", "a"}));
    CHECK_FALSE(f.has_pending({"web", "b"}));
    CHECK(f.pop().size() == 1);
    CHECK(f.has_pending({"web", "a"}));
    CHECK(f.pop().size() == 1);
    CHECK_FALSE(f.has_pending({"web", "a"}));
}

TEST_CASE("delta fifo: a sync shows the objects without pending deltas", "[cache][delta_fifo][resync]")
{
    scripted_fifo f(1);
    const auto scope = f.add();
    const auto shown = [&f] { return cache_test::names(f.to_show({pod("a"), pod("b"), pod("c")})); };
    CHECK(shown() == lines{"web/a@1", "web/b@1", "web/c@1"});
    f.sync(3);
    f.push(delta_type::updated, pod("a", "2"));
    f.push(delta_type::deleted, pod("b", "3"));
    f.version(scope, "3");
    CHECK(text(f.pop()) == lines{"sync 3"});
    CHECK(shown() == lines{"web/c@1"});
    CHECK(text(f.pop()) == lines{"~web/a"});
    CHECK(shown() == lines{"web/a@1", "web/c@1"});
    CHECK(text(f.pop()) == lines{"-web/b"});
    CHECK(shown() == lines{"web/a@1", "web/b@1", "web/c@1"});
}

TEST_CASE("delta fifo: an addition and its deletion are both popped, even for an unknown object", "[cache][delta_fifo]")
{
    scripted_fifo f;
    REQUIRE(f.add() == 0);
    store s;
    f.push(delta_type::added, pod("a", "5"));
    f.push(delta_type::deleted, pod("a", "6"));
    const auto batch = f.pop();
    REQUIRE(text(batch) == lines{"+web/a", "-web/a"});
    CHECK(batch[0].obj.resource_version() == "5");
    CHECK(batch[1].obj.resource_version() == "6");
    const auto news = s.apply(batch);
    REQUIRE(news.size() == 2);
    CHECK(std::get<added<object>>(news[0]).obj.resource_version() == "5");
    CHECK(std::get<deleted<object>>(news[1]).obj.resource_version() == "6");
    CHECK_FALSE(std::get<deleted<object>>(news[1]).final_state_unknown);
    CHECK(s.size() == 0);
}

TEST_CASE("delta fifo and store: the deletion of an unknown object causes no notification",
          "[cache][delta_fifo][store]")
{
    scripted_fifo f;
    REQUIRE(f.add() == 0);
    store s;
    f.push(delta_type::deleted, pod("never", "5"));
    f.push(delta_type::added, pod("a", "6"));
    f.push(delta_type::deleted, pod("a", "7"));
    f.push(delta_type::updated, pod("b", "8"));
    CHECK(s.apply(f.pop()).size() == 3);
    f.push(delta_type::deleted, pod("a", "9")); // repeated
    CHECK(s.apply(f.pop()).empty());
    CHECK(cache_test::names(s.list({})) == lines{"web/b@8"});
}

TEST_CASE("delta fifo: the deltas of a removed scope are dropped, and the others keep their order",
          "[cache][delta_fifo]")
{
    scripted_fifo f;
    const auto kept = f.add();
    const auto removed = f.add();
    f.push(delta_type::added, pod("a"), kept);
    f.push(delta_type::added, pod("b"), removed);
    f.replace(removed, {pod("c")}, "3");
    f.sync(4);
    f.version(removed, "5");
    f.push(delta_type::updated, pod("a", "6"), kept);
    f.remove_scope(removed);
    CHECK(text(f.pop()) == lines{"+web/a"});
    CHECK(f.dropped.deltas == 2); // a change and the item of a list
    CHECK(text(f.pop()) == lines{"sync 4"});
    CHECK(text(f.pop()) == lines{"~web/a"});
    CHECK(f.dropped.deltas == 3);
    CHECK_FALSE(f.has_pending({"web", "b"}));
    CHECK(f.empty());
}

TEST_CASE("delta fifo: deletions of one key in two scopes are both kept", "[cache][delta_fifo]")
{
    scripted_fifo f;
    const auto one = f.add();
    const auto two = f.add();
    f.push(delta_type::deleted, pod("a"), one);
    f.push(delta_type::deleted, pod("a", "2"), two);
    f.push(delta_type::deleted, pod("a", "3"), two);
    f.remove_scope(one);
    const auto batch = f.pop();
    CHECK(text(batch) == lines{"-web/a"});
    CHECK(batch.front().obj.resource_version() == "2");
}

TEST_CASE("delta fifo: a scope that is removed while its first list is processed does not hold up the sync",
          "[cache][delta_fifo]")
{
    scripted_fifo f;
    const auto kept = f.add();
    const auto removed = f.add();
    f.replace(kept, {}, "1");
    CHECK(f.pop().size() == 1);
    f.processed();
    f.replace(removed, {}, "1");
    CHECK(f.pop().size() == 1);
    CHECK_FALSE(f.synced());
    f.remove_scope(removed);
    CHECK(f.synced());
    f.processed();
    CHECK(f.synced());
}

TEST_CASE("delta fifo: deletions by the first list are part of the initial population", "[cache][delta_fifo]")
{
    scripted_fifo f;
    store s;
    const auto scope = f.add();
    f.push(delta_type::added, pod("gone", "1"));
    f.replace(scope, {pod("here", "2")}, "2");
    s.apply(f.pop());
    const auto list = f.pop();
    const auto news = s.replace("", list.front().all->items, true);
    REQUIRE(news.size() == 2);
    REQUIRE(std::get<deleted<object>>(news[0]).final_state_unknown);
    CHECK(std::get<deleted<object>>(news[0]).obj.resource_version() == "1"); // the last known state
    CHECK_FALSE(f.synced());
    f.processed();
    CHECK(f.synced());
}

namespace {

/// A simple reference implementation of the queue: a list of deltas, searched from the front.
struct naive_fifo
{
    std::size_t max_batch;
    std::vector<delta> line;

    static bool single(const delta& d) { return d.obj && d.type != delta_type::version; }
    static bool alone(const delta& d) { return !single(d) && d.type != delta_type::version; }

    void push(delta_type type, const object& o)
    {
        for (auto at = line.rbegin(); at != line.rend() && at->type != delta_type::replaced_all; ++at)
            if (single(*at) && at->obj.key() == o.key()) {
                if (at->type == delta_type::deleted && type == delta_type::deleted) return;
                break;
            }
        line.push_back({.type = type, .obj = o});
    }

    std::vector<delta> pop()
    {
        std::vector<delta> batch;
        while (!line.empty() && batch.size() < max_batch && (batch.empty() || !alone(line.front()))) {
            batch.push_back(line.front());
            line.erase(line.begin());
            if (alone(batch.back())) break;
        }
        return batch;
    }

    [[nodiscard]] bool has_pending(object_key_view key) const
    {
        return std::any_of(line.begin(), line.end(), [&](const auto& d) { return single(d) && d.obj.key() == key; });
    }
};

std::vector<std::string> exactly(const std::vector<delta>& batch)
{
    auto out = text(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) out[i] += "@" + std::string(batch[i].obj.resource_version());
    return out;
}

void run_against_naive(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto draw = [&random](std::uint64_t n) { return random() % n; };
    const std::size_t max_batch = 1 + draw(8);
    scripted_fifo fifo(max_batch);
    naive_fifo naive{max_batch, {}};
    const auto scope = fifo.add();
    // The states of the initial population: no list yet, first list queued, first list processed.
    bool listed = false;
    bool populated = false;
    for (std::uint64_t step = 1; step <= 40; ++step) {
        const std::string version = std::to_string(step);
        const object o = pod(std::string(1, static_cast<char>('a' + draw(4))), version);
        const auto what = draw(10);
        if (what < 5) {
            const auto type = what < 2 ? delta_type::deleted : what < 4 ? delta_type::updated : delta_type::added;
            fifo.push(type, o);
            naive.push(type, o);
        } else if (what == 5) {
            fifo.version(scope, version);
            delta d{.type = delta_type::version};
            d.resource_version = version;
            naive.line.push_back(std::move(d));
        } else if (what == 6 && draw(3) == 0) {
            fifo.replace(scope, {o}, version);
            delta d{.type = delta_type::replaced_all};
            d.all = std::make_shared<delta::replaced_list>(delta::replaced_list{{o}, {}, !std::exchange(listed, true)});
            naive.line.push_back(std::move(d));
        } else if (what == 6) {
            fifo.sync(step);
            delta d{.type = delta_type::sync_all};
            d.target = step;
            naive.line.push_back(std::move(d));
        } else {
            const auto batch = fifo.pop();
            const auto expected = naive.pop();
            REQUIRE(exactly(batch) == exactly(expected));
            REQUIRE(fifo.synced() == populated);
            if (!batch.empty() && batch.front().all) {
                REQUIRE(batch.front().all->initial == expected.front().all->initial);
                populated = true;
            }
            fifo.processed();
        }
        REQUIRE(fifo.synced() == populated);
        REQUIRE(fifo.size() == naive.line.size());
        for (const char* key : {"a", "b", "c", "d"})
            REQUIRE(fifo.has_pending({"web", key}) == naive.has_pending({"web", key}));
    }
}

} // namespace

TEST_CASE("delta fifo: 10,000 random programs against a naive queue", "[cache][delta_fifo][model]")
{
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
        INFO("seed " << seed);
        run_against_naive(seed);
    }
}
