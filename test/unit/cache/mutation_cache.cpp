// Tests of the mutation cache. Cases that exist in client-go have its names.

#include "store/mutation_cache_core.hpp"
#include "store/store.hpp"

#include <kubecoro/cache/mutation_cache.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <algorithm>
#include <map>
#include <random>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace std::chrono_literals;
namespace kt = kubecoro::testing;

namespace {

using lines = std::vector<std::string>;

object pod(std::string_view name, std::string_view version, std::string uid = "u1", std::string app = {})
{
    return kt::make_object({.ns = "web",
                            .name = std::string(name),
                            .resource_version = std::string(version),
                            .uid = std::move(uid),
                            .labels = {{"app", std::move(app)}},
                            .members = {}});
}

std::string text(const object& o)
{
    return o ? std::string(o.name()) + "@" + std::string(o.resource_version()) : "none";
}

lines names(const std::vector<object>& objects)
{
    lines out;
    for (const auto& o : objects) out.push_back(text(o));
    std::sort(out.begin(), out.end());
    return out;
}

/// A store filled by a watch up to version 10, and a cache over it.
struct fixture
{
    std::shared_ptr<kt::virtual_clock> time = std::make_shared<kt::virtual_clock>();
    std::shared_ptr<store> stored = std::make_shared<store>();
    mutation_cache<> cache;
    const sync_gate gate;

    fixture() : cache(lister<object>(stored), time)
    {
        stored->versions()->add_lane("", gate);
        stored->replace("", {pod("a", "5")}, true);
        stored->versions()->reach("", gate, "10");
    }

    /// Applies an event of the watch.
    void sees(delta_type type, object o)
    {
        const std::vector<delta> batch{{type, o}};
        stored->apply(batch);
        stored->versions()->reach("", gate, o.resource_version(), batch);
    }
    [[nodiscard]] std::string a() const { return text(cache.get("web", "a")); }
};

} // namespace

TEST_CASE("mutation cache: MutationCacheOnAddOrUpdate: an own write is shown until the watch delivers it",
          "[cache][mutation_cache]")
{
    fixture f;
    CHECK(f.a() == "a@5");
    f.cache.written(pod("a", "12"));
    CHECK(f.a() == "a@12");
    CHECK(f.cache.size() == 1);
    f.sees(delta_type::updated, pod("a", "11")); // another client's write, older than ours
    CHECK(f.a() == "a@12");
    f.sees(delta_type::updated, pod("a", "13"));
    CHECK(f.a() == "a@13");
    CHECK(f.cache.size() == 0);

    f.cache.written(pod("b", "15", "u2")); // created
    CHECK(text(f.cache.get("web", "b")) == "b@15");
    f.sees(delta_type::added, pod("b", "15", "u2"));
    CHECK(text(f.cache.get("web", "b")) == "b@15");
    CHECK(f.cache.size() == 0);

    f.cache.written(pod("a", "13")); // the store already has a later version
    CHECK(f.cache.size() == 0);
}

TEST_CASE("mutation cache: MutationCacheOnDelete: a removed object is hidden, whatever the watch still delivers",
          "[cache][mutation_cache]")
{
    fixture f;
    f.cache.removed({"web", "a"}, "u1", "12");
    CHECK(f.a() == "none");
    f.sees(delta_type::updated, pod("a", "11"));
    CHECK(f.a() == "none");
    f.sees(delta_type::deleted, pod("a", "12"));
    CHECK(f.a() == "none");
    CHECK(f.cache.size() == 0);
    f.sees(delta_type::added, pod("a", "14", "u2"));
    CHECK(f.a() == "a@14");
}

TEST_CASE("mutation cache: MutationCacheOnDeleteClearsStaleMutation: a write is dropped once its deletion is seen",
          "[cache][mutation_cache]")
{
    fixture f;
    f.cache.written(pod("b", "12", "u2"));
    CHECK(text(f.cache.get("web", "b")) == "b@12");
    f.sees(delta_type::added, pod("b", "12", "u2"));
    f.sees(delta_type::deleted, pod("b", "13", "u2"));
    CHECK(text(f.cache.get("web", "b")) == "none"); // not shown again
    CHECK(f.cache.size() == 0);

    f.cache.written(pod("c", "15", "u3"));
    f.cache.removed({"web", "c"}, "u3", "16");
    CHECK(text(f.cache.get("web", "c")) == "none");
    f.sees(delta_type::added, pod("c", "15", "u3"));
    CHECK(text(f.cache.get("web", "c")) == "none");
}

