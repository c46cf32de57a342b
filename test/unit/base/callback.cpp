#include <kubecoro/base/callback.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/test/catch.hpp>

#include <functional>
#include <type_traits>
#include <utility>

using kubecoro::callback;

using on_count = callback<void(int)>;
using function = std::function<void(int)>;

TEST_CASE("callback: an empty one stays empty when it becomes a std::function")
{
    on_count none;
    const on_count null = nullptr;
    function initialised = none;
    CHECK_FALSE(initialised);
    CHECK_FALSE(function(none));
    CHECK_FALSE(function(null));
    CHECK_FALSE(function(on_count()));
    initialised = [](int) {};
    initialised = none;
    CHECK_FALSE(initialised);
    CHECK_FALSE(function(on_count(function())));
}

TEST_CASE("callback: it is called as a constant or a temporary, and becomes no std::function of another signature")
{
    int seen = 0;
    const on_count set = [&](int n) { seen = n; };
    set(1);
    CHECK(seen == 1);
    on_count([&](int n) { seen = n; })(2);
    CHECK(seen == 2);
    const bool converts = std::is_convertible_v<on_count, std::function<void(long)>>;
    CHECK_FALSE(converts);
}

TEST_CASE("callback: a std::function of it calls the same function")
{
    int seen = 0;
    on_count set = [&](int n) { seen = n; };
    function copy = set;
    REQUIRE(copy);
    copy(3);
    CHECK(seen == 3);
    const function moved(std::move(set));
    moved(4);
    CHECK(seen == 4);
    std::as_const(set = copy)(5);
    CHECK(seen == 5);
}
