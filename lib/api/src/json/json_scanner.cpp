#include "json/json_scanner.hpp"

#include "json/tape_sink.hpp"

namespace kubecoro::detail {

namespace {

// Larger buffers are freed before the next text that needs one.
constexpr std::size_t kept_capacity = std::size_t{1} << 20;

std::string_view between(const char* p, const char* end, std::size_t most) noexcept
{
    return {p, std::min(static_cast<std::size_t>(end - p), most)};
}

/// True for the escape of a quote or backslash, as in names of the items of managed fields.
bool stands_for_itself(const char* p, const char* end) noexcept
{
    return *p == '\\' && end - p >= 2 && (p[1] == '"' || p[1] == '\\');
}

} // namespace

void json_scanner::reset() noexcept
{
    depth_ = 0;
    state_ = state::value;
    restart_text();
    cut_size_ = 0;
    problem_ = nullptr;
}

void json_scanner::skip(std::size_t levels) noexcept
{
    depth_ -= levels;
    skipper_.begin(levels);
    state_ = state::skipping;
}

bool json_scanner::keep(std::string_view text, std::size_t room)
{
    const std::size_t left = room - std::min(room, text_.size());
    text_ += text.substr(0, left);
    return text.size() <= left;
}

void json_scanner::restart_text() noexcept
{
    text_.clear();
    if (text_.capacity() > kept_capacity) std::string().swap(text_);
}

json_scanner::part json_scanner::copy_part(const char*& p, const char* end, std::size_t room)
{
    if (cut_size_ != 0)
        if (const part unit = complete_unit(p, end, room); unit != part::whole) return unit;
    for (;;) {
        const char* const begin = p;
        p = end_of_text(p, end);
        if (!keep({begin, static_cast<std::size_t>(p - begin)}, room)) return part::overflowing;
        if (p == end) return part::unfinished;
        if (*p == '"') {
            ++p;
            return part::whole;
        }
        if (*p != '\\' && !is_beyond_ascii(*p)) {
            problem_ = "control character in a string";
            return part::malformed;
        }
        if (stands_for_itself(p, end)) {
            const bool kept = keep({p + 1, 1}, room);
            p += 2;
            if (!kept) return part::overflowing;
            continue;
        }
        cut_size_ = 0;
        if (const part unit = complete_unit(p, end, room); unit != part::whole) return unit;
    }
}

json_scanner::part json_scanner::complete_unit(const char*& p, const char* end, std::size_t room)
{
    do {
        const std::string_view more = between(p, end, text_unit::longest);
        std::memcpy(cut_.data() + cut_size_, more.data(), more.size());
        const text_unit u = read_unit({cut_.data(), cut_size_ + more.size()});
        if (u.problem != nullptr) {
            problem_ = u.problem;
            return part::malformed;
        }
        if (u.size == 0) {
            cut_size_ += more.size();
            p = end;
            return part::unfinished;
        }
        if (u.size >= cut_size_) {
            p += u.size - cut_size_;
            cut_size_ = 0;
        } else {
            // A leading surrogate without its other half; an escape follows.
            cut_size_ -= u.size;
            std::memmove(cut_.data(), cut_.data() + u.size, cut_size_);
        }
        if (!keep({u.utf8, u.utf8_size}, room)) return part::overflowing;
    } while (cut_size_ != 0);
    return part::whole;
}

const char* json_scanner::end_of_characters(const char* p, const char* end) noexcept
{
    while (p != end && is_beyond_ascii(*p)) {
        const std::size_t size = utf8_size(between(p, end, text_unit::longest));
        if (size == 0) break;
        p = find_special(p + size, end);
    }
    return p;
}

bool json_scanner::read_word(const char*& p, const char* end) noexcept
{
    const std::string_view text = between(p, end, word_.size() - word_read_);
    if (text != word_.substr(word_read_, text.size())) return false;
    word_read_ += text.size();
    p += text.size();
    return true;
}

scanned scan_value(std::string_view json, pruned_tape& out, bool behind_key)
{
    json_scanner scanner(json_scanner::most_levels);
    if (behind_key) scanner.begin_behind_key();
    tape_sink sink(out, json.size());
    const char* at = json.data();
    const char* const end = at + json.size();
    auto o = scanner.run(at, end, sink);
    while (o == json_scanner::outcome::stopped && sink.take_left_out()) {
        scanner.skip(1);
        o = scanner.run(at, end, sink);
    }
    if (o == json_scanner::outcome::unfinished) o = scanner.finish(sink);
    if (o == json_scanner::outcome::stopped) return scanned::too_large;
    return o == json_scanner::outcome::complete && at == end ? scanned::complete : scanned::malformed;
}

} // namespace kubecoro::detail
