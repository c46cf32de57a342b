// Converts tapes to JSON text.
#include <kubecoro/api/value_view.hpp>

#include "tape/json_copy.hpp"
#include "tape/tape_reader.hpp"
#include "text/json_text.hpp"

#include <algorithm>
#include <vector>

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
    const auto k = kind();
    if (k == value_kind::integer) return detail::read_integer(at_, end_);
    if (k == value_kind::number) return detail::integral_value(number_text()).value_or(fallback);
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
    return kind() == value_kind::boolean ? *at_ == detail::tag::true_ : fallback;
}

std::string_view value_view::number_text() const noexcept
{
    const head h = tape_access::head_of(*this);
    return h.kind == value_kind::number ? h.text() : std::string_view{};
}

std::size_t value_view::size() const noexcept
{
    std::size_t n = 0;
    if (is_object())
        for (auto m = members().begin(); m != detail::member_iterator(); ++m) ++n;
    else if (is_array())
        for (auto i = items().begin(); i != detail::item_iterator(); ++i) ++n;
    return n;
}

bool value_view::empty() const noexcept
{
    return members().begin() == detail::member_iterator() && items().begin() == detail::item_iterator();
}

detail::member_range value_view::members() const noexcept
{
    detail::member_range range;
    if (is_object()) range.begin_ = detail::member_iterator(at_ + 1 + detail::shapes[*at_].width, end_, words_);
    return range;
}

detail::item_range value_view::items() const noexcept
{
    detail::item_range range;
    if (is_array()) range.begin_ = detail::item_iterator(at_ + 1 + detail::shapes[*at_].width, end_, words_);
    return range;
}

detail::member_iterator::member_iterator(const unsigned char* at, const unsigned char* end,
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

detail::member_iterator& detail::member_iterator::operator++() noexcept
{
    *this = detail::member_iterator(next_, end_, current_.value.words_);
    return *this;
}

detail::item_iterator::item_iterator(const unsigned char* at, const unsigned char* end,
                                     const detail::vocabulary* words) noexcept
    : end_(end)
{
    const unsigned char* const next = detail::skip_value(at, end);
    if (next == nullptr) return;
    current_ = tape_access::whole(at, next, words);
    if (current_) next_ = next;
}

detail::item_iterator& detail::item_iterator::operator++() noexcept
{
    *this = detail::item_iterator(next_, end_, current_.words_);
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

namespace {

bool equal_values(const value_view& a, const value_view& b, std::size_t depth);

bool equal_numeric(const head& a, const head& b) noexcept
{
    if (a.kind == b.kind && a.kind == value_kind::integer) return a.number == b.number;
    if (a.kind == b.kind) return detail::equal_numbers(a.text(), b.text());
    const bool a_has_text = a.kind == value_kind::number;
    const detail::integer_text digits(a_has_text ? b.number : a.number);
    return detail::equal_numbers(digits.view(), a_has_text ? a.text() : b.text());
}

bool equal_arrays(const value_view& a, const value_view& b, std::size_t depth)
{
    auto p = a.items().begin();
    auto q = b.items().begin();
    const auto end = a.items().end();
    for (; p != end && q != end; ++p, ++q)
        if (!equal_values(*p, *q, depth)) return false;
    return p == end && q == end;
}

// True when both have the same keys in the same order, which is usual for objects of one server.
bool same_keys(const value_view& a, const value_view& b) noexcept
{
    auto p = a.members().begin();
    auto q = b.members().begin();
    const auto end = a.members().end();
    for (; p != end && q != end; ++p, ++q)
        if ((*p).key != (*q).key) return false;
    return p == end && q == end;
}

// The effective members from `at` on: of duplicates the last, sorted by key.
std::vector<member> effective_members(detail::member_iterator at)
{
    std::vector<member> all;
    for (const detail::member_iterator end; at != end; ++at) all.push_back(*at);
    std::stable_sort(all.begin(), all.end(), [](const member& x, const member& y) { return x.key < y.key; });
    std::vector<member> kept;
    for (const member& m : all) {
        if (!kept.empty() && kept.back().key == m.key)
            kept.back() = m;
        else
            kept.push_back(m);
    }
    return kept;
}

bool has_key(const std::vector<member>& sorted, std::string_view key)
{
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), key,
                                     [](const member& m, std::string_view k) { return m.key < k; });
    return at != sorted.end() && at->key == key;
}

bool equal_members(const std::vector<member>& x, const std::vector<member>& y, std::size_t depth)
{
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [depth](const member& m, const member& n) {
        return m.key == n.key && equal_values(m.value, n.value, depth);
    });
}

// No value is compared twice: with nested objects, that would double the work with every level.
bool equal_objects(const value_view& a, const value_view& b, std::size_t depth)
{
    auto p = a.members().begin();
    auto q = b.members().begin();
    if (!same_keys(a, b)) return equal_members(effective_members(p), effective_members(q), depth);
    const auto end = a.members().end();
    while (p != end && equal_values((*p).value, (*q).value, depth)) {
        ++p;
        ++q;
    }
    if (p == end) return true;
    if (!tape_access::head_of(a).loose) return false;
    // A member that a later duplicate replaces is ignored.
    const std::string_view key = (*p).key;
    const auto rest = effective_members(++p);
    return has_key(rest, key) && equal_members(rest, effective_members(++q), depth);
}

bool is_numeric(value_kind k) noexcept { return k == value_kind::integer || k == value_kind::number; }

bool equal_values(const value_view& a, const value_view& b, std::size_t depth)
{
    const head h = tape_access::head_of(a);
    const head g = tape_access::head_of(b);
    if (is_numeric(h.kind) && is_numeric(g.kind)) return equal_numeric(h, g);
    if (h.kind != g.kind) return false;
    switch (h.kind) {
    case value_kind::absent:
    case value_kind::null:
        return true;
    case value_kind::boolean:
        return h.number == g.number;
    case value_kind::string:
        return h.text() == g.text();
    case value_kind::integer:
    case value_kind::number:
        break;
    case value_kind::array:
        if (tape_access::same_bytes(a, b)) return true;
        return depth < detail::deepest && equal_arrays(a, b, depth + 1);
    case value_kind::object:
        if (tape_access::same_bytes(a, b)) return true;
        return depth < detail::deepest && equal_objects(a, b, depth + 1);
    }
    return false;
}

} // namespace

bool operator==(const value_view& a, const value_view& b) noexcept { return equal_values(a, b, 0); }

} // namespace kubecoro
