#include <kubecoro/api/value_view.hpp>

#include "number_text.hpp"
#include "tape_reader.hpp"

namespace kubecoro {

using detail::head;

value_kind value_view::kind() const noexcept { return tape_access::head_of(*this).kind; }

value_view value_view::operator[](std::string_view key) const noexcept
{
    const head h = tape_access::head_of(*this);
    if (h.kind != value_kind::object) return {};
    value_view found;
    const unsigned char* at = h.body;
    for (std::size_t left = h.count; left != 0; --left) {
        const auto m = detail::read_member(at, h.end);
        if (!m) break;
        if (m.key == key) found = {m.value, m.end};
        at = m.end;
    }
    return found;
}

value_view value_view::operator[](std::size_t index) const noexcept
{
    const head h = tape_access::head_of(*this);
    if (h.kind != value_kind::array || index >= h.count) return {};
    const unsigned char* at = h.body;
    for (;; --index) {
        const value_view item = tape_access::view(at, h.end);
        if (!item || index == 0) return item;
        at = item.end_;
    }
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
    const head h = tape_access::head_of(*this);
    return h.kind == value_kind::string ? h.text() : fallback;
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

std::size_t value_view::size() const noexcept { return tape_access::head_of(*this).count; }

member_range value_view::members() const noexcept
{
    const head h = tape_access::head_of(*this);
    member_range range;
    if (h.kind != value_kind::object || !detail::read_member(h.body, h.end)) return range;
    range.begin_.at_ = h.body;
    range.begin_.end_ = h.end;
    range.begin_.left_ = h.count;
    return range;
}

item_range value_view::items() const noexcept
{
    const head h = tape_access::head_of(*this);
    item_range range;
    if (h.kind != value_kind::array || !tape_access::view(h.body, h.end)) return range;
    range.begin_.at_ = h.body;
    range.begin_.end_ = h.end;
    range.begin_.left_ = h.count;
    return range;
}

member member_iterator::operator*() const noexcept
{
    const auto m = detail::read_member(at_, end_);
    return {m.key, m ? tape_access::view(m.value, m.end) : value_view{}};
}

member_iterator& member_iterator::operator++() noexcept
{
    const auto m = detail::read_member(at_, end_);
    left_ = left_ == 0 || !m ? 0 : left_ - 1;
    if (m) at_ = m.end;
    // What follows a broken tape is the end, not a member without a key.
    if (left_ != 0 && !detail::read_member(at_, end_)) left_ = 0;
    return *this;
}

value_view item_iterator::operator*() const noexcept { return tape_access::view(at_, end_); }

item_iterator& item_iterator::operator++() noexcept
{
    const head h = detail::read_head(at_, end_);
    const bool whole = h.kind != value_kind::absent;
    left_ = left_ == 0 || !whole ? 0 : left_ - 1;
    if (whole) at_ = h.end;
    if (left_ != 0 && detail::read_head(at_, end_).kind == value_kind::absent) left_ = 0;
    return *this;
}

} // namespace kubecoro
