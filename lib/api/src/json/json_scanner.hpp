// A parser of JSON text in any chunking.
#pragma once

#include "text/json_skipper.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Reads one JSON document and passes its events to a sink, which may change between two calls.

    One state machine: each label of run() is a place in the grammar, and when the text ends there, its state. Between two
    parts of a text only an incomplete text or number is kept, as far as the sink wants it.

    A sink has the events of a tape_writer, with begin(is_object) for both kinds of containers; key() and string() get
    texts that are valid during the call. An event that returns false has been consumed and makes run() return. Further
    members:
    - `std::size_t room(bool is_key)`: the most bytes to keep of a text that has to be copied;
    - `bool overflows(bool is_key)`: such a text is longer; true = continue with its beginning alone;
    - `bool may_repeat()`, `std::size_t repeat(std::string_view)`: as those of tape_writer;
    - `std::size_t predicted_key(std::string_view)`, `bool put_predicted_key(std::string_view key)`: the same. A sink may
      have no predictions. */
class json_scanner
{
public:
    enum class outcome
    {
        /// The text ended within the document.
        unfinished,
        /// The document has ended, and the blanks behind it.
        complete,
        /// An event returned false.
        stopped,
        /// The text is not JSON; see problem().
        malformed
    };
    static constexpr std::size_t most_levels = 600;

    /// @param max_depth  At most most_levels.
    explicit json_scanner(std::size_t max_depth) noexcept : max_depth_(std::min(max_depth, most_levels)) {}

    /// Prepares for the next document.
    void reset() noexcept;
    /// At the start: the document is the value of a key that the sink has had, so that it may repeat.
    void begin_behind_key() noexcept { state_ = state::behind_key; }
    /// Continues with the text from `at`, which becomes the end of what was understood.
    template<class Sink>
    [[nodiscard]] outcome run(const char*& at, const char* end, Sink& sink);
    /// Call when run() was unfinished at the end of the text: a number by itself ends only there.
    template<class Sink>
    [[nodiscard]] outcome finish(Sink& sink);
    /// Passes over the rest of the innermost containers, without validating it.
    void skip(std::size_t levels) noexcept;

    /// Number of open containers.
    [[nodiscard]] std::size_t depth() const noexcept { return depth_; }
    [[nodiscard]] const char* problem() const noexcept { return problem_; }
    [[nodiscard]] bool is_too_deep() const noexcept { return problem_ == too_deep; }

private:
    static constexpr const char* too_deep = "nested too deeply";

    enum class state : unsigned char
    {
        value,
        first_item,
        first_key,
        key,
        colon,
        behind_key,
        behind_value,
        in_key,
        in_string,
        in_number,
        in_word,
        skipping,
        done
    };
    /// The end of one part of a string.
    enum class part
    {
        whole,
        unfinished,
        overflowing,
        malformed
    };

    [[nodiscard]] bool in_object() const noexcept { return kinds_[depth_ - 1]; }
    /// Copies the next part of a string to text_. @return complete: it has ended.
    template<class Sink>
    [[nodiscard]] outcome copy_string(const char*& p, const char* end, Sink& sink, bool is_key)
    {
        for (;;) {
            switch (copy_part(p, end, sink.room(is_key))) {
            case part::whole:
                return outcome::complete;
            case part::unfinished:
                return outcome::unfinished;
            case part::malformed:
                return outcome::malformed;
            case part::overflowing:
                if (!sink.overflows(is_key)) return outcome::stopped;
            }
        }
    }
    [[nodiscard]] part copy_part(const char*& p, const char* end, std::size_t room);
    /// Copies the unit that the last part ended in.
    [[nodiscard]] part complete_unit(const char*& p, const char* end, std::size_t room);
    [[nodiscard]] bool keep(std::string_view text, std::size_t room);
    /// Makes text_ available for the next text.
    void restart_text() noexcept;
    /// The end of plain text and complete characters in a string.
    [[nodiscard]] static const char* end_of_text(const char* p, const char* end) noexcept
    {
        p = find_special(p, end);
        return p != end && is_beyond_ascii(*p) ? end_of_characters(p, end) : p;
    }
    [[nodiscard]] static const char* end_of_characters(const char* p, const char* end) noexcept;
    /// Compares the next part of word_. @return false: it differs.
    [[nodiscard]] bool read_word(const char*& p, const char* end) noexcept;

