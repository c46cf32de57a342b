#include "http/server_engine.hpp"

#include "live/live_cluster.hpp"
#include "objects/status_errors.hpp"
#include "request/media.hpp"
#include "schema/match_conditions.hpp"

#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/append.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace asio = boost::asio;

namespace kubecoro::apiserver {

watch_handle::watch_handle(std::shared_ptr<server_engine> engine, std::uint64_t id, detail::wake_signal wake)
    : engine_(std::move(engine)), id_(id), wake_(std::move(wake))
{
}

watch_handle::~watch_handle()
{
    const auto strand = engine_->strand_.get();
    if (strand) asio::post(strand, [engine = engine_, id = id_] { engine->close(id); });
}

asio::awaitable<watch_handle::piece> watch_handle::next()
{
    while (true) {
        piece out;
        co_await engine_->on_strand([&] { out = engine_->next_of(id_); });
        const auto conversions = std::move(out.conversions);
        if (!out.bytes.empty() || out.ended || out.cut || !conversions) co_return out;
        co_await conversions->perform();
    }
}

namespace {

/// Whether a request was given up, to begin again when webhooks have answered.
bool waits_for_webhooks(const http_request& request)
{
    return (request.reviews && request.reviews->pending()) || (request.conversions && request.conversions->pending());
}

} // namespace

server_engine::server_engine(asio::any_io_executor executor, server_options options)
    : executor_(executor),
      strand_(detail::make_kept_strand(executor_)),
      time_(std::move(options.time)),
      log_(std::move(options.log)),
      bodies_(options.max_buffered_bytes),
      state_(options.cluster, time_->wall_now()),
      live_(options.live_nodes ? std::make_unique<live::live_cluster>(state_, *options.live_nodes, time_->wall_now())
                               : nullptr),
      handler_(state_, access_, options.cluster.seed),
      tasks_(strand_.get(), log_)
{
    for (server_options::token_user& u : options.tokens)
        access_.add_token(std::move(u.token), std::move(u.user), u.expires);
    for (access_rule& r : options.rules) access_.add_rule(std::move(r));
    state_.on_change([this](std::string_view resource) { wake_watchers(resource); });
}

server_engine::~server_engine() = default;

asio::awaitable<void> server_engine::on_strand(std::function<void()> f)
{
    const auto own = strand_.get();
    if (!own) throw boost::system::system_error(asio::error::operation_aborted); // its context has ended
    // Two posts suffice: f stores its results in locals of the suspended caller, which the handler keeps alive.
    co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(std::exception_ptr)>(
        [](auto handler, const asio::any_io_executor& strand, std::function<void()> work) {
            asio::post(strand, [handler = std::move(handler), work = std::move(work)]() mutable {
                // Thrown to the caller: from here it would end the loop that runs the context.
                std::exception_ptr thrown;
                try {
                    work();
                } catch (...) {
                    thrown = std::current_exception();
                }
                auto home = asio::get_associated_executor(handler);
                asio::post(home, asio::append(std::move(handler), thrown));
            });
        },
        asio::use_awaitable, own, std::move(f));
}

asio::awaitable<result<engine_answer>> server_engine::perform(http_request request, detail::wake_signal wake,
                                                              std::function<bool()> gone)
{
    if (stopping()) co_return failure{cond::unreachable, "the embedded server has stopped"};
    const std::uint64_t cuts = cuts_;
    engine_answer out;
    if (is_called_yaml(request)) {
        // Off the strand: other requests are answered meanwhile. Those that are refused are not parsed.
        auto refused = co_await refuse_early(request);
        if (refused) {
            out.response = std::move(*refused);
            co_return out;
        }
        parse_ahead(request);
    }
    if (webhooks) request.conversions = std::make_shared<detail::conversion_ledger>(webhooks, time_);
    if (webhooks && request.method != "GET")
        request.reviews = std::make_shared<detail::admission_ledger>(webhooks, time_, conditions_hold);
    std::optional<time_point> since;
    bool again = false;
    do {
        co_await on_strand([&] { perform_step(request, wake, since, out); });
        again = out.response.pending || waits_for_webhooks(request);
        if (again && gone && gone()) co_return failure{cond::unreachable, "the client has disconnected"};
        if (request.reviews && request.reviews->pending()) co_await request.reviews->perform();
        if (request.conversions && request.conversions->pending()) co_await request.conversions->perform();
    } while (again && cuts == cuts_ && !stopping());
    if (again && stopping()) co_return failure{cond::unreachable, "the embedded server has stopped"};
    if (out.response.delay.count() > 0) {
        KUBECORO_TRY(co_await sleep_for(*time_, out.response.delay));
    }
    if (cuts != cuts_) co_return failure{cond::unreachable, "the embedded server broke the connection off"};
    co_return out;
}

asio::awaitable<std::optional<http_response>> server_engine::refuse_early(const http_request& head)
{
    std::optional<http_response> out;
    co_await on_strand([&] {
        out = handler_.refuse_early(head, time_->wall_now());
        if (!out) return;
        ++requests_;
        log_request(head, *out, time_->now());
    });
    co_return out;
}

// An exception of the handler fails one request, not the program that embeds the server.
http_response server_engine::handle(const http_request& request, http_response before)
{
    try {
        if (!before.pending) return handler_.begin(request, time_->wall_now());
        auto done = before.pending->step(time_->wall_now());
        return done ? std::move(*done) : std::move(before);
    } catch (const std::exception& e) {
        log_.error("request handler threw an exception", {{"method", request.method}, {"failure", e.what()}});
        return respond(errors::internal("the embedded server failed on this request"));
    }
}

void server_engine::perform_step(const http_request& request, const detail::wake_signal& wake,
                                 std::optional<time_point>& since, engine_answer& out)
{
    KUBECORO_EXPECT(detail::runs_on(strand_));
    if (!since) since = time_->now();
    out.response = handle(request, std::move(out.response));
    if (out.response.pending) return changed();
    if (waits_for_webhooks(request)) return; // it begins again
    count(request, out.response);
    log_request(request, out.response, *since);
    if (out.response.watch) {
        const std::uint64_t id = next_watch_++;
        open_watch& w = watchers_[id];
        w.stream = std::move(out.response.watch);
        w.wake = wake;
        open_watches_ = watchers_.size();
        out.watch = std::make_unique<watch_handle>(shared_from_this(), id, wake);
    } else if (request.method != "GET") {
        changed();
    }
}

// Collections have an odd number of path segments after the group and version: pods, namespaces/x/pods.
void server_engine::count(const http_request& request, const http_response& response)
{
    ++requests_;
    if (response.watch) {
        if (response.watch->resource() != cluster_state_core::log_resource) ++watches_;
        return;
    }
    if (request.method != "GET" || response.status != 200) return;
    const std::string_view path = std::string_view(request.target).substr(0, request.target.find('?'));
    const auto segments = std::count(path.begin(), path.end(), '/');
    const bool core = path.starts_with("/api/");
    if (!core && !path.starts_with("/apis/")) return;
    const auto after_version = segments - (core ? 2 : 3);
    if (after_version == 1 || (after_version == 3 && path.find("/namespaces/") != path.npos)) ++lists_;
}

void server_engine::log_request(const http_request& request, const http_response& response, time_point since) const
{
    if (!log_.enabled(log_level::info)) return;
    const std::chrono::duration<double, std::milli> took = time_->now() - since;
    log_.info("request", {{"method", request.method},
                          {"target", request.target},
                          {"status", response.status},
                          {"user", response.user},
                          {"ms", took.count()}});
}

watch_handle::piece server_engine::next_of(std::uint64_t id)
{
    KUBECORO_EXPECT(detail::runs_on(strand_));
    watch_handle::piece out;
    const auto at = watchers_.find(id);
    if (at == watchers_.end() || at->second.cut) {
        out.cut = true;
        return out;
    }
    open_watch& w = at->second;
    try {
        return output_of(w);
    } catch (const std::exception& e) {
        log_.error("a watch threw an exception", {{"resource", w.stream->resource()}, {"failure", e.what()}});
        w.cut = out.cut = true;
        return out;
    }
}

watch_handle::piece server_engine::output_of(open_watch& w)
{
    watch_handle::piece out;
    watch_output output = w.stream->next(time_->wall_now());
    std::size_t size = 0;
    for (const auto& line : output.lines) size += line->size();
    out.bytes.reserve(size);
    for (const auto& line : output.lines) out.bytes += *line;
    out.more = output.more;
    out.conversions = std::move(output.conversions);
    out.ended = output.ended || (stopping() && !output.more);
    w.wake_at = w.stream->wake_at();
    if (!out.ended) arm(w.wake_at);
    return out;
}

void server_engine::close(std::uint64_t id)
{
    KUBECORO_EXPECT(detail::runs_on(strand_));
    watchers_.erase(id);
    open_watches_ = watchers_.size();
}

void server_engine::wake_watchers(std::string_view resource)
{
    for (auto& [id, w] : watchers_)
        if (w.stream->resource() == resource) w.wake.notify();
}

void server_engine::changed() { arm(tick(time_->wall_now())); }

void server_engine::restored()
{
    if (live_) live_->restored(time_->wall_now());
    changed();
}

void server_engine::report(const std::exception_ptr& failure) const
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        log_.error("the work of the cluster threw an exception", {{"failure", e.what()}});
    }
}