TEST_CASE("mutation cache: MutationCacheUpdateConcurrentDelete: a response that arrives after the deletion was seen",
          "[cache][mutation_cache]")
{
    fixture f;
    f.sees(delta_type::deleted, pod("a", "13"));
    f.cache.written(pod("a", "12"));
    CHECK(f.a() == "none");
    CHECK(f.cache.size() == 0);
    // And one that arrives after our own removal, when responses are reordered.
    f.sees(delta_type::added, pod("a", "14", "u2"));
    f.cache.removed({"web", "a"}, "u2", "17");
    f.cache.written(pod("a", "16", "u2"));
    CHECK(f.a() == "none");
}

TEST_CASE("mutation cache: MutationCacheUpdateConcurrentRecreate: the newer object of a name is shown",
          "[cache][mutation_cache]")
{
    fixture f;
    SECTION("the store has the new one")
    {
        f.sees(delta_type::added, pod("a", "14", "u2"));
        f.cache.written(pod("a", "12", "u1"));
        CHECK(f.a() == "a@14");
        f.cache.removed({"web", "a"}, "u1", "13");
        CHECK(f.a() == "a@14");
    }
    SECTION("the cache has the new one")
    {
        f.cache.removed({"web", "a"}, "u1", "12");
        f.cache.written(pod("a", "14", "u2"));
        CHECK(f.a() == "a@14");
        f.sees(delta_type::updated, pod("a", "11", "u1"));
        CHECK(f.a() == "a@14");
        f.sees(delta_type::deleted, pod("a", "12", "u1"));
        CHECK(f.a() == "a@14");
        f.sees(delta_type::added, pod("a", "14", "u2"));
        CHECK(f.a() == "a@14");
        CHECK(f.cache.size() == 0);
    }
}

TEST_CASE("mutation cache: lists apply own writes, including those that no longer match a selector",
          "[cache][mutation_cache]")
{
    fixture f;
    f.sees(delta_type::added, pod("b", "11", "u2", "shop"));
    f.sees(delta_type::added, pod("c", "12", "u3", "shop"));
    f.cache.written(pod("a", "15", "u1", "shop"));
    f.cache.written(pod("b", "16", "u2", "mail"));
    f.cache.removed({"web", "c"}, "u3", "17");
    f.cache.written(pod("d", "18", "u4", "shop"));
    CHECK(names(f.cache.list()) == lines{"a@15", "b@16", "d@18"});
    CHECK(names(f.cache.list_in("jobs")).empty());
    const auto shop = label_selector::parse("app=shop").value();
    CHECK(names(f.cache.list(shop)) == lines{"a@15", "d@18"});
    f.stored->versions()->reach("", f.gate, "30"); // a bookmark: none of them exists
    CHECK(names(f.cache.list(shop)) == lines{"b@11"});
    f.sees(delta_type::deleted, pod("c", "31", "u3", "shop"));
    CHECK(names(f.cache.list(shop)) == lines{"b@11"});
    CHECK(f.cache.size() == 0);
}

