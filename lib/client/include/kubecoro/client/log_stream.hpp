#pragma once

#include <kubecoro/api/options.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// One line of a log.
struct log_line
{
    /// The line without its line break, as the container wrote it: not necessarily UTF-8, and with control characters.
    /// Use printable() before a terminal sees it.
    std::string text = {};
    /// False: a piece of a line that is longer than log_options::max_line_bytes and continues in the next one, or the
    /// line at which the stream broke off. A character in UTF-8 is never divided between two pieces.
    bool whole = true;
    friend bool operator==(const log_line&, const log_line&) = default;
};

/** The log of a container, read as it arrives, either as lines or as bytes. Owned by one coroutine at a time;
    destroying it early drops the connection.

    A following stream ends when the container does, and the server may end it earlier, for example after some hours. To
    go on, ask for log_options::since_time with the time of the last line (log_options::timestamps). */
class log_stream
{
public:
    virtual ~log_stream() = default;

    /** The next lines, at least one, all that have arrived; empty at the clean end of the log.

        @par Errors        When the stream breaks off: first the rest of a line, with `whole` false, then unreachable,
                           here and at every later call. timed_out after client_timeouts::body_idle without bytes,
                           unless the log is followed. cancelled.
        @par Cancellation  terminal, partial, total: the stream is closed. */
    [[nodiscard]] virtual boost::asio::awaitable<result<std::vector<log_line>>> next() = 0;

    /** The next bytes as they arrive, ending between two characters; empty at the clean end of the log. Valid until the
        next call. Not together with next(). Errors and cancellation as there. */
    [[nodiscard]] virtual boost::asio::awaitable<result<std::string_view>> read_some() = 0;
};

/** Opens the log of a pod's container.

    @par Errors        As client, and cond::invalid for options that exclude each other. A container that is not known
                       or has not started is cond::invalid, with the server's words; a pod that is not there is
                       cond::not_found.
    @par Cancellation  terminal, partial, total. */
[[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<log_stream>>>
pod_logs(client c, kept_text ns, kept_text pod, log_options options = {});

/** The log of a container as it grows, until the container ends: pod_logs() with log_options::follow that goes on after
    its stream has broken, and after the server has ended it while the container runs.

        followed_log log(cluster, "web", "web-1", {.container = "main"});
        while (true) {
            KUBECORO_TRY(const auto lines, co_await log.next());
            if (lines.empty()) break; // the container has ended
            for (const auto& line : lines) show(line.text);
        }

    No line is repeated, and none is lost that the node still has: lines are recognised by their times, their first
    256 bytes and their order, whatever the clock of the node does. If the container was restarted after a stream broke,
    its last lines are read from the previous run. When the pod is gone, its log is too, and ends. Attempts follow each
    other with growing pauses of up to 10 s, without a limit.

    The limits of this promise:
    - Lines with the same time and beginning cannot be distinguished once the node has removed those before them, nor if
      more than 1,000 of them follow each other.
    - If a stream with `tail_lines` (not 0) breaks before its first line, earlier lines come too.
    - `since` and `since_time` are up to the node's clock until the first line has come.
    - A stream that the server ends in order is the end of the log if the container has ended too by then; without the
      right to read the pod, or while it has no status, in any case.
    - log_options::max_line_bytes counts the time only where `timestamps` shows it.

    Owned by one coroutine at a time; destroying it drops the connection. */
class followed_log
{
public:
    /// Does not connect yet. log_options::follow is understood. With `previous` or `limit_bytes` nothing is continued.
    followed_log(client c, kept_text ns, kept_text pod, log_options options = {});
    ~followed_log();
    followed_log(followed_log&&) noexcept;
    followed_log& operator=(followed_log&&) noexcept;

    /** The next lines, at least one; none when the container has ended, here and at every later call.

        @par Errors        As pod_logs() for the first stream. Later those that another attempt does not mend, such as
                           forbidden. After one, the same again.
        @par Cancellation  terminal, partial, total: the log is closed. */
    [[nodiscard]] boost::asio::awaitable<result<std::vector<log_line>>> next();

    struct state;

private:
    std::unique_ptr<state> state_;
};

} // namespace kubecoro
