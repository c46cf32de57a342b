#include "review/struct_change_core.hpp"

#include <kubecoro/api/other_fields.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/parse_options.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// As deep as definitions may be.
constexpr std::size_t max_depth = 512;

const void* member_of(const void* value, std::uint32_t offset) noexcept
{
    return static_cast<const std::byte*>(value) + offset;
}

const other_fields& others_of(const struct_type& type, const void* value) noexcept
{
    static const other_fields none;
    if (type.others == struct_type::no_others) return none;
    return *static_cast<const other_fields*>(member_of(value, type.others));
}

/// Returns whether the text is JSON, or empty.
bool put(json::object& to, std::string_view name, std::string_view text)
{
    if (text.empty()) return true;
    json::parse_options limits;
    limits.max_depth = max_depth;
    boost::system::error_code ec;
    auto value = json::parse(text, ec, {}, limits);
    if (!ec) to[name] = std::move(value);
    return !ec;
}

/// As a struct is written: a member that is not set, or that the struct cannot hold, may be among its other fields.
bool put(json::object& to, const struct_type& type, const struct_field& f, const void* of)
{
    const void* value = member_of(of, f.offset);
    std::string text;
    if (f.type->is_set(value))
        f.type->write(value, text);
    else
        text = others_of(type, of).text(f.name);
    return put(to, f.name, text);
}

bool is_field(const struct_type& type, std::string_view name)
{
    for (const auto& f : type.fields)
        if (f.name == name) return true;
    return false;
}

} // namespace

struct_change change_between(const struct_type& type, value_view stated, const void* before, const void* after)
{
    struct_change out;
    const auto &had = others_of(type, before), &has = others_of(type, after);
    for (const auto& f : type.fields) {
        const void *a = member_of(before, f.offset), *b = member_of(after, f.offset);
        if (f.type->equal(a, b) && had.text(f.name) == has.text(f.name)) continue;
        const auto inside = stated[f.name];
        if (f.type->form == value_form::part && inside.is_object() && f.type->is_set(a) && f.type->is_set(b)) {
            auto inner = change_between(f.type->part(), inside, a, b);
            if (!inner.unwritable.empty()) out.unwritable = std::string(f.name) + '.' + inner.unwritable;
            if (inner.empty()) continue;
            out.was[f.name] = std::move(inner.was);
            out.is[f.name] = std::move(inner.is);
        } else {
            if (!put(out.was, type, f, before) || !put(out.is, type, f, after)) out.unwritable = f.name;
        }
    }
    if (had == has) return out;
    for (const auto& [name, text] : had.members())
        if (!is_field(type, name) && has.text(name) != text && !put(out.was, name, text)) out.unwritable = name;
    for (const auto& [name, text] : has.members())
        if (!is_field(type, name) && had.text(name) != text && !put(out.is, name, text)) out.unwritable = name;
    return out;
}

} // namespace kubecoro::detail
