#include <kubecoro/client/log_stream.hpp>

#include "rest/log_core.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
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

std::size_t long_enough(std::size_t most_bytes)
{
    constexpr std::size_t time_bytes = 64;
    const auto most = std::max(most_bytes, detail::log_resume_core::compared_bytes);
    return std::min(most, SIZE_MAX - time_bytes) + time_bytes;
}

bool passes(const failure& f) { return f == cond::unreachable || f == cond::retry_later || f == cond::timed_out; }

} // namespace

struct followed_log::state
{
    state(client cluster, std::string in, std::string of, log_options asked)
        : c(std::move(cluster)),
          ns(std::move(in)),
          pod(std::move(of)),
          options(std::move(asked)),
          continues(!options.previous && !options.limit_bytes),
          from_beginning(!options.since && options.since_time.empty() && !options.tail_lines),
          marking(continues && options.tail_lines == std::uint64_t{0}),
          piece_bytes(continues ? long_enough(options.max_line_bytes) : options.max_line_bytes),
          raw(piece_bytes),
          core(options.timestamps, options.max_line_bytes),
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
    /// No line is left out at the beginning.
    const bool from_beginning;
    /// Without earlier lines: the present last one is read first, to know where the log goes on, and is not shown.
    bool marking;
    /// A piece has the time and the beginning of its line.
    const std::size_t piece_bytes;
    detail::log_lines raw;
    detail::log_resume_core core;
    /// How the present stream begins, or the next one will.
    detail::log_start how = detail::log_start::fresh;
    backoff delays;
    std::unique_ptr<log_stream> stream;
    /// When the first stream was opened.
    std::optional<time_point> opened;
    /// The pod, and the run of the container that is followed; empty until known.
    std::string uid;
    std::string run;
    remainder left = remainder::growing;
    std::optional<failure> failed;
    /// The last stream broke.
    bool broken = false;

private:
    struct closed_unless_finished;

    asio::awaitable<result<>> open();
    asio::awaitable<result<>> end_stream(std::optional<failure> why, std::vector<log_line>& out);
    asio::awaitable<result<>> decide(std::optional<failure> why, bool ended);
    asio::awaitable<result<>> remember_run();
    log_options options_now() const;
    remainder remainder_of(const object& seen, bool ended, bool all_read);
    bool is_snapshot() const { return marking || how == detail::log_start::anywhere; }
    std::vector<log_line> taken(std::vector<log_line> lines);
    void choose_start(bool ended);
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
    if (marking) out.clear();
    if (!out.empty()) delays.reset();
    return out;
}

asio::awaitable<result<std::vector<log_line>>> followed_log::state::next_lines()
{
    closed_unless_finished running(*this);
    std::vector<log_line> out;
    while (out.empty() && !failed && left != remainder::none) {
        if (!stream) {
            const auto done = co_await open();
            if (!done) failed = done.error();
            continue;
        }
        const auto bytes = co_await stream->read_some();
        if (bytes && !bytes->empty()) {
            std::vector<log_line> lines;
            raw.feed(*bytes, lines);
            out = taken(std::move(lines));
            if (!core.lost()) continue;
        }
        std::optional<failure> why;
        if (!bytes) why = bytes.error();
        const auto done = co_await end_stream(std::move(why), out);
        if (!done) failed = done.error();
    }
    if (out.empty()) out = core.finish(!failed && !broken);
    running.finished = true;
    if (out.empty() && failed) co_return *failed;
    co_return out;
}

/// The stream has ended, has broken, or does not have the place.
asio::awaitable<result<>> followed_log::state::end_stream(std::optional<failure> why, std::vector<log_line>& out)
{
    stream.reset();
    broken = why.has_value();
    const bool growing = left == remainder::growing;
    std::vector<log_line> last;
    // A line without its end is complete only where the log ends.
    raw.finish(broken || (continues && growing), last);
    for (auto& line : taken(std::move(last))) out.push_back(std::move(line));
    const bool was_snapshot = is_snapshot();
    const bool was_marking = marking;
    const bool ended = !broken && !core.lost();
    choose_start(ended);
    const bool searched_in_vain = ended && was_snapshot && how == detail::log_start::fresh;
    if (core.lost() || (was_marking && !marking) || (!growing && searched_in_vain)) co_return result<>{};
    const auto done = co_await decide(std::move(why), !broken && !was_snapshot);
    // It was the log of the next run that does not have the place.
    if (searched_in_vain && left != remainder::growing) how = detail::log_start::anywhere;
    co_return done;
}

