// Tests of the indexer. Cases that exist in client-go have its names.

#include "indexer_orders.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/objects.hpp>

#include <functional>
#include <random>
#include <ranges>
#include <set>
#include <type_traits>

using namespace kubecoro;
using namespace kubecoro::test;
namespace kt = kubecoro::testing;

TEST_CASE("indexer: Cache: add, update, get, list, remove and replace", "[cache][indexer]")
{
    const indexer<order> orders(id_of);
    CHECK(orders.empty());
    CHECK_FALSE(orders.get("1"));
    REQUIRE(orders.add({"1", "ada"}));
    REQUIRE(orders.update({"2", "bob"})); // not known before
    CHECK(orders.get("1")->customer == "ada");
    CHECK(orders.key_of({"7"}).value() == "7");
    REQUIRE(orders.add({"1", "eve"})); // known before
    CHECK(orders.get("1")->customer == "eve");
    CHECK(orders.size() == 2);
    CHECK(ids(orders.list()) == lines{"1", "2"});
    CHECK(sorted(orders.list_keys()) == lines{"1", "2"});

    CHECK(orders.remove("1"));
    CHECK_FALSE(orders.remove("1"));
    CHECK_FALSE(orders.get("1"));
    CHECK(orders.size() == 1);

    REQUIRE(orders.replace({{"3", "first"}, {"4", "dan"}, {"3", "last"}}));
    CHECK(sorted(orders.list_keys()) == lines{"3", "4"});
    CHECK(orders.get("3")->customer == "last");
    const auto other = orders; // shares the objects
    REQUIRE(other.replace({}));
    CHECK(orders.empty());
}

TEST_CASE("indexer: of objects, keys are namespace/name, and an absent object is null", "[cache][indexer]")
{
    static_assert(std::is_same_v<decltype(std::declval<indexer<>>().get("a")), object>);
    const indexer pods;
    REQUIRE(pods.replace({kt::make_pod("web", "a", "1", "n1"), kt::make_pod("", "node", "2")}));
    CHECK(sorted(pods.list_keys()) == lines{"node", "web/a"});
    const auto a = pods.get("web/a");
    CHECK(a.name() == "a");
    CHECK(pods.get("web", "a").is_same(a));
    CHECK(pods.get({"web", "a"}).is_same(a));
    CHECK(pods.get("", "node"));
    CHECK_FALSE(pods.get("web", "b"));
    CHECK(pods.remove(a.key()));
    CHECK(pods.remove("node"));
    CHECK_FALSE(pods.remove({"web", "a"}));

    const auto refused = pods.add(object());
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::invalid);
    CHECK(refused.error().message() == "the object has no key");
    CHECK(pods.add(object::parse(R"({"kind":"Pod","metadata":{"namespace":"web"}})").value()).error() == cond::invalid);
    CHECK(pods.empty());
}

TEST_CASE("indexer: of objects, takes the index functions of informers", "[cache][indexer]")
{
    const indexer pods({{"node", [](const object& o, auto out) { out(o.path("spec.nodeName").as_string()); }}});
    REQUIRE(pods.replace({kt::make_pod("web", "a", "1", "n1"), kt::make_pod("web", "b", "2", "n1"),
                          kt::make_pod("web", "c", "3", "n2")}));
    CHECK(pods.index_keys("node", "n1").value() == lines{"web/a", "web/b"});
    std::size_t found = 0;
    for (const auto& o : pods.by_index("node", "n2").value()) found += o.name() == "c";
    CHECK(found == 1);
}

TEST_CASE("indexer: Index: objects that share a value with an object are found once", "[cache][indexer]")
{
    const auto orders = make_orders();
    REQUIRE(orders.replace({{"1", "ada", {"new", "paid"}}, {"2", "ada", {"paid"}}, {"3", "bob", {}}}));
    CHECK(ids(orders.index("customer", {"any", "ada"})) == lines{"1", "2"});
    CHECK(ids(orders.index("tag", {"any", "", {"paid", "new", "lost"}})) == lines{"1", "2"});
    CHECK(ids(orders.index("tag", {"any", "", {}})).empty());
    CHECK(ids(orders.index("customer", {"any", "eve"})).empty());
}

