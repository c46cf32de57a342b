// Tests of the indexer with functions that throw or call it, and without memory. A case that exists in client-go has its name.

#include "indexer_orders.hpp"

#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>

using namespace kubecoro;
using namespace kubecoro::test;

TEST_CASE("indexer: KeyError: a key function that throws or returns no text changes nothing", "[cache][indexer]")
{
    const indexer<order> orders([](const order& o) {
        if (o.id == "bad") throw std::runtime_error("no id");
        if (o.id == "gone") throw error(failure(cond::expired, "old"));
        return o.id;
    });
    REQUIRE(orders.add({"1", "ada"}));
    const auto threw = orders.add({"bad"});
    REQUIRE_FALSE(threw);
    CHECK(threw.error() == cond::internal);
    CHECK(threw.error().describe().find("the key function threw") != std::string::npos);
    CHECK(threw.error().describe().find("no id") != std::string::npos);
    CHECK(orders.update({"gone"}).error() == cond::expired);
    CHECK(orders.add({""}).error() == cond::invalid);
    CHECK(orders.replace({{"2"}, {"bad"}}).error() == cond::internal);
    CHECK(orders.key_of({"bad"}).error() == cond::internal);
    CHECK(orders.key_of({""}).error() == cond::invalid);
    CHECK(orders.list_keys() == lines{"1"});
}

TEST_CASE("indexer: an index function that throws changes nothing, and the failure names it", "[cache][indexer]")
{
    const auto orders = make_orders();
    REQUIRE(orders.add_index("unlucky", [](const order& o) {
        if (o.customer == "eve") throw std::runtime_error("not her");
        return lines{o.customer};
    }));
    REQUIRE(orders.replace({{"1", "ada", {"x"}}, {"2", "bob", {"y"}}}));
    const auto before = content_of(orders);
    const auto threw = orders.update({"1", "eve", {"z"}});
    REQUIRE_FALSE(threw);
    CHECK(threw.error() == cond::internal);
    CHECK(threw.error().describe().find("the function of index 'unlucky' threw") != std::string::npos);
    CHECK(orders.add({"3", "eve"}).error() == cond::internal);
    CHECK(orders.replace({{"4", "ada"}, {"5", "eve"}}).error() == cond::internal);
    CHECK(orders.index("unlucky", {"9", "eve"}).error() == cond::internal);
    CHECK(content_of(orders) == before);

    // One that throws for a stored object is not added, nor is another with it.
    const auto refused = orders.add_indexers({{"fine", customer_of}, {"late", [](const order& o) -> lines {
                                                                          if (o.id == "2") throw std::bad_alloc();
                                                                          return {o.id};
                                                                      }}});
    REQUIRE_FALSE(refused);
    CHECK(content_of(orders) == before);
    REQUIRE(orders.add({"3", "dan"}));
    REQUIRE(orders.add_index("fine", customer_of)); // the name is free again
    CHECK(orders.index_keys("fine", "dan").value() == lines{"3"});
}

namespace {

/// Calls a function when it is copied or destroyed.
struct nosy
{
    std::string id;
    std::shared_ptr<const std::function<void()>> call;

    nosy(std::string i, std::shared_ptr<const std::function<void()>> c) : id(std::move(i)), call(std::move(c)) {}
    nosy(const nosy& other) : id(other.id), call(other.call) { (*call)(); }
    nosy(nosy&&) noexcept = default;
    nosy& operator=(const nosy&) = delete;
    nosy& operator=(nosy&&) noexcept = default;
    ~nosy()
    {
        if (call) (*call)();
    }
};

} // namespace

TEST_CASE("indexer: functions, copies and destructors of objects run without a lock", "[cache][indexer]")
{
    std::size_t calls = 0;
    std::function<void()> look = [] {};
    const auto call = std::make_shared<const std::function<void()>>([&] { look(); });
    const auto id = [&look](const nosy& o) {
        look();
        return o.id;
    };
    const indexer<nosy> all(id, {{"id", [id](const nosy& o) { return lines{id(o)}; }}});
    // Taking the lock for writing fails or hangs if this thread holds it in any way.
    look = [&] {
        ++calls;
        all.remove("none");
    };
    REQUIRE(all.add({"1", call}));
    REQUIRE(all.add({"1", call}));
    REQUIRE(all.add_index("again", [&look](const nosy& o) {
        look();
        return lines{o.id};
    }));
    CHECK(all.get("1")->id == "1");
    CHECK(all.list().size() == 1);
    CHECK(all.by_index("id", "1").value().size() == 1);
    CHECK(all.index("again", {"1", call}).value().size() == 1);
    REQUIRE(all.replace({{"2", call}}));
    CHECK(all.remove("2"));
    CHECK(calls > 20);
    look = [] {};
}

TEST_CASE("indexer: exhausted memory at any allocation changes nothing", "[cache][indexer]")
{
    const auto call = GENERATE(0, 1, 2, 3);
    std::size_t failures = 0;
    for (std::uint64_t nth = 1; nth < 2000; ++nth) {
        const auto orders = make_orders();
        // Many values, so that tables grow at some point.
        for (int i = 0; i < 15; ++i) {
            const auto n = std::to_string(i);
            REQUIRE(orders.add({n, "a customer with a long name, " + n, {"tag " + n, "a tag with a long name, " + n}}));
        }
        const auto before = content_of(orders);
        const order some{
            "an order with a long number, 17", "another customer with a long name", {"new", "tag 3", "tag 3"}};
        bool failed = false;
        fail_allocation(nth);
        try {
            result<> done;
            if (call == 0) done = orders.add(some);
            if (call == 1) done = orders.update({"3", "another customer with a long name", {"new", "tag 3"}});
            if (call == 2) done = orders.replace({some, {"3"}, {"4", "x", {"y"}}});
            if (call == 3)
                done = orders.add_indexers({{"again", customer_of}, {"once more, with a long name", tags_of}});
            failed = !done; // by a function of the test, which is user code
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        fail_allocation(0);
        INFO("call " << call << ", allocation " << nth);
        REQUIRE((content_of(orders) == before) == failed);
        if (!failed) {
            CHECK(failures > 5);
            return;
        }
        ++failures;
        // Nothing half done stays behind.
        REQUIRE(orders.add(some));
        CHECK(ids(orders.by_index("tag", "new")) == lines{some.id});
        REQUIRE(orders.add_index("again", customer_of));
    }
    FAIL("never succeeds");
}
