#include "rest/request_controls.hpp"

#include "http/request_limits.hpp"
#include "http/request_text.hpp"
#include "http/retry_core.hpp"
#include "observe/request_meters.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <exception>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

constexpr int too_many_requests = 429;
// A longer wait for the rate limit is worth a line, but not one for each request.
constexpr std::chrono::seconds long_wait{1};
constexpr std::chrono::seconds between_lines{10};

} // namespace

request_controls::request_controls(const client_options& options, std::string host)
    : options_(options), sound_(check_headers(options.headers))
{
    random_.seed(options.seed ? *options.seed : random_seed());
    if (options.metrics && options.metrics != null_metrics()) meters_.emplace(options.metrics, std::move(host));
    const auto& rate = options.rate_limit;
    if (rate.qps > 0) rate_.emplace(request_rate_settings{rate.qps, rate.burst, rate.adaptive}, options.time);
}

std::shared_ptr<transport> request_controls::over(std::shared_ptr<transport> carrier)
{
    if (options_.max_requests != 0) carrier = limit_requests(std::move(carrier), options_.max_requests);
    if (options_.wrap_transport) carrier = options_.wrap_transport(std::move(carrier));
    if (!carrier) sound_ = failure(cond::misconfigured, "client_options::wrap_transport returned no transport");
    return carrier;
}

bool request_controls::is_time_for_line(std::optional<time_point>& next)
{
    const auto now = options_.time->now();
    const std::lock_guard lock(mutex_);
    if (next && now < *next) return false;
    next = now + between_lines;
    return true;
}

template<class F>
void request_controls::measure(F call) noexcept
{
    try {
        call();
    } catch (...) {
        const auto why = to_failure(std::current_exception());
        if (is_time_for_line(next_metrics_line_))
            options_.log.error("a request could not be measured", {{"failure", why.message()}});
    }
}

double request_controls::draw()
{
    const std::lock_guard lock(mutex_);
    return next_unit(random_);
}

request_controls::exchange::exchange(request_controls& of, const request& r)
    : of_(of), is_stream_(is_stream(r.target)), begun_(of.options_.time->now()), attempted_(begun_)
{
    if (!of.meters_) return;
    of.measure([&] {
        line_ = of.meters_->line(r.method, r.target);
        line_->sent(r.body.size());
    });
}

asio::awaitable<result<>> request_controls::exchange::turn()
{
    duration waited{};
    const auto turn = co_await of_.rate_->turn(waited);
    if (line_) of_.measure([&] { line_->limited(waited); });
    if (waited >= long_wait && of_.is_time_for_line(of_.next_line_))
        of_.options_.log.info("requests wait for the rate limit of the client",
                              {{"seconds", std::chrono::duration<double>(waited).count()}});
    co_return turn;
}

void request_controls::exchange::begin(request& attempt)
{
    add_headers(attempt, of_.options_.headers);
    attempted_ = of_.options_.time->now();
}

void request_controls::exchange::answered(int status)
{
    if (line_) of_.measure([&] { line_->answered(status, of_.options_.time->now() - attempted_); });
    if (of_.rate_ && status == too_many_requests) of_.rate_->on_too_many();
}

duration request_controls::exchange::retry(int status, std::chrono::seconds asked)
{
    if (line_) of_.measure([&] { line_->retried(status); });
    return asked == std::chrono::seconds{0} ? duration{0} : spread(asked, of_.draw());
}

std::unique_ptr<answer> request_controls::exchange::deliver(std::unique_ptr<answer> got)
{
    if (!line_ || is_stream_) return got;
    return measured_answer(std::move(got), line_, of_.options_.time, begun_);
}

} // namespace kubecoro::detail
