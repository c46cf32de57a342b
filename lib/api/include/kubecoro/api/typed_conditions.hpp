#pragma once
// Conditions in the status of a struct, and of a typed object.

#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/timestamp.hpp>
#include <kubecoro/api/typed_object.hpp>
#include <kubecoro/base/clock.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace kubecoro {

namespace detail {

template<class M>
inline constexpr bool is_optional_member = false;
template<class V>
inline constexpr bool is_optional_member<std::optional<V>> = true;

/// The value of a member that may be optional; made if it is absent.
template<class M>
[[nodiscard]] auto& present(M& member)
{
    if constexpr (is_optional_member<M>) {
        if (!member) member.emplace();
        return *member;
    } else {
        return member;
    }
}
/// The same, but null if it is absent.
template<class M>
[[nodiscard]] auto* if_present(M& member)
{
    if constexpr (is_optional_member<std::remove_const_t<M>>)
        return member ? &*member : nullptr;
    else
        return &member;
}
/// The conditions of a kind's struct.
template<class T>
[[nodiscard]] auto& conditions_of(T& o)
{
    return present(present(o.status).conditions);
}
/// Null if there are none.
template<class T>
[[nodiscard]] auto* find_conditions(T& o)
{
    auto* const status = if_present(o.status);
    return status ? if_present(status->conditions) : nullptr;
}
template<class T>
concept has_conditions = requires(T& o) { o.status.conditions; } || requires(T& o) { o.status->conditions; };
/// True if the kind's view reads conditions.
template<class T>
concept views_conditions = requires(const view<T>& o) { o.status().conditions(); };

/// Assigns if that changes the member. Returns whether it does.
template<class M, class V>
bool assign_member(M& member, const V& value)
{
    if (member == value) return false;
    member = value;
    return true;
}
/// The same for a text; an absent one is the same as an empty one.
template<class M>
bool assign_text(M& member, const std::string& text)
{
    if constexpr (is_optional_member<M>)
        if (!member && text.empty()) return false;
    return assign_member(member, text);
}
/// Members for times are timestamps, or texts in structs of one's own.
template<class M>
void assign_time(M& member, wall_time now)
{
    const timestamp at(now);
    if constexpr (std::is_assignable_v<M&, timestamp>)
        member = at;
    else
        member = at.canonical();
}
template<class M>
[[nodiscard]] bool is_missing(const M& member)
{
    return member == M();
}
template<class T>
[[nodiscard]] std::optional<std::int64_t> generation_of(const T& o)
{
    if constexpr (requires { o.metadata.generation; })
        return o.metadata.generation;
    else
        return std::nullopt;
}

} // namespace detail

/** As set_condition() of JSON, for the struct of a kind with conditions in its status:

        set_condition(site, {.type = "Ready", .status = "True", .reason = "AllAvailable"}, now);

    A new condition has a reason and a message, even if they are empty: a definition that requires them accepts it. A member that is
    no std::optional is then written if the struct's field_rules() require it.

    If the kind's conditions have an observed generation and `c` has none, it is the struct's metadata.generation. Kinds
    whose conditions have no such field get none, also if `c` has one. */
template<class T>
    requires detail::has_conditions<T>
bool set_condition(T& o, const status_condition& c, wall_time now)
{
    auto& all = detail::conditions_of(o);
    auto at = std::find_if(all.begin(), all.end(), [&c](const auto& one) { return one.type == c.type; });
    if (at == all.end()) {
        at = all.emplace(all.end());
        at->type = c.type;
        // Definitions require them, also empty ones.
        static_cast<void>(detail::present(at->reason));
        static_cast<void>(detail::present(at->message));
    }
    bool changed = detail::assign_member(at->status, c.status);
    if (changed || detail::is_missing(at->lastTransitionTime)) {
        detail::assign_time(at->lastTransitionTime, now);
        changed = true;
    }
    changed |= detail::assign_text(at->reason, c.reason);
    changed |= detail::assign_text(at->message, c.message);
    if constexpr (requires { at->observedGeneration; }) {
        const auto generation = c.observed_generation ? c.observed_generation : detail::generation_of(o);
        if (generation) changed |= detail::assign_member(at->observedGeneration, *generation);
    }
    return changed;
}

/// The condition of a type; null if there is none. Valid until the conditions change.
template<class T>
    requires detail::has_conditions<T>
[[nodiscard]] auto* find_condition(T& o KUBECORO_LIFETIME_BOUND, std::string_view type)
{
    auto* const all = detail::find_conditions(o);
    using condition = std::remove_reference_t<decltype(*all->begin())>;
    if (all == nullptr) return static_cast<condition*>(nullptr);
    const auto at = std::find_if(all->begin(), all->end(), [type](const auto& one) { return one.type == type; });
    return at == all->end() ? nullptr : &*at;
}
template<class T>
    requires detail::has_conditions<T>
void find_condition(const T&& o, std::string_view type) = delete;

/** The condition of a type, read in place: `find_condition(site, "Ready").status()`. Missing if there is none: its texts are
    empty then. Valid while the object is alive. */
template<class T>
    requires detail::views_conditions<T>
[[nodiscard]] auto find_condition(const typed_object<T>& o KUBECORO_LIFETIME_BOUND, std::string_view type)
{
    for (const auto& one : o->status().conditions())
        if (one.type() == type) return one;
    return std::remove_cvref_t<decltype(*o->status().conditions().begin())>();
}
template<class T>
    requires detail::views_conditions<T>
void find_condition(const typed_object<T>&& o, std::string_view type) = delete;

/// Removes the condition of a type. Returns whether there was one; the struct stays as it is if there was none.
template<class T>
    requires detail::has_conditions<T>
bool remove_condition(T& o, std::string_view type)
{
    auto* const all = detail::find_conditions(o);
    return all && std::erase_if(*all, [type](const auto& one) { return one.type == type; }) != 0;
}

} // namespace kubecoro
