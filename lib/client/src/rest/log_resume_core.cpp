#include "rest/log_resume_core.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

namespace kubecoro::detail {

namespace {

/// Tells lines of one second apart that have the same time.
constexpr std::size_t compared_bytes = 256;

bool same_beginning(std::string_view a, std::string_view b)
{
    const auto length = std::min(a.size(), b.size());
    return a.substr(0, length) == b.substr(0, length);
}

} // namespace

std::vector<log_line> log_resume_core::take(log_line line)
{
    if (inside_) {
        inside_ = !line.whole;
        return dropping_ ? std::vector<log_line>() : pass_on(std::move(line));
    }
    const auto blank = line.text.find(' ');
    const auto time = read_time(std::string_view(line.text).substr(0, blank));
    if (!time || blank == std::string::npos) {
        // The beginning of a time is all that came before the stream broke. A whole line without one is a message of
        // the node, such as that the log cannot be read.
        if (!line.whole) return {};
        return {std::move(line)};
    }
    const line_start start{{time->seconds, time->nanos}, line.text.substr(blank + 1, compared_bytes)};
    inside_ = !line.whole;
    dropping_ = is_old(start);
    if (dropping_) return {};
    begin(start);
    // The time is no part of what is counted, and is shown once.
    shown_time_ = line.text.substr(0, with_times_ && repeated_ == 0 ? blank + 1 : 0);
    line.text.erase(0, blank + 1);
    return pass_on(std::move(line));
}

void log_resume_core::append_new(log_line piece, std::vector<log_line>& out)
{
    const auto old = std::min(repeated_, piece.text.size());
    repeated_ -= old;
    passed_ += piece.text.size();
    const bool nothing_new = old == piece.text.size() && old != 0 && !piece.whole;
    piece.text.erase(0, old);
    piece.text.insert(0, std::exchange(shown_time_, {}));
    if (!nothing_new) out.push_back(std::move(piece));
}

std::vector<log_line> log_resume_core::pass_on(log_line piece)
{
    std::vector<log_line> out;
    if (held_) append_new(*std::exchange(held_, std::nullopt), out);
    if (!piece.whole) {
        held_ = std::move(piece);
        return out;
    }
    append_new(std::move(piece), out);
    if (open_ && open_->seconds >= since()) ++since_last_.complete;
    if (open_ && open_->seconds >= newest_->seconds) ++since_newest_.complete;
    open_.reset();
    passed_ = 0;
    return out;
}

std::vector<log_line> log_resume_core::finish()
{
    std::vector<log_line> out;
    if (held_) append_new(*std::exchange(held_, std::nullopt), out);
    return out;
}

bool log_resume_core::is_old(const line_start& start)
{
    if (!catching_up_ || !newest_) return false;
    // The log begins behind all that was passed on, for example because its file was rotated.
    if (start.time > *newest_) {
        catching_up_ = false;
        return false;
    }
    if (!met_first_) {
        met_first_ = start.time == since_last_.first.time && same_beginning(start.text, since_last_.first.text);
        if (!met_first_) return true;
    }
    if (met_ < since_last_.complete) {
        ++met_;
        return true;
    }
    catching_up_ = false;
    return false;
}

void log_resume_core::begin(const line_start& start)
{
    const bool goes_on = open_ && *open_ == start.time;
    repeated_ = goes_on ? std::exchange(passed_, 0) : 0;
    passed_ = 0;
    open_ = start.time;
    if (!newest_ || start.time.seconds > newest_->seconds) {
        const bool is_next = newest_ && start.time.seconds == newest_->seconds + 1;
        since_last_ = is_next ? since_newest_ : window{start};
        since_newest_ = window{start};
    }
    if (!newest_ || start.time > *newest_) newest_ = start.time;
}

void log_resume_core::reconnect()
{
    catching_up_ = true;
    met_first_ = false;
    met_ = 0;
    inside_ = false;
    dropping_ = false;
    held_.reset();
    passed_ += std::exchange(repeated_, 0);
}

std::string log_resume_core::since_time() const
{
    if (!newest_) return {};
    const auto seconds = static_cast<std::time_t>(since());
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

} // namespace kubecoro::detail