/// @param ended  The stream had all that it was asked for.
void followed_log::state::choose_start(bool ended)
{
    using detail::log_start;
    if (core.in_place())
        how = log_start::within;
    else if (core.lost())
        how = log_start::anywhere;
    else if (ended && how == log_start::anywhere)
        how = log_start::fresh;
    // A last line that has not ended marks no place.
    if (core.remembered() != 0 || (ended && !core.holds_piece())) marking = false;
}

/// Reads which run of the container is followed. A user who may not read the pod can still read its log.
asio::awaitable<result<>> followed_log::state::remember_run()
{
    const auto seen = co_await c.get(kubecoro::untyped::pod::resource(), ns, pod);
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
    now.follow = left == remainder::growing && !is_snapshot();
    now.previous = options.previous || left == remainder::last_lines_of_previous;
    if (marking) now.tail_lines = 1;
    if (!opened && !marking) return now;
    const auto known = core.remembered();
    if (known == 0 && !marking) {
        // No line has come: which ones were the last when the first stream began is not known any more.
        now.tail_lines.reset();
        const auto age = std::chrono::ceil<std::chrono::seconds>(c.time().now() - *opened) + std::chrono::seconds{1};
        if (now.since) now.since = *now.since + age;
    }
    if (known != 0 || options.tail_lines == std::uint64_t{0}) {
        now.since.reset();
        now.since_time.clear();
    }
    if (known != 0) {
        now.tail_lines.reset();
        const bool has_all = from_beginning && known < detail::log_resume_core::most_remembered;
        // Servers refuse to count the lines of one stream.
        const bool may_count = options.stream.empty() || options.stream == "All";
        if (how == detail::log_start::within && !has_all && may_count) now.tail_lines = known;
    }
    return now;
}

asio::awaitable<result<>> followed_log::state::open()
{
    const bool first = !opened;
    if (first && continues) {
        KUBECORO_TRY(co_await remember_run());
    }
    auto done = co_await pod_logs(c, ns, pod, options_now());
    if (first) opened = c.time().now();
    if (done) {
        stream = std::move(*done);
        raw = detail::log_lines(piece_bytes);
        core.reconnect(how);
        co_return result<>{};
    }
    if (first || !continues) co_return done.error();
    // The last lines of a run that the node has removed are gone.
    if (left != remainder::growing && !passes(done.error()) && done.error() != cond::cancelled) {
        left = remainder::none;
        co_return result<>{};
    }
    co_return co_await decide(done.error(), false);
}

/// Finds out what follows a stream that has ended or, for a reason, broken.
/// @param ended  The stream was followed, and ended in order.
asio::awaitable<result<>> followed_log::state::decide(std::optional<failure> why, bool ended)
{
    if (why && !(continues && passes(*why))) co_return *why;
    if (!continues || (!why && left != remainder::growing)) {
        left = remainder::none;
        co_return result<>{};
    }
    const auto rest = [this](duration pause) { return sleep_for(c.time(), pause); };
    for (bool look_now = ended;; look_now = false) {
        const bool at_once = !why && delays.attempts() == 0;
        const auto pause = delays.next();
        if (!at_once && !look_now) {
            KUBECORO_TRY(co_await rest(pause));
        }
        const auto seen = co_await c.get(kubecoro::untyped::pod::resource(), ns, pod);
        if (!seen && passes(seen.error())) continue;
        // A server ends a stream early, for example when it loses the node. Later, the container may have written more.
        if (seen)
            left = remainder_of(*seen, ended, look_now && !core.holds_piece());
        else if (seen.error() == cond::not_found || (seen.error() == cond::forbidden && ended))
            left = remainder::none;
        else if (seen.error() != cond::forbidden)
            co_return seen.error();
        if (look_now && !at_once && left == remainder::growing) {
            KUBECORO_TRY(co_await rest(pause));
        }
        co_return result<>{};
    }
}

/// @param ended     The stream was followed, and ended in order.
/// @param all_read  ... just now: the container's end was the reason, if it has ended.
remainder followed_log::state::remainder_of(const object& seen, bool ended, bool all_read)
{
    if (!uid.empty() && !seen.has_uid(uid)) return remainder::none;
    const auto status = status_of(seen, options.container);
    if (!status) return ended ? remainder::none : left;
    const auto id = status["containerID"].as_string();
    if (run.empty()) run = std::string(id);
    if (id == run && status["state"]["running"]) return remainder::growing;
    if (all_read) return remainder::none;
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
