// JSON merge patches from two and from three versions.
#include <kubecoro/api/patch.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace kubecoro {

namespace json = boost::json;

namespace {

/// The parts of a difference that a patch has.
enum class parts
{
    all,
    changes,
    removals
};

json::object difference(const json::object& from, const json::object& to, parts wanted);

/// Adds what has become of one member that both have.
void add_change(json::object& patch, std::string_view name, const json::value& before, const json::value& after,
                parts wanted)
{
    if (before == after) return;
    if (before.is_object() && after.is_object()) {
        if (auto inner = difference(before.get_object(), after.get_object(), wanted); !inner.empty())
            patch[name] = std::move(inner);
    } else if (wanted != parts::removals || after.is_null()) {
        patch[name] = after;
    }
}

json::object difference(const json::object& from, const json::object& to, parts wanted)
{
    json::object patch;
    for (const auto& [name, after] : to) {
        if (const auto* before = from.if_contains(name))
            add_change(patch, name, *before, after, wanted);
        else if (wanted != parts::removals && !after.is_null())
            patch[name] = after;
    }
    if (wanted == parts::changes) return patch;
    for (const auto& [name, before] : from)
        if (!to.contains(name)) patch[name] = nullptr;
    return patch;
}

/// Puts the members of one patch into another one, whose objects are merged.
void add_patch(json::object& patch, const json::object& other)
{
    for (const auto& [name, value] : other) {
        auto* known = patch.if_contains(name);
        if (known && known->is_object() && value.is_object())
            add_patch(known->get_object(), value.get_object());
        else
            patch[name] = value;
    }
}

} // namespace

json::object merge_patch(const json::object& from, const json::object& to) { return difference(from, to, parts::all); }

json::object three_way_merge_patch(const json::object& last_applied, const json::object& wanted,
                                   const json::object& current)
{
    auto patch = difference(current, wanted, parts::changes);
    add_patch(patch, difference(last_applied, wanted, parts::removals));
    return patch;
}

} // namespace kubecoro
