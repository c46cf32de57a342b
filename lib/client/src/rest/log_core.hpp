#pragma once
// Splits the bytes of a log into lines, and into pieces that end between two characters. Continues a log after its stream
// has ended: finds the place in the next stream, line by line. Sans-io.

#include <kubecoro/client/log_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// Number of bytes at the end that begin a UTF-8 character without completing it: 0 to 3. Bytes that are not UTF-8
/// are complete.
[[nodiscard]] std::size_t incomplete_tail(std::string_view bytes) noexcept;

/// Forms lines. Holds at most one line, up to the limit.
class log_lines
{
public:
    /// @param most  Bytes of a line beyond which it is delivered in pieces; at least 4.
    explicit log_lines(std::size_t most) noexcept : most_(most) {}
    /// Appends the lines that these bytes complete.
    void feed(std::string_view bytes, std::vector<log_line>& out);
    /// Appends the last line, if it has no line break. @param cut  The stream broke off: the line is not whole.
    void finish(bool cut, std::vector<log_line>& out);

private:
    void deliver_pieces(std::vector<log_line>& out);
    std::size_t most_;
    std::string held_;
};

/// Moves the end of each piece back to the end of a character.
class log_pieces
{
public:
    /// The bytes that can be delivered; empty: none yet. Valid until the next call, as long as `bytes` is.
    [[nodiscard]] std::string_view feed(std::string_view bytes);
    /// The beginning of a character that the stream did not complete. Valid until the next call.
    [[nodiscard]] std::string_view finish();

private:
    std::string held_;
    std::string piece_;
};

/// How a stream begins, beside the lines that were passed on.
enum class log_start
{
    /// After all of them.
    fresh,
    /// With one of them.
    within,
    /// With any line: they come, or the node has them no longer.
    anywhere
};

/** Takes the lines of consecutive streams of one log, each line with its time, and passes every line on once.

    Recognises lines by their times and beginnings, and the place by their order. It never compares two times, since the
    clock of a node may be set back. The place is where all lines of the stream so far are the last ones that were passed
    on; if equal lines allow several places, it is the last of these.

    Memory: 1,000 line starts, and a piece of a line. */
class log_resume_core
{
public:
    /// Number of lines that are remembered.
    static constexpr std::size_t most_remembered = 1000;
    /// Bytes of a line that are compared. Pieces that are taken are longer, unless they end their line.
    static constexpr std::size_t compared_bytes = 256;

    /// @param with_times  Lines keep their times.
    /// @param most        Bytes of a line beyond which it is passed on in pieces; at least 4.
    log_resume_core(bool with_times, std::size_t most) : with_times_(with_times), shown_(most) {}

    /// The lines to pass on, in order: none if this one was passed on before, or is held until more of it arrives.
    [[nodiscard]] std::vector<log_line> take(log_line line);
    /// The lines that follow are those of another stream.
    void reconnect(log_start how);
    /// There is no further stream: the line at which the last one ended. @param whole  The log ended there.
    [[nodiscard]] std::vector<log_line> finish(bool whole);

    /// Number of lines that are remembered: a stream with that many of the newest begins within them, unless more were written.
    [[nodiscard]] std::size_t remembered() const noexcept { return seen_.size(); }
    /// The stream has reached the place, or a line that was passed on.
    [[nodiscard]] bool in_place() const noexcept { return in_place_; }
    /// The last line has not ended, as far as it has come.
    [[nodiscard]] bool holds_piece() const noexcept { return held_.has_value(); }
    /// The stream does not begin as log_start::within says. Nothing of it is passed on.
    [[nodiscard]] bool lost() const noexcept { return lost_; }

private:
    struct line_start
    {
        std::int64_t seconds = 0;
        std::int32_t nanos = 0;
        std::size_t hash = 0;
        friend bool operator==(const line_start&, const line_start&) = default;
    };
    /// Where a line that is known to the stream stands.
    enum class standing
    {
        old,
        goes_on,
        new_line
    };

    void accept(log_line piece, std::vector<log_line>& out);
    void begin(const line_start& start, std::string_view time, std::vector<log_line>& out);
    standing standing_of(const line_start& start);
    void remember(const line_start& start);

    bool with_times_;
    log_lines shown_;
    /// The lines that were passed on, the newest last.
    std::deque<line_start> seen_;
    /// The last one of them has not ended.
    bool open_ = false;
    /// Bytes of it that were passed on, and those that this stream has repeated.
    std::size_t passed_ = 0;
    std::size_t at_ = 0;

    log_start how_ = log_start::fresh;
    bool placing_ = false;
    bool in_place_ = false;
    bool lost_ = false;
    /// The next piece belongs to the line of the last one.
    bool inside_ = false;
    /// ... which is not passed on.
    bool dropping_ = false;
    /// The last piece, which comes again if the stream has ended there.
    std::optional<log_line> held_;
    /// While placing: lines of this stream, and for each remembered one how many of them, up to the last, equal those up to it.
    std::size_t count_ = 0;
    std::vector<std::size_t> runs_;
    /// The place may have been reached, if it is not further on.
    bool perhaps_ = false;
};

} // namespace kubecoro::detail
