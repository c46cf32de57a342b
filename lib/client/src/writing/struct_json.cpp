#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/client/struct_edit.hpp>

#include <boost/json/parse.hpp>

#include <string>
#include <vector>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

// That of the deepest object: the default of Boost.JSON is less than definitions have.
constexpr std::size_t max_depth = 512;

result<> read_json(const struct_type& type, const json::object& from, void* to)
{
    const auto parsed = object::parse(written_json(from));
    if (!parsed) return parsed.error();
    if (const auto problem = read_root(type, parsed->root(), to, false)) return *problem;
    return {};
}

result<json::object> to_json(const struct_type& type, const void* from)
{
    std::string text;
    write_root(type, from, text);
    json::parse_options limits;
    limits.max_depth = max_depth;
    boost::system::error_code ec;
    auto value = json::parse(text, ec, {}, limits);
    if (ec) return failure(cond::invalid, "the struct is not JSON: " + ec.message());
    return std::move(value.get_object());
}

/// Makes the changes that lead from `before` to `after`.
void bring_over(const json::object& before, const json::object& after, json::object& o)
{
    for (const auto& [name, value] : before)
        if (!after.contains(name)) o.erase(name);
    for (const auto& [name, value] : after) {
        const auto* old = before.if_contains(name);
        if (old && *old == value) continue;
        auto& place = o[name];
        if (old && old->is_object() && value.is_object() && place.is_object())
            bring_over(old->get_object(), value.get_object(), place.get_object());
        else
            place = value;
    }
}

} // namespace

result<> edit_as_struct(const struct_type& type, void* value, const std::function<result<>()>& change, json::object& o)
{
    if (const auto read = read_json(type, o, value); !read) return read;
    const auto before = to_json(type, value);
    if (!before) return before.error();
    if (const auto changed = change(); !changed) return changed;
    const auto after = to_json(type, value);
    if (!after) return after.error();
    bring_over(*before, *after, o);
    return {};
}

void copy_with_owner(const struct_type& type, const void* from, void* to, const object& owner, bool is_controller,
                     owner_reference_options options)
{
    auto o = to_json(type, from);
    if (!o) throw error(o.error());
    if (is_controller)
        set_controller_reference(owner, *o, options);
    else
        set_owner_reference(owner, *o, options);
    if (const auto read = read_json(type, *o, to); !read) throw error(read.error());
    if (is_partial({&type, from})) mark_partial(type, to);
}

} // namespace kubecoro::detail
