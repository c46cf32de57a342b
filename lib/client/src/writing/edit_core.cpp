#include "writing/edit_core.hpp"

#include <kubecoro/api/patch.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/value.hpp>

#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// Another writer was first: it changed, made or deleted the object.
bool was_late(const failure& why)
{
    return why == cond::conflict || why == cond::already_exists || why == cond::not_found;
}

failure refusal(const edit_rules& rules, const std::string& why)
{
    return failure(cond::invalid,
                   "the edit of " + rules.type.display_name() + " \"" + printable(to_string(rules.key)) + "\" " + why);
}

std::string_view metadata_text(const json::object& o, std::string_view name)
{
    const auto* text = find_field(o, "metadata", name);
    return text && text->is_string() ? std::string_view(text->get_string()) : std::string_view();
}

bool is_key_of(const json::object& o, const edit_rules& rules)
{
    const std::string_view ns = rules.type.namespaced ? std::string_view(rules.key.ns) : std::string_view();
    return metadata_text(o, "name") == rules.key.name && metadata_text(o, "namespace") == ns;
}

/// The first member that differs and is not the status; empty = none.
std::string changed_outside_status(const json::object& patch)
{
    for (const auto& [name, value] : patch)
        if (name != "status") return std::string(name);
    return {};
}

} // namespace

edit_core::edit_core(edit_rules rules, object_edit edit, retry_policy retry)
    : rules_(std::move(rules)), edit_(std::move(edit)), plan_(was_late, retry)
{
}

edit_core::step edit_core::begin(object known)
{
    if (!known) return read{};
    seen_whole_ = false;
    return have_read(std::move(known));
}

edit_core::step edit_core::have_waited()
{
    seen_whole_ = true;
    return read{};
}

edit_core::step edit_core::have_read(result<object> found)
{
    if (!found)
        return found.error() == cond::not_found ? no_object(found.error()) : step(result<written>(found.error()));
    if (!rules_.uid.empty() && !found->has_uid(rules_.uid))
        return no_object(failure(cond::not_found, "it was deleted, and another object has its name"));
    return edited(*found);
}

edit_core::step edit_core::no_object(failure why)
{
    if (rules_.absent == edit_rules::absence::fail) return result<written>(std::move(why));
    if (rules_.absent == edit_rules::absence::accept) return result<written>(written{});
    json::object fresh = new_object(rules_.type, rules_.key);
    if (auto done = edit_(fresh); !done) return result<written>(done.error());
    if (!is_key_of(fresh, rules_)) return result<written>(refusal(rules_, "changed its name or namespace"));
    doing_ = write_effect::created;
    return create{std::move(fresh)};
}

edit_core::step edit_core::edited(const object& o)
{
    const auto whole = o.to_json();
    json::object after = whole.as_object();
    if (auto done = edit_(after); !done) return result<written>(done.error());
    if (after == whole.as_object()) return result<written>(written{o, write_effect::unchanged});
    if (!is_key_of(after, rules_)) return result<written>(refusal(rules_, "changed its name or namespace"));
    doing_ = write_effect::updated;
    edited_version_ = std::string(o.resource_version());
    return write_of(o, whole.as_object(), std::move(after));
}

edit_core::step edit_core::write_of(const object& o, const json::object& before, json::object after) const
{
    if (!rules_.patches && seen_whole_ && !o.is_partial()) {
        field(after, "metadata", "resourceVersion") = o.resource_version();
        return update{std::move(after)};
    }
    json::object body = merge_patch(before, after);
    if (rules_.status_only)
        if (auto other = changed_outside_status(body); !other.empty())
            return result<written>(refusal(rules_, "changed " + printable(other) + ", not only its status"));
    field(body, "metadata", "resourceVersion") = o.resource_version();
    return patch{std::move(body)};
}

edit_core::step edit_core::have_written(result<object> stored)
{
    if (stored) return outcome(*std::move(stored));
    const auto& why = stored.error();
    // A creation that finds nothing lacks its namespace.
    if (why == cond::not_found && doing_ == write_effect::created) return result<written>(why);
    if (why == cond::not_found && rules_.absent != edit_rules::absence::create) return no_object(why);
    return was_late(why) ? again(why) : step(result<written>(why));
}

/// A server keeps the version of an object that a write left as it was.
edit_core::step edit_core::outcome(object stored) const
{
    const bool same = doing_ == write_effect::updated && stored.resource_version() == edited_version_;
    return result<written>(written{std::move(stored), same ? write_effect::unchanged : doing_});
}

edit_core::step edit_core::again(const failure& why)
{
    const auto delay = plan_.after(why);
    if (delay) return wait{*delay};
    return result<written>(why.because("other writers were first in each attempt"));
}

} // namespace kubecoro::detail
