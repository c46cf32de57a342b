// Runs of a credential plugin that cannot be begun or finished.
#include "auth/exec_login.hpp"
#include "failing_allocations.hpp"

#include <kubecoro/testing/coroutine_runner.hpp>

using namespace kubecoro;
using namespace kubecoro::detail;
namespace asio = boost::asio;

namespace {

/// A login whose plugin does not exist.
struct missing_plugin
{
    testing::runner run;
    std::shared_ptr<const exec_caller> caller =
        std::make_shared<const exec_caller>(*null_metrics(), logger::silent(), duration::zero());
    std::shared_ptr<exec_login> login = std::make_shared<exec_login>(
        kept_executor(run.executor()),
        exec_login::settings{.plugin = {.api_version = "client.authentication.k8s.io/v1", .command = "/nowhere/login"},
                             .interactive_info = "{}",
                             .info = "{}",
                             .time = run.shared_clock()});

    result<held_credential> ask(std::uint64_t failing_allocation = 0)
    {
        const std::function<asio::awaitable<result<held_credential>>()> asking = [&] {
            return login->credential(caller);
        };
        return run.run(test::failing(failing_allocation, asking));
    }
};

} // namespace

TEST_CASE("exec login: a run that lacks memory ends, and the next request runs the plugin again", "[client][exec]")
{
    test::for_each_allocation([](std::uint64_t nth) {
        missing_plugin the;
        try {
            const auto first = the.ask(nth);
            CHECK_FALSE(first);
            CHECK((first.error() == cond::misconfigured || first.error() == cond::internal));
        } catch (const std::bad_alloc&) { // the task did not begin
        }
        const auto second = the.ask();
        REQUIRE_FALSE(second);
        CHECK(second.error() == cond::misconfigured);
    });
}