TEST_CASE("indexer: MultiIndexKeys: any number of values, also the same twice and an empty one", "[cache][indexer]")
{
    const auto orders = make_orders();
    REQUIRE(orders.add({"1", "ada", {"red", "red", ""}}));
    REQUIRE(orders.add({"2", "ada", {"red", "blue"}}));
    REQUIRE(orders.add({"3", "bob", {}}));
    CHECK(orders.index_keys("tag", "red").value() == lines{"1", "2"});
    CHECK(orders.index_keys("tag", "").value() == lines{"1"});
    CHECK(ids(orders.by_index("tag", "blue")) == lines{"2"});
    CHECK(ids(orders.by_index("tag", "green")).empty());
    CHECK(orders.index_keys("customer", "ada").value() == lines{"1", "2"});

    REQUIRE(orders.update({"2", "bob", {"green"}}));
    CHECK(ids(orders.by_index("tag", "blue")).empty());
    CHECK(orders.index_keys("tag", "red").value() == lines{"1"});
    CHECK(orders.index_keys("customer", "bob").value() == lines{"2", "3"});
    CHECK(orders.by_index("tag", "green").value().front().customer == "bob");
}

TEST_CASE("indexer: GetIndexFuncValues: lists the values in use, sorted", "[cache][indexer]")
{
    const auto orders = make_orders();
    REQUIRE(orders.replace({{"1", "eve", {"b"}}, {"2", "ada", {"c", "a"}}, {"3", "bob", {}}}));
    CHECK(orders.index_values("customer").value() == lines{"ada", "bob", "eve"});
    CHECK(orders.index_values("tag").value() == lines{"a", "b", "c"});
    REQUIRE(orders.replace({{"4", "eve", {}}}));
    CHECK(orders.index_values("customer").value() == lines{"eve"});
    CHECK(orders.index_values("tag").value().empty());
}

TEST_CASE("indexer: ThreadSafeStore: a value goes with its last object, and not before", "[cache][indexer]")
{
    const auto orders = make_orders();
    REQUIRE(orders.add({"1", "ada", {"x", "x"}}));
    REQUIRE(orders.add({"2", "ada"}));
    orders.remove("1");
    CHECK(orders.index_values("customer").value() == lines{"ada"});
    CHECK(orders.index_values("tag").value().empty());
    CHECK(orders.index_keys("customer", "ada").value() == lines{"2"});
    REQUIRE(orders.update({"2", "bob"}));
    CHECK(orders.index_values("customer").value() == lines{"bob"});
    orders.remove("2");
    CHECK(orders.index_values("customer").value().empty());
}

TEST_CASE("indexer: an unknown index is a failure, not an empty result", "[cache][indexer]")
{
    const auto orders = make_orders();
    // A loop over a result that was not examined does not compile; value() throws, and outlives the loop.
    static_assert(!std::ranges::range<decltype(orders.by_index("customer", "ada"))&>);
    static_assert(!std::is_reference_v<decltype(orders.by_index("customer", "ada").value())>);
    REQUIRE(orders.add({"1", "ada"}));
    const auto unknown = orders.by_index("custommer", "ada");
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error() == cond::not_found);
    CHECK(unknown.error().message() == "there is no index named 'custommer'");
    CHECK(orders.index("x", {"1"}).error() == cond::not_found);
    CHECK(orders.index_keys("x", "ada").error() == cond::not_found);
    CHECK(orders.index_values("x").error() == cond::not_found);
    CHECK(orders.indexers() == lines{"customer", "tag"});
}

TEST_CASE("indexer: TypedIndexer: indexes are added to stored objects, all of them or none", "[cache][indexer]")
{
    const indexer<order> orders(&order::id);
    REQUIRE(orders.replace({{"1", "ada", {"x"}}, {"2", "bob", {"x"}}}));
    REQUIRE(orders.add_index("tag", &order::tags));
    CHECK(orders.index_keys("tag", "x").value() == lines{"1", "2"});

    const auto taken = orders.add_indexers({{"customer", customer_of}, {"tag", customer_of}});
    REQUIRE_FALSE(taken);
    CHECK(taken.error() == cond::already_exists);
    CHECK(taken.error().message() == "an index named 'tag' already exists");
    CHECK(orders.indexers() == lines{"tag"});

    REQUIRE(orders.add_indexers({{"customer", customer_of}, {"both", [](const order& o, auto out) {
                                                                 out(o.id);
                                                                 out(o.customer);
                                                             }}}));
    CHECK(orders.indexers() == lines{"both", "customer", "tag"});
    CHECK(orders.index_keys("customer", "bob").value() == lines{"2"});
    CHECK(orders.index_values("both").value() == lines{"1", "2", "ada", "bob"});
    orders.remove("2");
    CHECK(orders.index_values("both").value() == lines{"1", "ada"});
}

TEST_CASE("indexer: an index added during a write contains its object", "[cache][indexer]")
{
    const indexer<order> orders(id_of);
    int rounds = 0;
    REQUIRE(orders.add_index("first", [&](const order& o) {
        const auto name = "added" + std::to_string(++rounds);
        if (rounds <= 3) REQUIRE(orders.add_index(name, tags_of));
        return lines{o.customer};
    }));
    SECTION("by add()") { REQUIRE(orders.add({"1", "ada", {"x"}})); }
    SECTION("by replace()") { REQUIRE(orders.replace({{"1", "ada", {"x"}}})); }
    CHECK(orders.indexers() == lines{"added1", "added2", "added3", "first"});
    for (const auto& name : {"added1", "added2", "added3"}) CHECK(orders.index_keys(name, "x").value() == lines{"1"});
    CHECK(orders.index_keys("first", "ada").value() == lines{"1"});
}

