#include "listener/event_filter.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <exception>

namespace kubecoro::detail {

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
    if (*matches) told_.insert(o);
    return {};
}

event_filter::outcome event_filter::apply(notification<object>& n)
{
    const object& about = object_of(n);
    if (std::holds_alternative<deleted<object>>(n)) return {told_.erase(about)};
    const bool told = told_.contains(about);
    const auto matches = ask(about);
    if (!matches) return {told, matches.error()};
    if (*matches == told) return {told};
    auto* u = std::get_if<updated<object>>(&n);
    if (*matches) {
        told_.insert(about);
        if (u) n = added<object>{std::move(u->after), false};
        return {true};
    }
    told_.erase(about);
    if (u) n = deleted<object>{std::move(u->before), false};
    return {u != nullptr};
}

} // namespace kubecoro::detail
