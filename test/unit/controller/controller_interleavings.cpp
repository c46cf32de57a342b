// Controllers whose coroutines run in an order drawn from a seed, as on several threads.
#include "controller_fixture.hpp"

using namespace controller_test;

namespace {

/// A limiter that reports its destruction.
class noticed_limiter final : public rate_limiter
{
public:
    explicit noticed_limiter(std::shared_ptr<int> token) : token_(std::move(token)) {}
    [[nodiscard]] duration delay(unsigned, time_point) const override { return 1h; }

private:
    std::shared_ptr<int> token_;
};

/// Stops a controller after `steps` handlers; the objects its user passed in must not outlive it.
void stop_after(std::uint64_t seed, std::size_t steps)
{
    kt::runner run(seed, kt::ready_order::shuffled);
    const kt::recording_logger log;
    auto mine = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = mine;
    controller_options options;
    options.workers = 3;
    options.limiter = std::make_unique<noticed_limiter>(mine);
    options.time = run.shared_clock();
    options.log = log.handle();
    reconciler reconcile = [token = mine](const object_key& key,
                                          reconcile_context&) -> asio::awaitable<result<action>> {
        if (key.name == "fails") co_return failure(cond::conflict);
        co_return action::requeue_after(1h);
    };
    mine.reset();
    std::optional<controller<object>> subject(std::in_place, run.executor(), std::move(reconcile), std::move(options));
    subject->trigger({"web", "a"});
    subject->trigger({"web", "fails"});
    subject->start();
    run.step(steps);
    const auto stopping = run.spawn(subject->stop());
    // The program continues as soon as the stop has completed, whatever is still ready to run.
    REQUIRE(run.run_until([&] { return stopping.done(); }));
    CHECK(stopping.outcome().has_value());
    subject.reset();
    CHECK(log.count("await stop() first") == 0);
    CHECK(watched.expired());
    run.run_until_idle();
}

} // namespace

TEST_CASE("controller: when stop() has completed everything has ended, in any order of handlers",
          "[controller][shutdown]")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        stop_after(seed, seed % 60);
    }
}

TEST_CASE("controller: an own write is not missed, whether the run's end or the event comes first", "[controller]")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        kt::runner run(seed, kt::ready_order::shuffled);
        const kubecoro::test::scripted_informers scripted(run);
        auto& cluster = scripted.source(pod::resource());
        cluster.on_list(kt::make_page({}, "10"));
        auto watch = cluster.on_watch();
        informer_factory& informers = *scripted.informers;
        const auto pods = informers.get<pod>();
        int runs = 0;
        controller_options o;
        o.own_write_wait = duration::max();
        o.time = run.shared_clock();
        controller<object> subject(run.executor(),
                                   plain([&](const object_key&, reconcile_context& context) -> run_result {
                                       const auto made = kt::make_pod("web", "made", std::to_string(20 + ++runs));
                                       if (runs <= 3) {
                                           watch.send(runs == 1 ? kt::added(made) : kt::modified(made));
                                           context.wrote(made);
                                           subject.trigger({"app", "shop"});
                                       }
                                       return action::done();
                                   }),
                                   std::move(o));
        subject.watch(pods, enqueue_mapped([](const object&, key_sink) {}));
        informers.start();
        subject.start();
        subject.trigger({"app", "shop"});
        run.run_until_idle();
        CHECK(runs == 4); // every write was seen without any time passing
        CHECK(subject.stats().behind_own_writes == 0);
        CHECK(run.run(subject.stop()).has_value());
        CHECK(run.run(informers.stop()).has_value());
    }
}
