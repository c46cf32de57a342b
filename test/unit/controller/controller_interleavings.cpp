// Controllers whose coroutines run in any order, as on several threads; drawn from seeds.
#include <kubecoro/base/guard.hpp>
#include <kubecoro/controller/controller.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/shuffled_context.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

/// A limiter that says when it is gone.
class noticed_limiter final : public rate_limiter
{
public:
    explicit noticed_limiter(std::shared_ptr<int> token) : token_(std::move(token)) {}
    [[nodiscard]] duration delay(unsigned, time_point) const override { return 1h; }

private:
    std::shared_ptr<int> token_;
};

/// Stops a controller after so many steps; what its user gave it must not outlive it.
void stop_after(std::uint64_t seed, std::size_t steps)
{
    test::shuffled_context context(seed);
    const kt::recording_logger log;
    auto mine = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = mine;
    controller_options options;
    options.workers = 3;
    options.limiter = std::make_unique<noticed_limiter>(mine);
    options.time = std::make_shared<kt::virtual_clock>();
    options.log = log.handle();
    reconciler reconcile = [token = mine](const object_key& key,
                                          reconcile_context&) -> asio::awaitable<result<action>> {
        if (key.name == "fails") co_return failure(cond::conflict);
        co_return action::requeue_after(1h);
    };
    mine.reset();
    std::optional<controller> subject(std::in_place, context.executor(), std::move(reconcile), std::move(options));
    subject->trigger({"web", "a"});
    subject->trigger({"web", "fails"});
    subject->start();
    for (std::size_t n = 0; n < steps && context.run_one(); ++n) {
    }
    std::optional<result<>> stopped;
    asio::co_spawn(asio::make_strand(context.executor()), subject->stop(),
                   [&](std::exception_ptr, result<> outcome) { stopped = std::move(outcome); });
    // The program goes on as soon as the stop has completed, whatever is still ready to run.
    while (!stopped && context.run_one()) {
    }
    REQUIRE(stopped);
    CHECK(stopped->has_value());
    subject.reset();
    CHECK(log.count("await stop() first") == 0);
    CHECK(watched.expired());
    context.run();
}

} // namespace

TEST_CASE("controller: when stop() has completed everything has left, whatever the order", "[controller][shutdown]")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        stop_after(seed, seed % 60);
    }
}
