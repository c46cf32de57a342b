#include <kubecoro/controller/periodic.hpp>

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

constexpr duration shortest_period = std::chrono::milliseconds{1};

periodic_options completed(periodic_options o)
{
    o.period = std::max<duration>(o.period, shortest_period);
    if (!o.seed) o.seed = detail::random_seed();
    if (!o.time) o.time = real_clock();
    if (!o.metrics) o.metrics = null_metrics();
    return o;
}

/// A job with its numbers.
struct periodic_job
{
    periodic_options how;
    loop_body body;
    std::shared_ptr<metrics::counter> succeeded;
    std::shared_ptr<metrics::counter> failed;
    std::shared_ptr<metrics::histogram> seconds;

    periodic_job(periodic_options o, loop_body b)
        : how(std::move(o)),
          body(std::move(b)),
          succeeded(how.metrics->make_counter("kubecoro_periodic_runs_total", labels("success"))),
          failed(how.metrics->make_counter("kubecoro_periodic_runs_total", labels("error"))),
          seconds(how.metrics->make_histogram("kubecoro_periodic_run_seconds", {{"name", how.name}}))
    {
    }
    [[nodiscard]] metric_labels labels(std::string outcome) const
    {
        return {{"name", how.name}, {"result", std::move(outcome)}};
    }
    void note(const result<>& done, duration took)
    {
        seconds->observe(std::chrono::duration<double>(took).count());
        (done ? succeeded : failed)->add();
        if (!done) how.log.warning("a periodic job failed", {{"job", how.name}, {"failure", done.error().describe()}});
    }
};

/// One run. Its failures are no failures of the loop.
asio::awaitable<result<>> run_once(periodic_job& job)
{
    const auto begun = job.how.time->now();
    const auto done = co_await with_timeout(*job.how.time, job.how.deadline, job.how.name, catch_failure(job.body));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) co_return failure(cond::cancelled);
    job.note(done, job.how.time->now() - begun);
    co_return result<>{};
}

asio::awaitable<result<>> run_job(periodic_options how, loop_body body)
{
    periodic_job job(completed(std::move(how)), std::move(body));
    detail::random_source random(*job.how.seed);
    const auto part = std::chrono::duration_cast<duration>(job.how.period * detail::next_unit(random));
    KUBECORO_TRY(co_await sleep_for(*job.how.time, job.how.first_after.value_or(part)));
    const round_timing timing{.period = job.how.period, .jitter = job.how.jitter, .sliding = false, .seed = random()};
    const auto round = [&job] { return run_once(job); };
    co_return co_await jitter_until(*job.how.time, timing, round);
}

} // namespace

asio::awaitable<result<>> every(periodic_options how, loop_body job)
{
    return catch_failure(run_job(std::move(how), std::move(job)));
}

} // namespace kubecoro