TEST_CASE("mutation cache: drops writes that the store never shows, by ttl and by number", "[cache][mutation_cache]")
{
    fixture f;
    f.cache.written(pod("a", "12"));
    f.time->advance(5min);
    CHECK(f.a() == "a@5");
    CHECK(f.cache.size() == 0);

    for (int i = 0; i < 1'002; ++i) f.cache.written(pod("n" + std::to_string(i), std::to_string(20 + i)));
    CHECK(f.cache.size() == 1'000);
    CHECK_FALSE(f.cache.get("web", "n1"));
    CHECK(f.cache.get("web", "n2"));
    f.time->advance(5min);
    f.cache.written(pod("a", "4000"));
    CHECK(names(f.cache.list()) == lines{"a@4000"});
}

TEST_CASE("mutation cache: incomparable versions give way to any change of the store", "[cache][mutation_cache]")
{
    fixture f;
    f.sees(delta_type::updated, pod("a", "x-1"));
    f.cache.written(pod("a", "x-2"));
    CHECK(f.a() == "a@x-2");
    f.cache.written(pod("a", "x-3"));
    CHECK(f.a() == "a@x-3");
    f.sees(delta_type::updated, pod("a", "x-2")); // possibly older, but the server's state counts
    CHECK(f.a() == "a@x-2");
    CHECK(f.cache.size() == 0);
    f.cache.removed({"web", "a"}, "u1", "x-4");
    CHECK(f.a() == "none");
    f.sees(delta_type::added, pod("a", "x-5", "u2"));
    CHECK(f.a() == "a@x-5");
}

TEST_CASE("mutation cache: random writes and watches never show a state older than one's own",
          "[cache][mutation_cache][model]")
{
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        fixture f;
        // The server's history from version 11 on, `seen` of which the watch has delivered, and our own writes.
        std::vector<delta> history;
        std::size_t seen = 0;
        std::map<std::string, object> server{{"a", pod("a", "5")}};
        std::map<std::string, std::uint64_t> ours;
        std::uint64_t version = 10;
        for (int step = 0; step < 80; ++step) {
            const std::string name(1, static_cast<char>('a' + draw(3)));
            const bool mine = draw(2) == 0;
            const auto at = server.find(name);
            switch (draw(4)) {
            case 0:
                if (seen < history.size()) {
                    f.sees(history[seen].type, history[seen].obj);
                    ++seen;
                }
                break;
            case 1:
                if (at != server.end()) {
                    const auto last = pod(name, std::to_string(++version), std::string(at->second.uid()));
                    history.push_back({.type = delta_type::deleted, .obj = last});
                    // The response to a deletion may have no version: then the last known one is used.
                    const auto known = std::string(draw(2) ? last.resource_version() : at->second.resource_version());
                    if (mine) f.cache.removed(last.key(), last.uid(), known);
                    if (mine) ours[name] = version;
                    server.erase(at);
                }
                break;
            default: {
                ++version;
                const auto uid = at == server.end() ? "u" + std::to_string(version) : std::string(at->second.uid());
                const auto o = server[name] = pod(name, std::to_string(version), uid);
                history.push_back({.type = delta_type::updated, .obj = o});
                if (mine) f.cache.written(o);
                if (mine) ours[name] = version;
            }
            }
            for (const std::string n : {"a", "b", "c"}) {
                // The expected state is that at the later of our last write and the last delivered event.
                const auto least = std::max<std::uint64_t>(ours[n], 10 + seen);
                object expected = n == "a" ? pod("a", "5") : object{};
                for (const auto& d : history)
                    if (d.obj.name() == n && std::stoull(std::string(d.obj.resource_version())) <= least)
                        expected = d.type == delta_type::deleted ? object{} : d.obj;
                REQUIRE(text(f.cache.get("web", n)) == text(expected));
                const auto all = f.cache.list();
                const auto listed =
                    std::find_if(all.begin(), all.end(), [&n](const object& o) { return o.name() == n; });
                REQUIRE((listed == all.end() ? "none" : text(*listed)) == text(expected));
            }
        }
    }
}

TEST_CASE("mutation cache: the oldest writes go, however many there are", "[cache][mutation_cache][costs]")
{
    // A look at each entry for each write beyond the limit would take hours.
    constexpr std::size_t most = 100'000;
    mutation_cache_core core(5min, most);
    time_point now{};
    const auto write = [](std::size_t n) { return own_write{.key = {"web", std::to_string(n)}, .version = "5"}; };
    for (std::size_t n = 0; n != 3 * most; ++n) core.put(write(n), now);
    CHECK(core.size() == most);
    CHECK_FALSE(core.find({"web", std::to_string(2 * most - 1)}, now));
    CHECK(core.find({"web", std::to_string(2 * most)}, now));
}

TEST_CASE("mutation cache: random writes at the limit equal a list of them by age", "[cache][mutation_cache][model]")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        mutation_cache_core core(5min, 4);
        time_point now{};
        // The oldest first.
        std::vector<std::pair<time_point, own_write>> model;
        const auto drop = [&model](auto which) { std::erase_if(model, [&](const auto& e) { return which(e); }); };
        for (int step = 0; step != 100; ++step) {
            const object_key key{"web", std::string(1, static_cast<char>('a' + random() % 8))};
            drop([now](const auto& e) { return e.first <= now; });
            const auto has_key = [&key](const auto& e) { return e.second.key == key; };
            switch (random() % 8) {
            case 0:
                now += std::chrono::minutes(random() % 4);
                break;
            case 1:
                core.erase(key);
                drop(has_key);
                break;
            case 2:
                CHECK(core.find(key, now).has_value() == std::any_of(model.begin(), model.end(), has_key));
                break;
            default:
                const own_write w{.key = key, .version = std::to_string(step)};
                core.put(w, now);
                drop(has_key);
                model.emplace_back(now + 5min, w);
                if (model.size() > 4) model.erase(model.begin());
            }
            drop([now](const auto& e) { return e.first <= now; });
            lines expected;
            for (const auto& [until, w] : model) expected.push_back(w.key.name + w.version);
            lines found;
            for (const auto& w : core.all(now)) found.push_back(w.key.name + w.version);
            std::sort(expected.begin(), expected.end());
            std::sort(found.begin(), found.end());
            REQUIRE(found == expected);
        }
    }
}
