#include "event_filter.hpp"

#include <kubecoro/base/guard.hpp>

#include <exception>

namespace kubecoro {

result<bool> event_filter::ask(const object& o) const
{
    try {
        return matches_(o);
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

result<> event_filter::assume(const object& o)
{
    const auto matches = ask(o);
    if (!matches) return matches.error();
    if (*matches) told_.insert(o.uid());
    return {};
}

event_filter::outcome event_filter::apply(notification& n)
{
    const std::string_view uid = object_of(n).uid();
    if (std::holds_alternative<deleted>(n)) return {told_.erase(uid)};
    const bool told = told_.contains(uid);
    const auto matches = ask(object_of(n));
    if (!matches) return {told, matches.error()};
    if (*matches == told) return {told};
    auto* u = std::get_if<updated>(&n);
    if (*matches) {
        told_.insert(uid);
        if (u) n = added{std::move(u->after), false};
        return {true};
    }
    told_.erase(uid);
    if (u) n = deleted{std::move(u->before), false};
    return {u != nullptr};
}

} // namespace kubecoro
