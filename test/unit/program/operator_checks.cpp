// The health checks of an operator's program.
#include "operator/operator_endpoints.hpp"

#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <memory>

using namespace kubecoro;

namespace {

/// A manager that never starts.
struct idle_program
{
    boost::asio::io_context unused;
    manager m{client(unused.get_executor(), std::make_shared<detail::no_server>(), client_options())};
};

} // namespace

TEST_CASE("operator checks: those of the options are served beside the program's", "[program]")
{
    idle_program p;
    operator_options o;
    const auto before = detail::checks_of(o, p.m, nullptr);
    o.checks = [&p](manager& m, const health_checks& checks) {
        CHECK(&m == &p.m);
        checks.add_ready("database", []() -> result<> { return {}; }).value();
        checks.add_live("deadlock", []() -> result<> { return {}; }).value();
    };
    const auto checks = detail::checks_of(o, p.m, nullptr);
    auto ready = before.names(health_probe::ready);
    auto live = before.names(health_probe::live);
    ready.emplace_back("database");
    live.emplace_back("deadlock");
    CHECK(checks.names(health_probe::ready) == ready);
    CHECK(checks.names(health_probe::live) == live);
}

TEST_CASE("operator checks: a program is ready when its servers serve, and before informers that need them",
          "[program]")
{
    idle_program p;
    const operator_options o;
    const auto informers = [&] {
        return std::ranges::count(detail::checks_of(o, p.m, nullptr).names(health_probe::ready), "informers");
    };
    CHECK(p.m.serves());
    CHECK(informers() == 1);
    bool serves = false, converts = false;
    p.m.declare_server([&] { return serves; }, [&] { return converts; });
    CHECK_FALSE(p.m.serves());
    CHECK(informers() == 1);
    serves = converts = true;
    CHECK(p.m.serves());
    CHECK(informers() == 0);
}

TEST_CASE("operator checks: a name that is taken ends the program with that failure", "[program]")
{
    idle_program p;
    operator_options o;
    o.checks = [](manager&, const health_checks& checks) {
        checks.add_ready("informers", []() -> result<> { return {}; }).value();
    };
    CHECK_THROWS_WITH(detail::checks_of(o, p.m, nullptr), Catch::Contains("informers"));
}
