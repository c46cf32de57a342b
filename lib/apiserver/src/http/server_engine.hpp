// The embedded server's engine: cluster state, handler and open watches on one strand.
#pragma once

#include <kubecoro/apiserver/detail/request_handler.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/wake_signal.hpp>
#include <kubecoro/base/task_group.hpp>
#include <kubecoro/http/detail/http_service.hpp>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <map>

namespace kubecoro::apiserver {

namespace live {
class live_cluster;
}
class server_engine;

/// A client's handle to an open watch; destroying it ends the watch. Owned by one coroutine at a time.
class watch_handle
{
public:
    struct piece
    {
        std::string bytes;
        /// More output is ready: call next() again without waiting.
        bool more = false;
        /// The watch ends after `bytes`.
        bool ended = false;
        /// Broken off by cut().
        bool cut = false;
        /// Not null: a webhook has to be asked before there is more.
        std::shared_ptr<detail::conversion_ledger> conversions = nullptr;
    };

    watch_handle(std::shared_ptr<server_engine> engine, std::uint64_t id, detail::wake_signal wake);
    ~watch_handle();
    watch_handle(const watch_handle&) = delete;
    watch_handle& operator=(const watch_handle&) = delete;

    /// Returns the output ready to be sent. When that is empty, wait for wake().
    [[nodiscard]] boost::asio::awaitable<piece> next();
    [[nodiscard]] const detail::wake_signal& wake() const noexcept { return wake_; }

private:
    std::shared_ptr<server_engine> engine_;
    std::uint64_t id_;
    detail::wake_signal wake_;
};

/// The answer to one request, usable off the strand: a body or a watch.
struct engine_answer
{
    http_response response;
    std::unique_ptr<watch_handle> watch;
};

/** Owns the cluster state, the handler and the open watches, confined to one strand, and runs their timer.

    Thread safe unless noted. Its users share ownership. */
class server_engine : public std::enable_shared_from_this<server_engine>
{
public:
    server_engine(boost::asio::any_io_executor executor, server_options options);
    ~server_engine();

    /// Runs `f` on the strand and resumes on the caller's executor. Throws there what `f` throws.
    [[nodiscard]] boost::asio::awaitable<void> on_strand(std::function<void()> f);

    /** Answers one request, after the delay that the handler asks for.
        A long one is answered in steps, between which others have their turns.
        @param wake  Notified when the opened watch has output.
        @param gone  Asked between the steps, on the caller's executor: true leaves the remaining ones undone, because the
        client has disconnected. Empty: it never has.
        Errors: unreachable when the client has disconnected, the server is stopping or cut() was called during the
        request; cancelled. */
    [[nodiscard]] boost::asio::awaitable<result<engine_answer>> perform(http_request request, detail::wake_signal wake,
                                                                        std::function<bool()> gone = {});

    /// Checks a request by its head. @return the refusal; empty: read the body, then perform().
    [[nodiscard]] boost::asio::awaitable<std::optional<http_response>> refuse_early(const http_request& head);
    /// The budget for the request bodies of all connections.
    [[nodiscard]] detail::byte_budget& bodies() noexcept { return bodies_; }

    /// Ends all watches cleanly and refuses further requests. Idempotent.
    [[nodiscard]] boost::asio::awaitable<result<>> stop();
    [[nodiscard]] bool stopping() const noexcept { return stopping_.load(); }

    /// Breaks off all watches and requests in progress. The caller resets the sockets.
    void cut();
    /// Finds admission and conversion webhooks; empty: they are not asked. Set before the first request.
    detail::find_webhook webhooks;
    /// While true, in-process transports and listeners refuse clients.
    std::atomic<bool> refusing{false};

    [[nodiscard]] server_counters counters() const;

    /// Only for use inside on_strand().
    [[nodiscard]] cluster_state_core& state() noexcept { return state_; }
    [[nodiscard]] access_control& access() noexcept { return access_; }
    /// Only inside on_strand(): call after changing the state without perform().
    void changed();
    /// Only inside on_strand(): call after replacing the state.
    void restored();

