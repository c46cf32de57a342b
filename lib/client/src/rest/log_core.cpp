#include "rest/log_core.hpp"

#include <kubecoro/api/detail/time_text.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace kubecoro::detail {

namespace {

/// Length of the character that begins with this byte; 1 for a byte that begins none.
std::size_t length_of(unsigned char lead) noexcept
{
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    if (lead >= 0xE0) return lead <= 0xEF ? 3 : 1;
    return lead >= 0xC2 ? 2 : 1;
}

bool continues(unsigned char c) noexcept { return (c & 0xC0) == 0x80; }

} // namespace

std::size_t incomplete_tail(std::string_view bytes) noexcept
{
    const std::size_t most = std::min<std::size_t>(3, bytes.size());
    for (std::size_t n = 1; n <= most; ++n) {
        const auto c = static_cast<unsigned char>(bytes[bytes.size() - n]);
        if (continues(c)) continue;
        return length_of(c) > n ? n : 0;
    }
    return 0;
}

void log_lines::feed(std::string_view bytes, std::vector<log_line>& out)
{
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        held_.append(bytes.substr(0, end));
        deliver_pieces(out);
        if (end == bytes.npos) return;
        out.push_back({std::exchange(held_, {}), true});
        bytes.remove_prefix(end + 1);
    }
}

void log_lines::deliver_pieces(std::vector<log_line>& out)
{
    std::size_t from = 0;
    while (held_.size() - from > most_) {
        const auto piece = std::string_view(held_).substr(from, most_);
        const auto length = most_ - incomplete_tail(piece);
        out.push_back({std::string(piece.substr(0, length)), false});
        from += length;
    }
    held_.erase(0, from);
}

void log_lines::finish(bool cut, std::vector<log_line>& out)
{
    if (!held_.empty()) out.push_back({std::exchange(held_, {}), !cut});
}

std::string_view log_pieces::feed(std::string_view bytes)
{
    if (!held_.empty()) {
        piece_ = std::exchange(held_, {});
        piece_.append(bytes);
        bytes = piece_;
    }
    const auto whole = bytes.size() - incomplete_tail(bytes);
    held_.assign(bytes.substr(whole));
    return bytes.substr(0, whole);
}

std::string_view log_pieces::finish()
{
    piece_ = std::exchange(held_, {});
    return piece_;
}

std::vector<log_line> log_resume_core::take(log_line line)
{
    std::vector<log_line> out;
    if (held_) accept(*std::exchange(held_, std::nullopt), out);
    if (line.whole)
        accept(std::move(line), out);
    else
        held_ = std::move(line);
    return out;
}

void log_resume_core::accept(log_line piece, std::vector<log_line>& out)
{
    if (!inside_) {
        const auto blank = std::min(piece.text.find(' '), piece.text.size());
        const auto time = read_time(std::string_view(piece.text).substr(0, blank));
        if (!time || blank == piece.text.size()) {
            // A message of the node, such as that the log cannot be read. The beginning of a time is all that came
            // before a stream ended.
            if (piece.whole) out.push_back(std::move(piece));
            return;
        }
        const auto text = std::string_view(piece.text).substr(blank + 1);
        const line_start start{time->seconds, time->nanos,
                               std::hash<std::string_view>{}(text.substr(0, compared_bytes))};
        begin(start, std::string_view(piece.text).substr(0, blank + 1), out);
        piece.text.erase(0, blank + 1);
    }
    inside_ = !piece.whole;
    if (dropping_) return;
    in_place_ = true;
    const auto repeated = std::min(passed_ - std::min(passed_, at_), piece.text.size());
    at_ += piece.text.size();
    passed_ = std::max(passed_, at_);
    shown_.feed(std::string_view(piece.text).substr(repeated), out);
    if (!piece.whole) return;
    shown_.feed("\n", out);
    open_ = false;
}

void log_resume_core::begin(const line_start& start, std::string_view time, std::vector<log_line>& out)
{
    const auto where = standing_of(start);
    dropping_ = where == standing::old;
    at_ = 0;
    if (where != standing::new_line) return;
    // The rest of a line that is not continued: the node has it no longer.
    if (std::exchange(open_, true)) shown_.finish(true, out);
    passed_ = 0;
    remember(start);
    if (with_times_) shown_.feed(time, out);
}

void log_resume_core::remember(const line_start& start)
{
    if (seen_.size() == most_remembered) seen_.pop_front();
    seen_.push_back(start);
}

log_resume_core::standing log_resume_core::standing_of(const line_start& start)
{
    if (lost_) return standing::old;
    if (!placing_) return standing::new_line;
    ++count_;
    const auto all = seen_.size();
    bool further = false;
    for (auto i = all; i > 0; --i) {
        runs_[i] = seen_[i - 1] == start ? runs_[i - 1] + 1 : 0;
        further = further || (i < all && runs_[i] == count_);
    }
    const bool reached = runs_[all] >= std::min(all, count_);
    if (reached && (!further || runs_[all] == all)) {
        placing_ = false;
        in_place_ = true;
        return open_ ? standing::goes_on : standing::old;
    }
    if (!further && perhaps_) {
        placing_ = false;
        return standing::new_line;
    }
    perhaps_ = perhaps_ || reached;
    lost_ = !further && how_ == log_start::within;
    return standing::old;
}

std::vector<log_line> log_resume_core::finish(bool whole)
{
    std::vector<log_line> out;
    if (held_) {
        held_->whole = whole;
        accept(*std::exchange(held_, std::nullopt), out);
    }
    shown_.finish(true, out);
    return out;
}

void log_resume_core::reconnect(log_start how)
{
    how_ = how;
    placing_ = how != log_start::fresh && !seen_.empty();
    in_place_ = lost_ = inside_ = dropping_ = perhaps_ = false;
    held_.reset();
    count_ = 0;
    runs_.assign(seen_.size() + 1, 0);
}

} // namespace kubecoro::detail