// As in handle(): the requests that follow are not affected. Work that failed is tried again, though nothing changes.
std::optional<wall_time> server_engine::tick(wall_time now)
{
    KUBECORO_EXPECT(detail::runs_on(strand_));
    try {
        auto next = live_ ? live_->tick(now) : state_.tick(now);
        retry_after_ = shortest_retry;
        if (live_ && live_->failure()) report(live_->failure());
        return next;
    } catch (const std::exception&) {
        report(std::current_exception());
        const auto when = now + retry_after_;
        retry_after_ = std::min(2 * retry_after_, longest_retry);
        return when;
    }
}

// The timer coroutine starts with the first deadline; a server that only answers reads needs none.
void server_engine::arm(std::optional<wall_time> when)
{
    if (!when || stopping() || (armed_ && *armed_ <= *when)) return;
    armed_ = when;
    if (timer_running_) {
        if (timer_) timer_->cancel();
        timer_wake_.notify();
        return;
    }
    timer_running_ = tasks_.spawn("embedded server: timer", run_timer());
}

std::optional<wall_time> server_engine::let_time_pass()
{
    const wall_time now = time_->wall_now();
    std::optional<wall_time> next = tick(now);
    for (auto& [id, w] : watchers_) {
        if (!w.wake_at) continue;
        if (*w.wake_at <= now) {
            w.wake_at.reset(); // set again by next_of()
            w.wake.notify();
        } else if (!next || *w.wake_at < *next) {
            next = w.wake_at;
        }
    }
    return next;
}

