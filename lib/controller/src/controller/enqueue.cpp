#include "controller/own_key.hpp"
#include "queue/key_batch.hpp"

#include <kubecoro/controller/enqueue.hpp>

#include <optional>
#include <utility>

namespace kubecoro {
using namespace detail;
namespace {

/// "apps/v1" -> "apps"; "v1" -> "". Nothing for what is no apiVersion.
std::optional<std::string_view> group_of(std::string_view api_version) noexcept
{
    const auto slash = api_version.find('/');
    if (api_version.empty() || slash != api_version.rfind('/')) return std::nullopt;
    return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool refers_to(const value_view& reference, const resource_type& owner)
{
    return reference["kind"].as_string() == owner.kind && group_of(reference["apiVersion"].as_string()) == owner.group;
}

/// Calls `f` for the object of an event, and for the old object when it differs.
template<class F>
void for_old_and_new(const notification<object>& n, F f)
{
    if (const auto* u = std::get_if<updated<object>>(&n); u != nullptr && !u->resync()) f(u->before);
    f(object_of(n));
}

void name_owners(const resource_type& owner, bool controller_only, const object& o, key_sink out)
{
    for (const value_view reference : o.owner_references().items()) {
        if (controller_only && !reference["controller"].as_bool()) continue;
        if (refers_to(reference, owner))
            out(owner.namespaced ? o.ns() : std::string_view(), reference["name"].as_string());
        if (controller_only) return;
    }
}

enqueue by_owners(resource_type owner, bool controller_only)
{
    return [owner = std::move(owner), controller_only](const notification<object>& n, key_sink out) {
        for_old_and_new(n, [&](const object& o) { name_owners(owner, controller_only, o, out); });
    };
}

} // namespace

void key_sink::operator()(object_key_view key) const { out_->add(key); }

enqueue enqueue_object() { return own_key(); }

enqueue enqueue_owner(resource_type owner) { return by_owners(std::move(owner), true); }

enqueue enqueue_owners(resource_type owner) { return by_owners(std::move(owner), false); }

enqueue enqueue_mapped(callback<void(const object&, key_sink)> f)
{
    return [f = std::move(f)](const notification<object>& n, key_sink out) {
        for_old_and_new(n, [&](const object& o) { f(o, out); });
    };
}

} // namespace kubecoro
