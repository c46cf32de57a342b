#include "decode/surrogates.hpp"

#include <algorithm>

namespace kubecoro::detail {
namespace {

constexpr std::size_t escape_size = 6; // \uXXXX
constexpr std::size_t pair_size = 2 * escape_size;
// Enough to hold the escape, or the pair of them, that a chunk ends within.
constexpr std::size_t kept_bytes = pair_size;

enum class half
{
    none,
    leading,
    trailing
};

bool is_hex(char c) noexcept
{
    const char lower = static_cast<char>(c | 0x20);
    return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
}

/// The kind of surrogate that the escape at the start of the text denotes.
half half_at(std::string_view text) noexcept
{
    if (text.size() < escape_size || text[0] != '\\' || text[1] != 'u') return half::none;
    if ((text[2] | 0x20) != 'd' || !is_hex(text[3]) || !is_hex(text[4]) || !is_hex(text[5])) return half::none;
    const char second = static_cast<char>(text[3] | 0x20);
    if (second >= 'c') return half::trailing;
    return second == '8' || second == '9' || second >= 'a' ? half::leading : half::none;
}

/// True if more text could complete an escape \uXXXX.
bool may_become_escape(std::string_view text) noexcept
{
    return text.size() < escape_size && (text.empty() || text[0] == '\\') && (text.size() < 2 || text[1] == 'u');
}

/// The start of the string around a position in the chunk; nothing when it starts before the chunk.
std::optional<std::size_t> begin_of_string(std::string_view chunk, std::size_t at, char before_chunk) noexcept
{
    // A quote inside the string is preceded by a backslash, its opening quote is not.
    while (at-- != 0)
        if (chunk[at] == '"' && (at == 0 ? before_chunk : chunk[at - 1]) != '\\') return at + 1;
    return std::nullopt;
}

} // namespace

surrogate_repair repair_surrogates(std::string& text) noexcept
{
    surrogate_repair done;
    for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
        const std::string_view rest = std::string_view(text).substr(at);
        if (may_become_escape(rest)) {
            done.open = at;
            break;
        }
        const half here = half_at(rest);
        if (here == half::leading) {
            const std::string_view next = rest.substr(escape_size);
            if (may_become_escape(next)) {
                done.open = at;
                break;
            }
            if (half_at(next) == half::trailing) {
                at += pair_size;
                continue;
            }
        }
        if (here != half::none) {
            text.replace(at, escape_size, "\\ufffd");
            done.first = std::min(done.first, at);
        }
        at += 2;
    }
    return done;
}

void string_repair::passed(std::string_view chunk)
{
    if (chunk.size() >= kept_bytes) {
        const std::string_view dropped = chunk.substr(0, chunk.size() - kept_bytes);
        const auto run = dropped.size() - (dropped.find_last_not_of('\\') + 1);
        // A run that fills it goes on with what was before.
        const bool longer = run == dropped.size() && ends_escaping();
        begins_escaped_ = longer != (run % 2 != 0);
        last_ = chunk.substr(dropped.size());
        return;
    }
    last_ += chunk;
    if (last_.size() <= kept_bytes) return;
    const auto dropped = last_.size() - kept_bytes;
    for (std::size_t i = 0; i < dropped; ++i) begins_escaped_ = !begins_escaped_ && last_[i] == '\\';
    last_.erase(0, dropped);
}

/// Where what was passed ends, a backslash escapes what follows.
bool string_repair::ends_escaping() const noexcept
{
    bool escaped = begins_escaped_;
    for (const char c : last_) escaped = !escaped && c == '\\';
    return escaped;
}

std::optional<string_repair::state> string_repair::repair(std::string_view chunk, std::size_t at)
{
    state s;
    const auto begin = begin_of_string(chunk, at, last_.empty() ? ' ' : last_.back());
    s.whole_string = begin.has_value();
    if (begin) {
        s.begin = *begin;
    } else {
        s.text = last_.substr(begins_escaped_ ? 1 : 0);
        const auto open = repair_surrogates(s.text).open;
        s.text.erase(0, std::min(open, s.text.size()));
        s.begin = 0 - s.text.size();
    }
    s.text += chunk.substr(begin.value_or(0));
    const auto first = repair_surrogates(s.text).first;
    if (first == surrogate_repair::none) return std::nullopt;
    // The parser stops after the backslash, at the latest after the expected pair.
    const std::size_t behind = at - (s.begin + first);
    if (behind == 0 || behind > pair_size) return std::nullopt;
    forget();
    return s;
}

} // namespace kubecoro::detail
