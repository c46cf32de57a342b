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

} // namespace kubecoro
