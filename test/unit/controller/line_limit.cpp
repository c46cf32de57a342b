// Tests of the limit of log lines that others may cause.
#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/recording.hpp>

using namespace kubecoro;
using namespace std::chrono_literals;
using detail::line_limit;

TEST_CASE("line limit: some lines at once, then one a minute, which says how many were left out", "[controller]")
{
    testing::recording_logger recorded;
    const auto log = recorded.handle();
    time_point now{1h};
    line_limit limit;
    const auto passed = [&](int lines) {
        int out = 0;
        for (int i = 0; i < lines; ++i) out += limit.pass(log, now) ? 1 : 0;
        return out;
    };
    CHECK(passed(9) == 9);
    CHECK(passed(50) == 1);
    CHECK(recorded.count("left out") == 0);
    now += 59s;
    CHECK(passed(5) == 0);
    now += 1s;
    CHECK(passed(5) == 1);
    CHECK(recorded.count("lines like the next one were left out lines=54") == 1);
    now += 1h; // a quiet hour makes up for everything, and for no more
    CHECK(passed(50) == 10);
    CHECK(recorded.count("lines like the next one were left out lines=4") == 1);
}

TEST_CASE("line limit: the last line is written late if it was left out", "[controller]")
{
    testing::recording_logger recorded;
    const auto log = recorded.handle();
    time_point now{1h};
    line_limit limit;
    CHECK_FALSE(limit.pass_late(log, now));
    CHECK_FALSE(limit.late_at());
    for (int i = 0; i < 13; ++i) (void)limit.pass(log, now);
    CHECK_FALSE(limit.pass_late(log, now));
    CHECK(limit.late_at() == now + 1min);
    now += 1min;
    CHECK(limit.pass_late(log, now));
    CHECK(recorded.count("left out lines=2") == 1);
    CHECK_FALSE(limit.pass_late(log, now + 1h));
}
