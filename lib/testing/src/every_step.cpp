#include <kubecoro/testing/every_step.hpp>

namespace kubecoro::testing {
namespace {

failure too_long(std::size_t limit)
{
    return failure(cond::internal, "the scenario does not end within " + std::to_string(limit) + " handlers");
}

} // namespace

result<std::size_t> stop_after_every_step(const std::function<scenario(runner&)>& make, const callback<void()>& check,
                                          std::size_t limit)
{
    for (std::size_t n = 1; n <= limit; ++n) {
        runner r;
        scenario s = make(r);
        const auto t = r.spawn(std::move(s.body));
        const auto ran = r.step(n);
        const bool ended = t.done();
        if (!ended && ran < n)
            return failure(cond::internal, "the scenario hangs after " + std::to_string(ran) + " handlers");
        r.destroy_coroutines();
        s.fixture.reset();
        if (check) check();
        if (ended) return n;
    }
    return too_long(limit);
}

result<std::size_t> cancel_after_every_step(const std::function<scenario(runner&)>& make,
                                            const callback<void(const result<>&)>& check, std::size_t limit)
{
    for (std::size_t n = 1; n <= limit; ++n) {
        runner r;
        scenario s = make(r);
        const auto t = r.spawn(std::move(s.body));
        r.step(n);
        const bool ended = t.done();
        t.cancel();
        const auto stopped = r.run_until([&t] { return t.done(); });
        if (stopped && check) check(t.outcome());
        r.destroy_coroutines();
        s.fixture.reset();
        if (!stopped)
            return stopped.error().because("cancelled after " + std::to_string(n) +
                                           " handlers, the scenario does not end");
        if (ended) return n;
    }
    return too_long(limit);
}

} // namespace kubecoro::testing