TEST_CASE("indexer: writes while an index is added are part of it", "[cache][indexer]")
{
    const indexer<order> orders(id_of);
    REQUIRE(orders.replace({{"1", "ada"}, {"2", "ada"}, {"3", "ada"}}));
    bool first = true;
    std::function<void()> write;
    const auto add = [&] {
        return orders.add_index("customer", [&](const order& o) {
            if (std::exchange(first, false)) {
                write();
                CHECK(orders.index_keys("customer", "ada").error() == cond::not_found); // not yet complete
                CHECK(orders.indexers().empty());
                CHECK(orders.add_index("customer", tags_of).error() == cond::already_exists);
            }
            return lines{o.customer};
        });
    };
    SECTION("changes of single objects")
    {
        write = [&] {
            for (const auto& id : {"1", "2", "4"}) REQUIRE(orders.add({id, "bob"}));
            orders.remove("3");
        };
        REQUIRE(add());
        CHECK(orders.index_values("customer").value() == lines{"bob"});
        CHECK(orders.index_keys("customer", "bob").value() == lines{"1", "2", "4"});
    }
    SECTION("a replace")
    {
        write = [&] { REQUIRE(orders.replace({{"3", "bob"}, {"5", "eve"}})); };
        REQUIRE(add());
        CHECK(orders.index_values("customer").value() == lines{"bob", "eve"});
        CHECK(orders.index_keys("customer", "bob").value() == lines{"3"});
    }
}

TEST_CASE("indexer: random operations against a plain map", "[cache][indexer][model]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 random(seed);
        const auto draw = [&random](std::uint64_t n) { return random() % n; };
        const auto some = [&](char first, std::uint64_t n) {
            return std::string(1, static_cast<char>(first + static_cast<char>(draw(n))));
        };
        const auto some_order = [&] {
            order o{some('a', 8), some('A', 3)};
            for (auto left = draw(4); left > 0; --left) o.tags.push_back(some('x', 3));
            return o;
        };
        const indexer<order> orders(id_of, {{"customer", customer_of}});
        std::map<std::string, order> expected;
        bool tagged = false;
        for (int step = 0; step < 60; ++step) {
            switch (draw(8)) {
            case 0: {
                std::vector<order> all;
                for (auto left = draw(8); left > 0; --left) all.push_back(some_order());
                expected.clear();
                for (const auto& o : all) expected[o.id] = o;
                REQUIRE(orders.replace(all));
                break;
            }
            case 1:
            case 2: {
                const auto id = some('a', 8);
                REQUIRE(orders.remove(id) == (expected.erase(id) == 1));
                break;
            }
            case 3:
                REQUIRE(static_cast<bool>(orders.add_index("tag", tags_of)) == !tagged);
                tagged = true;
                break;
            default: {
                const auto o = some_order();
                expected[o.id] = o;
                REQUIRE(orders.add(o));
            }
            }
            content right;
            for (const auto& [id, o] : expected) {
                right.orders[id] = {o.customer, o.tags};
                right.indexes["customer"][o.customer].push_back(id);
                for (const auto& tag : std::set(o.tags.begin(), o.tags.end()))
                    if (tagged) right.indexes["tag"][tag].push_back(id);
            }
            REQUIRE(content_of(orders) == right);
            REQUIRE(orders.size() == expected.size());
            const auto id = some('a', 8);
            const auto found = orders.get(id);
            REQUIRE(static_cast<bool>(found) == expected.contains(id));
            if (found) REQUIRE(*found == expected[id]);
        }
    }
}

TEST_CASE("indexer: by_index costs its result, not the size of the store", "[cache][indexer]")
{
    const auto cost = [](int others) {
        const auto orders = make_orders();
        std::vector<order> all{{"1", "ada"}, {"2", "ada"}, {"3", "ada"}};
        for (int i = 0; i < others; ++i) all.push_back({"other" + std::to_string(i), "c" + std::to_string(i)});
        REQUIRE(orders.replace(all));
        const auto before = allocations_so_far();
        const auto found = orders.by_index("customer", "ada");
        const auto after = allocations_so_far();
        CHECK(ids(found) == lines{"1", "2", "3"});
        return std::pair(after.calls - before.calls, after.bytes - before.bytes);
    };
    CHECK(cost(0) == cost(5000));
}
