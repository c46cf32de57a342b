// Compares JSON values read from tapes.
#include "tape/number_text.hpp"
#include "tape/tape_reader.hpp"

#include <algorithm>
#include <vector>

namespace kubecoro {
namespace {

using detail::head;

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
std::vector<member> effective_members(member_iterator at)
{
    std::vector<member> all;
    for (const member_iterator end; at != end; ++at) all.push_back(*at);
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