    [[nodiscard]] time_source& time() noexcept { return *time_; }
    [[nodiscard]] const std::shared_ptr<time_source>& shared_time() const noexcept { return time_; }
    [[nodiscard]] const logger& log() const noexcept { return log_; }
    /// Empty once its context has ended.
    [[nodiscard]] boost::asio::any_io_executor executor() const { return executor_.get(); }

private:
    friend class watch_handle;
    struct open_watch
    {
        std::unique_ptr<watch_body> stream;
        detail::wake_signal wake;
        std::optional<wall_time> wake_at;
        bool cut = false;
    };

    /// Begins to answer a request, or does the next step of one that is pending.
    [[nodiscard]] http_response handle(const http_request& request, http_response before);
    /// @param since  When the request was begun; set by the first call.
    void perform_step(const http_request& request, const detail::wake_signal& wake, std::optional<time_point>& since,
                      engine_answer& out);
    void count(const http_request& request, const http_response& response);
    void log_request(const http_request& request, const http_response& response, time_point since) const;
    /// An exception of a watch breaks off that watch.
    watch_handle::piece next_of(std::uint64_t id);
    watch_handle::piece output_of(open_watch& w);
    void close(std::uint64_t id);
    void wake_watchers(std::string_view resource);
    /// Logs an exception of the cluster's own work.
    void report(const std::exception_ptr& failure) const;
    /// Does a part of the work that is due. @return when to call again.
    [[nodiscard]] std::optional<wall_time> tick(wall_time now);
    void arm(std::optional<wall_time> when);
    [[nodiscard]] std::optional<wall_time> let_time_pass();
    boost::asio::awaitable<result<>> run_timer();

    detail::kept_executor executor_;
    detail::kept_executor strand_;
    std::shared_ptr<time_source> time_;
    logger log_;
    detail::byte_budget bodies_;
    /// The maximum nesting depth of JSON in request bodies.
    std::atomic<bool> stopping_{false};
    std::atomic<std::uint64_t> cuts_{0};
    std::atomic<std::uint64_t> requests_{0}, lists_{0}, watches_{0}, open_watches_{0};

    // Strand-confined.
    access_control access_;
    cluster_state_core state_;
    /// Null without server_options::live.
    std::unique_ptr<live::live_cluster> live_;
    request_handler handler_;
    std::map<std::uint64_t, open_watch> watchers_;
    std::uint64_t next_watch_ = 1;
    /// Points to the timer of run_timer() while that runs.
    timer* timer_ = nullptr;
    detail::wake_signal timer_wake_;
    std::optional<wall_time> armed_;
    bool timer_running_ = false;
    static constexpr std::chrono::seconds shortest_retry{1}, longest_retry{64};
    /// How long failed work of the cluster waits.
    std::chrono::seconds retry_after_ = shortest_retry;
    task_group tasks_;
};

/// Answers the requests that arrive on sockets, from the engine. Thread safe: each connection has a strand of its own.
class front final : public detail::http_service
{
public:
    explicit front(std::shared_ptr<server_engine> engine) : engine_(std::move(engine)) {}

    boost::asio::awaitable<std::optional<detail::http_reply>> refuse_early(const detail::incoming_request& head,
                                                                           detail::connection& by) override;
    boost::asio::awaitable<std::optional<detail::http_reply>> answer(detail::incoming_request& request,
                                                                     detail::connection& by) override;
    detail::http_reply refusal(detail::request_reader::state why) override;
    detail::byte_budget* bodies() noexcept override { return &engine_->bodies(); }
    bool turns_away() const noexcept override { return engine_->refusing; }
    void on_end(detail::closing why, const std::string& failed) override;

private:
    std::shared_ptr<server_engine> engine_;
};

} // namespace kubecoro::apiserver
