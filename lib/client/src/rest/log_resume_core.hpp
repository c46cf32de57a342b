#pragma once
// Continues a log after its stream has broken: finds the place in the next stream, line by line. Sans-io.

#include <kubecoro/api/detail/time_text.hpp>
#include <kubecoro/client/log_stream.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Takes the lines of consecutive streams of one log, each line with its time, and passes every line on once.

    A server knows the time of a line's beginning to the second, and times are not quite in the order of the lines. A
    stream that continues another one therefore begins a second earlier, with lines that were passed on before. They have
    the same order in each stream, so that counting them is exact, unless times differ by a second from that order. Lines that a first stream left out, because only the last ones were
    wanted, come before the first of those and are left out again.

    Memory: one piece of a line. */
class log_resume_core
{
public:
    /// @param with_times  Lines keep their times.
    explicit log_resume_core(bool with_times) noexcept : with_times_(with_times) {}

    /// The lines to pass on, in order: none if this one was passed on before, or is held until more of it arrives.
    [[nodiscard]] std::vector<log_line> take(log_line line);
    /// The lines that follow are those of another stream, which begins at since_time().
    void reconnect();
    /// There is no further stream: the piece at which the last one broke off.
    [[nodiscard]] std::vector<log_line> finish();
    /// The time, in RFC 3339, from which another stream has everything that is missing; empty before the first line.
    [[nodiscard]] std::string since_time() const;

private:
    struct line_time
    {
        std::int64_t seconds = 0;
        std::int32_t nanos = 0;
        friend auto operator<=>(const line_time&, const line_time&) = default;
    };
    /// The beginning of a line.
    struct line_start
    {
        line_time time = {};
        std::string text = {};
    };

    [[nodiscard]] std::int64_t since() const { return newest_->seconds - 1; }
    /// Whether the line that begins here was passed on before, or left out.
    bool is_old(const line_start& start);
    void begin(const line_start& start);
    std::vector<log_line> pass_on(log_line piece);
    void append_new(log_line piece, std::vector<log_line>& out);

    bool with_times_;
    /// A stream that continues another one is still at lines that were passed on.
    bool catching_up_ = false;
    /// The next piece belongs to the line of the last one.
    bool inside_ = false;
    /// ... which is not passed on.
    bool dropping_ = false;
    /// The newest time of all.
    std::optional<line_time> newest_;
    /// Lines that were passed on, since the beginning of a second.
    struct window
    {
        line_start first = {};
        /// Those that have ended.
        std::size_t complete = 0;
    };
    /// Since the second before the newest, and since that of the newest: the next one to be the other.
    window since_last_;
    window since_newest_;
    /// While catching up: the first line was met, and this many of the complete ones.
    bool met_first_ = false;
    std::size_t met_ = 0;
    /// The line that has not ended, and how many bytes of it were passed on.
    std::optional<line_time> open_;
    std::size_t passed_ = 0;
    /// Bytes of it that another stream repeats.
    std::size_t repeated_ = 0;
    /// Its time, until its first piece is passed on.
    std::string shown_time_;
    /// Its last piece, which comes again if the stream has broken off there.
    std::optional<log_line> held_;
};

} // namespace kubecoro::detail
