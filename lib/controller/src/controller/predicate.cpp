#include <kubecoro/controller/predicate.hpp>

#include <kubecoro/cache/object_changes.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::predicates {
namespace {

/// A predicate that rejects only updates for which `changed` is false.
template<class Changed>
predicate on_update(Changed changed)
{
    return [changed](const notification<object>& n) {
        const auto* u = std::get_if<updated<object>>(&n);
        return u == nullptr || changed(*u);
    };
}

/// Evaluates a predicate; an empty one accepts everything.
bool holds(const predicate& p, const notification<object>& n) { return !p || p(n); }

} // namespace

predicate generation_changed()
{
    return on_update([](const updated<object>& u) {
        if (u.after.being_deleted() && !u.before.being_deleted()) return true;
        const bool counted = u.before.generation() != 0 || u.after.generation() != 0;
        return counted ? u.before.generation() != u.after.generation() : !u.resync();
    });
}

predicate labels_changed()
{
    return on_update([](const updated<object>& u) { return kubecoro::labels_changed(u); });
}

predicate annotations_changed()
{
    return on_update([](const updated<object>& u) { return kubecoro::annotations_changed(u); });
}

predicate resource_version_changed()
{
    return on_update([](const updated<object>& u) { return !u.resync(); });
}

predicate matches(std::function<bool(const object&)> f)
{
    return [f = std::move(f)](const notification<object>& n) {
        const auto* u = std::get_if<updated<object>>(&n);
        return f(object_of(n)) || (u != nullptr && f(u->before));
    };
}

predicate all_of(std::vector<predicate> all)
{
    return [all = std::move(all)](const notification<object>& n) {
        return std::all_of(all.begin(), all.end(), [&n](const predicate& p) { return holds(p, n); });
    };
}

predicate any_of(std::vector<predicate> any)
{
    return [any = std::move(any)](const notification<object>& n) {
        return std::any_of(any.begin(), any.end(), [&n](const predicate& p) { return holds(p, n); });
    };
}

predicate not_(predicate p)
{
    return [p = std::move(p)](const notification<object>& n) { return !holds(p, n); };
}

} // namespace kubecoro::predicates