asio::awaitable<result<>> server_engine::run_timer()
{
    const auto executor = co_await asio::this_coro::executor;
    const auto alarm = time_->make_timer(executor);
    const struct presence
    {
        timer*& place;
        ~presence() { place = nullptr; }
    } here{timer_};
    timer_ = alarm.get();
    while (!stopping()) {
        if (armed_ && *armed_ <= time_->wall_now()) armed_ = let_time_pass();
        if (!armed_) {
            KUBECORO_TRY(co_await timer_wake_.wait());
            continue;
        }
        const auto ahead = *armed_ - time_->wall_now();
        if (ahead <= ahead.zero()) { // work is left; others may go first
            co_await asio::post(executor, asio::use_awaitable);
            continue;
        }
        alarm->expires_at(time_->now() + std::chrono::duration_cast<duration>(ahead));
        // Ends early when an earlier deadline is armed.
        [[maybe_unused]] const auto rung = co_await alarm->wait();
    }
    co_return result<>{};
}

asio::awaitable<result<>> server_engine::stop()
{
    co_await on_strand([&] {
        stopping_ = true;
        for (auto& [id, w] : watchers_) w.wake.notify();
        if (timer_) timer_->cancel();
        timer_wake_.notify();
    });
    co_return co_await tasks_.join();
}

void server_engine::cut()
{
    ++cuts_;
    const auto strand = strand_.get();
    if (!strand) return;
    asio::post(strand, [self = shared_from_this()] {
        for (auto& [id, w] : self->watchers_) {
            w.cut = true;
            w.wake.notify();
        }
    });
}

server_counters server_engine::counters() const
{
    server_counters out;
    out.requests = requests_;
    out.lists = lists_;
    out.watches = watches_;
    out.open_watches = open_watches_;
    return out;
}

} // namespace kubecoro::apiserver
