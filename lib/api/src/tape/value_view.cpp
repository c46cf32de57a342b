// Converts tapes to JSON text.
#include <kubecoro/api/value_view.hpp>

#include "tape/number_text.hpp"
#include "tape/tape_reader.hpp"
#include "text/json_text.hpp"

namespace kubecoro {

using detail::head;

// Every view covers a complete value; this is checked where the view is created.

value_kind value_view::kind() const noexcept { return at_ == nullptr ? value_kind::absent : detail::shapes[*at_].kind; }

namespace {

/// The first member with a key: the start of its value, and its end, where the search can continue.
struct found_member
{
    const unsigned char* value = nullptr;
    const unsigned char* end = nullptr;
};

// Inlined: a call costs as much as two members.
[[gnu::always_inline]] inline found_member find_member(const unsigned char* at, const unsigned char* end,
                                                       const detail::vocabulary* words, std::string_view key) noexcept
{
    const auto mark = detail::text_table::mark_of(key);
    while (at != end) {
        const unsigned char* value = at + 1;
        bool same = false;
        if (*at < detail::key_tag::wide && words != nullptr) {
            same = words->keys().mark_at(*at) == mark && words->keys().is(*at, key);
        } else {
            std::string_view name;
            value = detail::read_key(at, end, words, name);
            if (value == nullptr) return {};
            same = detail::same_text(name, key);
        }
        at = detail::skip_value(value, end);
        if (at == nullptr) return {};
        if (same) return {value, at};
    }
    return {};
}

/// The last member with a key, for objects that may hold it twice.
[[gnu::noinline]] found_member find_last_member(const unsigned char* at, const unsigned char* end,
                                                const detail::vocabulary* words, std::string_view key) noexcept
{
    found_member found;
    for (found_member next{at, at}; (next = find_member(next.end, end, words, key)).value != nullptr;) found = next;
    return found;
}

} // namespace

value_view value_view::operator[](std::string_view key) const noexcept
{
    if (at_ == nullptr) return {};
    const detail::shape& s = detail::shapes[*at_];
    if (s.kind != value_kind::object) return {};
    const unsigned char* const members = at_ + 1 + s.width;
    const auto found = *at_ == detail::tag::loose_object ? find_last_member(members, end_, words_, key)
                                                         : find_member(members, end_, words_, key);
    if (found.value == nullptr) return {};
    return tape_access::whole(found.value, found.end, words_);
}

value_view value_view::operator[](std::size_t index) const noexcept
{
    const head h = tape_access::head_of(*this);
    if (h.kind != value_kind::array) return {};
    const unsigned char* at = h.body;
    for (; index != 0 && at != nullptr; --index) at = detail::skip_value(at, h.end);
    return at == nullptr ? value_view{} : tape_access::view(at, h.end, words_);
}

value_view value_view::path(std::string_view dotted) const noexcept
{
    value_view v = *this;
    while (v) {
        const auto dot = dotted.find('.');
        v = v[dotted.substr(0, dot)];
        if (dot == std::string_view::npos) break;
        dotted.remove_prefix(dot + 1);
    }
    return v;
}

std::string_view value_view::as_string(std::string_view fallback) const noexcept
{
    return tape_access::text_of(*this, fallback);
}

std::int64_t value_view::as_int64(std::int64_t fallback) const noexcept
{
    const head h = tape_access::head_of(*this);
    if (h.kind == value_kind::integer) return h.number;
    if (h.kind == value_kind::number) return detail::integral_value(h.text()).value_or(fallback);
    return fallback;
}

double value_view::as_double(double fallback) const noexcept
{
    const head h = tape_access::head_of(*this);
    if (h.kind == value_kind::integer) return static_cast<double>(h.number);
    if (h.kind == value_kind::number) return detail::double_value(h.text()).value_or(fallback);
    return fallback;
}

bool value_view::as_bool(bool fallback) const noexcept
{
    const head h = tape_access::head_of(*this);
    return h.kind == value_kind::boolean ? h.number != 0 : fallback;
}

std::string_view value_view::number_text() const noexcept
{
    const head h = tape_access::head_of(*this);
    return h.kind == value_kind::number ? h.text() : std::string_view{};
}

std::size_t value_view::size() const noexcept
{
    std::size_t n = 0;
    for (auto m = members().begin(); m != member_iterator(); ++m) ++n;
    for (auto i = items().begin(); i != item_iterator(); ++i) ++n;
    return n;
}

bool value_view::empty() const noexcept
{
    return members().begin() == member_iterator() && items().begin() == item_iterator();
}

member_range value_view::members() const noexcept
{
    const head h = tape_access::head_of(*this);
    member_range range;
    if (h.kind == value_kind::object) range.begin_ = member_iterator(h.body, h.end, words_);
    return range;
}

item_range value_view::items() const noexcept
{
    const head h = tape_access::head_of(*this);
    item_range range;
    if (h.kind == value_kind::array) range.begin_ = item_iterator(h.body, h.end, words_);
    return range;
}

member_iterator::member_iterator(const unsigned char* at, const unsigned char* end,
                                 const detail::vocabulary* words) noexcept
    : end_(end)
{
    const unsigned char* const value = detail::read_key(at, end, words, current_.key);
    if (value == nullptr) return;
    const unsigned char* const next = detail::skip_value(value, end);
    if (next == nullptr) return;
    current_.value = tape_access::whole(value, next, words);
    if (current_.value) next_ = next;
}

member_iterator& member_iterator::operator++() noexcept
{
    *this = member_iterator(next_, end_, current_.value.words_);
    return *this;
}

item_iterator::item_iterator(const unsigned char* at, const unsigned char* end,
                             const detail::vocabulary* words) noexcept
    : end_(end)
{
    const unsigned char* const next = detail::skip_value(at, end);
    if (next == nullptr) return;
    current_ = tape_access::whole(at, next, words);
    if (current_) next_ = next;
}

item_iterator& item_iterator::operator++() noexcept
{
    *this = item_iterator(next_, end_, current_.words_);
    return *this;
}

namespace {

using detail::append_quoted;

void append_value(std::string& out, const value_view& v, std::size_t depth)
{
    const head h = tape_access::head_of(v);
    switch (h.kind) {
    case value_kind::absent:
    case value_kind::null:
        out += "null";
        return;
    case value_kind::boolean:
        out += h.number != 0 ? "true" : "false";
        return;
    case value_kind::integer:
        out += detail::integer_text(h.number).view();
        return;
    case value_kind::number:
        out += h.text();
        return;
    case value_kind::string:
        append_quoted(out, h.text());
        return;
    case value_kind::array:
    case value_kind::object:
        break;
    }
    const bool is_object = h.kind == value_kind::object;
    bool first = true;
    out += is_object ? '{' : '[';
    if (depth < detail::deepest) {
        for (const auto& [key, value] : v.members()) {
            if (!first) out += ',';
            first = false;
            append_quoted(out, key);
            out += ':';
            append_value(out, value, depth + 1);
        }
        for (const value_view item : v.items()) {
            if (!first) out += ',';
            first = false;
            append_value(out, item, depth + 1);
        }
    }
    out += is_object ? '}' : ']';
}

} // namespace

std::string value_view::to_text() const
{
    std::string out;
    append_text(out);
    return out;
}

void value_view::append_text(std::string& out) const { append_value(out, *this, 0); }

} // namespace kubecoro
