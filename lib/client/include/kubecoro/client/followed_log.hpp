#pragma once

#include <kubecoro/api/options.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/log_stream.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kubecoro {

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
