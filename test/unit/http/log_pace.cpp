#include <kubecoro/http/detail/client_turns.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace std::chrono_literals;

TEST_CASE("log_pace: one line passes in a while and says how many did not", "[http]")
{
    detail::log_pace pace{10s};
    const time_point start{};
    CHECK(pace.pass(start) == 0u);
    CHECK_FALSE(pace.pass(start));
    CHECK_FALSE(pace.pass(start + 9s));
    CHECK(pace.pass(start + 10s) == 2u);
    CHECK_FALSE(pace.pass(start + 19s));
    CHECK(pace.pass(start + 30s) == 1u);
    CHECK(pace.pass(start + 40s) == 0u);
}