    template<class Sink>
    [[nodiscard]] bool put_number(Sink& sink, std::string_view text)
    {
        const auto i = number_.integer();
        return i ? sink.integer(*i) : sink.number(text);
    }
    template<class Sink>
    [[nodiscard]] bool put_word(Sink& sink)
    {
        return word_[0] == 'n' ? sink.null() : sink.boolean(word_[0] == 't');
    }

    std::size_t max_depth_;
    std::size_t depth_ = 0;
    /// True for each open container that is an object.
    std::array<bool, most_levels> kinds_{};
    state state_ = state::value;
    /// The text or number that is read in parts.
    std::string text_;
    json_number number_;
    /// The beginning of a unit that continues in the next part.
    std::array<char, 2 * text_unit::longest> cut_{};
    std::size_t cut_size_ = 0;
    /// true, false or null, and the part of it that was read.
    std::string_view word_;
    std::size_t word_read_ = 0;
    json_skipper skipper_;
    const char* problem_ = nullptr;
};

template<class Sink>
json_scanner::outcome json_scanner::run(const char*& at, const char* const end, Sink& sink)
{
    const char* p = at;
    const char* begin = p;
    std::string_view text;
    const auto leave = [&](state s, outcome o) {
        state_ = s;
        at = p;
        return o;
    };
    const auto suspend = [&](state s) { return leave(s, outcome::unfinished); };
    const auto stop = [&](state s) { return leave(s, outcome::stopped); };
    const auto refuse = [&](const char* problem) {
        problem_ = problem;
        return leave(state_, outcome::malformed);
    };

    switch (state_) {
    case state::value:
        goto value;
    case state::first_item:
        goto first_item;
    case state::first_key:
        goto first_key;
    case state::key:
        goto key;
    case state::colon:
        goto colon;
    case state::behind_key:
        goto behind_key;
    case state::behind_value:
        goto behind_value;
    case state::in_key:
        goto in_key;
    case state::in_string:
        goto in_string;
    case state::in_number:
        goto in_number;
    case state::in_word:
        goto in_word;
    case state::skipping:
        goto skipping;
    case state::done:
        goto done;
    }

value:
    p = skip_blanks(p, end);
    if (p == end) return suspend(state::value);
this_value:
    // Most values are texts: a branch is predicted better than the jump of the switch.
    if (*p == '"') goto string;
    switch (*p) {
    case '{':
        goto object;
    case '[':
        goto array;
    case 't':
        word_ = "true";
        goto word;
    case 'f':
        word_ = "false";
        goto word;
    case 'n':
        word_ = "null";
        goto word;
    default:
        if (*p == '-' || is_digit(*p)) goto number;
        return refuse("expected a value");
    }

object:
    if (depth_ == max_depth_) return refuse(too_deep);
    ++p;
    kinds_[depth_++] = true;
    if (!sink.begin(true)) return stop(state::first_key);
first_key:
    p = skip_blanks(p, end);
    if (p == end) return suspend(state::first_key);
    if (*p == '}') goto close;
    goto name;

key:
    p = skip_blanks(p, end);
    if (p == end) return suspend(state::key);
name:
    if (*p != '"') return refuse("expected the name of a member");
    begin = ++p;
    if constexpr (requires { sink.put_predicted_key(text); }) {
        if (const std::size_t size = sink.predicted_key({p, static_cast<std::size_t>(end - p)}); size != 0) {
            p += size + 2;
            if (!sink.put_predicted_key({begin, size})) return stop(state::behind_key);
            goto behind_key;
        }
    }
    p = end_of_text(p, end);
    if (p == end || *p != '"') [[unlikely]] {
        p = begin;
        restart_text();
        goto in_key;
    }
    text = {begin, static_cast<std::size_t>(p++ - begin)};
put_key:
    if (!sink.key(text)) return stop(state::colon);
colon:
    p = skip_blanks(p, end);
    if (p == end) return suspend(state::colon);
    if (*p != ':') return refuse("expected ':'");
    ++p;
behind_key:
    p = skip_blanks(p, end);
    if (p == end) return suspend(state::behind_key);
    if ((*p == '{' || *p == '[') && sink.may_repeat()) {
        if (const std::size_t size = sink.repeat({p, static_cast<std::size_t>(end - p)}); size != 0) {
            p += size;
            goto behind_value;
        }
    }
    goto this_value;

array:
    if (depth_ == max_depth_) return refuse(too_deep);
    ++p;
    kinds_[depth_++] = false;
    if (!sink.begin(false)) return stop(state::first_item);
first_item:
    p = skip_blanks(p, end);
    if (p == end) return suspend(state::first_item);
    if (*p == ']') goto close;
    goto value;

string:
    begin = ++p;
    p = end_of_text(p, end);
    if (p == end || *p != '"') [[unlikely]] {
        p = begin;
        restart_text();
        goto in_string;
    }
    text = {begin, static_cast<std::size_t>(p++ - begin)};
put_string:
    if (!sink.string(text)) return stop(state::behind_value);
behind_value:
    if (depth_ == 0) goto done;
    p = skip_blanks(p, end);
    if (p == end) return suspend(state::behind_value);
    if (*p == ',') {
        ++p;
        if (in_object()) goto key;
        goto value;
    }
    if (*p != (in_object() ? '}' : ']')) return refuse(in_object() ? "expected ',' or '}'" : "expected ',' or ']'");
close:
    ++p;
    --depth_;
    if (!sink.end()) return stop(state::behind_value);
    goto behind_value;

number : {
    const short_number n = read_short_number(p, end);
    if (n.size != 0) {
        text = {p, n.size};
        p += n.size;
        if (!(n.is_integer ? sink.integer(n.value) : sink.number(text))) return stop(state::behind_value);
        goto behind_value;
    }
    number_ = {};
    restart_text();
}
in_number:
    begin = p;
    p = number_.feed(p, end);
    text = {begin, static_cast<std::size_t>(p - begin)};
    if (p == end || !text_.empty()) {
        if (!keep(text, sink.room(false)) && !sink.overflows(false)) return stop(state::in_number);
        if (p == end) return suspend(state::in_number);
        text = text_;
    }
    if (!number_.is_complete()) return refuse(number_.problem());
    if (!put_number(sink, text)) return stop(state::behind_value);
    goto behind_value;

word:
    word_read_ = 0;
in_word:
    if (!read_word(p, end)) return refuse("expected a value");
    if (word_read_ != word_.size()) return suspend(state::in_word);
    if (!put_word(sink)) return stop(state::behind_value);
    goto behind_value;

in_key:
    if (const outcome o = copy_string(p, end, sink, true); o != outcome::complete) return leave(state::in_key, o);
    text = text_;
    goto put_key;

in_string:
    if (const outcome o = copy_string(p, end, sink, false); o != outcome::complete) return leave(state::in_string, o);
    text = text_;
    goto put_string;

skipping:
    p += skipper_.feed({p, static_cast<std::size_t>(end - p)});
    if (!skipper_.done()) return suspend(state::skipping);
    goto behind_value;

done:
    p = skip_blanks(p, end);
    return leave(state::done, outcome::complete);
}

template<class Sink>
json_scanner::outcome json_scanner::finish(Sink& sink)
{
    if (state_ == state::done) return outcome::complete;
    if (state_ != state::in_number || depth_ != 0 || !number_.is_complete()) return outcome::unfinished;
    state_ = state::done;
    return put_number(sink, text_) ? outcome::complete : outcome::stopped;
}

} // namespace kubecoro::detail
