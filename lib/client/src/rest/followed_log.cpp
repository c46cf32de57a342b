#include <kubecoro/client/followed_log.hpp>

#include "rest/log_resume_core.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;

namespace {

constexpr backoff_policy pauses{
    .initial = std::chrono::milliseconds{500}, .cap = std::chrono::seconds{10}, .jitter = 0.2};

/// The part of a container's log that remains to be read.
enum class remainder
{
    none,
    growing,
    /// It has ended.
    last_lines,
    /// It has ended, and another run has begun.
    last_lines_of_previous
};

/// The status of a container; absent while the node has not reported it.
value_view status_of(const object& pod, std::string_view container)
{
    const auto status = pod["status"];
    for (const char* list : {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"})
        for (const auto one : status[list].items())
            if (one["name"].as_string() == container) return one;
    return {};
}

bool passes(const failure& f) { return f == cond::unreachable || f == cond::retry_later || f == cond::timed_out; }

} // namespace

struct followed_log::state
{
    state(client cluster, std::string in, std::string of, log_options how)
        : c(std::move(cluster)),
          ns(std::move(in)),
          pod(std::move(of)),
          options(std::move(how)),
          continues(!options.previous && !options.limit_bytes),
          core(options.timestamps),
          delays(pauses)
    {
        options.follow = true;
    }

    asio::awaitable<result<std::vector<log_line>>> next_lines();

    client c;
    std::string ns;
    std::string pod;
    log_options options;
    const bool continues;
    detail::log_resume_core core;
    backoff delays;
    std::unique_ptr<log_stream> stream;
    /// When the first stream was opened.
    std::optional<time_point> opened;
    /// The pod, and the run of the container that is followed; empty until known.
    std::string uid;
    std::string run;
    remainder left = remainder::growing;
    std::optional<failure> failed;

private:
    struct closed_unless_finished;

    asio::awaitable<result<>> open();
    asio::awaitable<result<>> decide(std::optional<failure> why);
    asio::awaitable<result<>> remember_run();
    log_options options_now() const;
    remainder remainder_of(const object& seen, bool ended);
    std::vector<log_line> taken(std::vector<log_line> lines);
};

/// A cancellation may leave any co_await as an exception: the log is then closed for good.
struct followed_log::state::closed_unless_finished
{
    explicit closed_unless_finished(state& of) : s(of) {}
    ~closed_unless_finished()
    {
        if (!finished) s.failed = failure(cond::cancelled);
        if (!finished) s.stream.reset();
    }
    closed_unless_finished(const closed_unless_finished&) = delete;
    closed_unless_finished& operator=(const closed_unless_finished&) = delete;
    state& s;
    bool finished = false;
};

std::vector<log_line> followed_log::state::taken(std::vector<log_line> lines)
{
    if (!continues) return lines;
    std::vector<log_line> out;
    for (auto& line : lines)
        for (auto& passed : core.take(std::move(line))) out.push_back(std::move(passed));
    if (!out.empty()) delays.reset();
    return out;
}

asio::awaitable<result<std::vector<log_line>>> followed_log::state::next_lines()
{
    closed_unless_finished running(*this);
    std::vector<log_line> out;
    while (out.empty() && !failed && left != remainder::none) {
        if (!stream) {
            auto opening = open();
            const auto done = co_await std::move(opening);
            if (!done) failed = done.error();
            continue;
        }
        auto waiting = stream->next();
        auto lines = co_await std::move(waiting);
        if (lines && !lines->empty()) {
            out = taken(std::move(*lines));
            continue;
        }
        stream.reset();
        std::optional<failure> why;
        if (!lines) why = lines.error();
        auto deciding = decide(std::move(why));
        const auto done = co_await std::move(deciding);
        if (!done) failed = done.error();
    }
    if (out.empty()) out = core.finish();
    running.finished = true;
    if (out.empty() && failed) co_return *failed;
    co_return out;
}

/// Reads which run of the container is followed. A user who may not read the pod can still read its log.
asio::awaitable<result<>> followed_log::state::remember_run()
{
    auto reading = c.get(kubecoro::untyped::pod::resource(), ns, pod);
    const auto seen = co_await std::move(reading);
    if (!seen && seen.error() == cond::forbidden) co_return result<>{};
    if (!seen) co_return seen.error();
    uid = std::string(seen->uid());
    const auto containers = seen->path("spec.containers");
    if (options.container.empty() && containers.size() == 1)
        options.container = std::string(containers[std::size_t{0}]["name"].as_string());
    run = std::string(status_of(*seen, options.container)["containerID"].as_string());
    co_return result<>{};
}

log_options followed_log::state::options_now() const
{
    log_options now = options;
    now.timestamps = options.timestamps || continues;
    now.follow = left == remainder::growing;
    now.previous = options.previous || left == remainder::last_lines_of_previous;
    if (!opened) return now;
    now.since_time = core.since_time();
    if (!now.since_time.empty()) {
        now.since.reset();
        now.tail_lines.reset();
        return now;
    }
    // No line has come so far. The clock of the node may differ from the own one: what is wanted is given as an age.
    const auto age = std::chrono::ceil<std::chrono::seconds>(c.time().now() - *opened) + std::chrono::seconds{1};
    now.since_time = options.since_time;
    if (now.since) now.since = *now.since + age;
    if (options.tail_lines == std::uint64_t{0}) {
        now.tail_lines.reset();
        now.since_time.clear();
        now.since = age;
    }
    return now;
}

asio::awaitable<result<>> followed_log::state::open()
{
    const bool first = !opened;
    if (first && continues) {
        auto remembering = remember_run();
        KUBECORO_TRY(co_await std::move(remembering));
    }
    auto opening = pod_logs(c, ns, pod, options_now());
    auto done = co_await std::move(opening);
    if (first) opened = c.time().now();
    if (done) {
        stream = std::move(*done);
        co_return result<>{};
    }
    if (first || !continues) co_return done.error();
    // The last lines of a run that the node has removed are gone.
    if (left != remainder::growing && !passes(done.error()) && done.error() != cond::cancelled) {
        left = remainder::none;
        co_return result<>{};
    }
    auto deciding = decide(done.error());
    co_return co_await std::move(deciding);
}

/// Finds out what follows a stream that has ended or, for a reason, broken.
asio::awaitable<result<>> followed_log::state::decide(std::optional<failure> why)
{
    if (why && !(continues && passes(*why))) co_return *why;
    if (!continues || (!why && left != remainder::growing)) {
        left = remainder::none;
        co_return result<>{};
    }
    for (;;) {
        const bool at_once = !why && delays.attempts() == 0;
        const auto pause = delays.next();
        if (!at_once) {
            auto resting = sleep_for(c.time(), pause);
            KUBECORO_TRY(co_await std::move(resting));
        }
        auto reading = c.get(kubecoro::untyped::pod::resource(), ns, pod);
        const auto seen = co_await std::move(reading);
        if (!seen && passes(seen.error())) continue;
        if (seen)
            left = remainder_of(*seen, !why);
        else if (seen.error() == cond::not_found || (seen.error() == cond::forbidden && !why))
            left = remainder::none;
        else if (seen.error() != cond::forbidden)
            co_return seen.error();
        // The held piece of the last line comes again, or never.
        if (left != remainder::none) core.reconnect();
        co_return result<>{};
    }
}

/// @param ended  The stream ended in order: nothing of this run is missing.
remainder followed_log::state::remainder_of(const object& seen, bool ended)
{
    if (!uid.empty() && !seen.has_uid(uid)) return remainder::none;
    const auto status = status_of(seen, options.container);
    if (!status) return ended ? remainder::none : left;
    const auto id = status["containerID"].as_string();
    if (run.empty()) run = std::string(id);
    if (id == run && status["state"]["running"]) return remainder::growing;
    if (ended) return remainder::none;
    if (id == run) return remainder::last_lines;
    const bool is_previous = status["lastState"]["terminated"]["containerID"].as_string() == run;
    return is_previous ? remainder::last_lines_of_previous : remainder::none;
}

followed_log::followed_log(client c, kept_text ns, kept_text pod, log_options options)
    : state_(std::make_unique<state>(std::move(c), std::move(ns), std::move(pod), std::move(options)))
{
}

followed_log::~followed_log() = default;
followed_log::followed_log(followed_log&&) noexcept = default;
followed_log& followed_log::operator=(followed_log&&) noexcept = default;

asio::awaitable<result<std::vector<log_line>>> followed_log::next() { return catch_failure(state_->next_lines()); }

} // namespace kubecoro
