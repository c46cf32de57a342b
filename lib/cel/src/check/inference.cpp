#include "check/inference.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace kubecoro::cel::detail {

namespace {

/// Kubernetes declares addresses and networks as opaque types, and its other types as messages.
bool may_be_null(const type& of) noexcept
{
    return of.kind == type_kind::opaque || of.kind == type_kind::object || of.kind == type_kind::optional ||
           of.kind == type_kind::timestamp || of.kind == type_kind::duration || of.kind == type_kind::null;
}

bool says_less(const type& a, const type& b)
{
    if (a.kind == type_kind::dyn || a.kind == type_kind::parameter) return true;
    if (b.kind == type_kind::dyn || b.kind == type_kind::parameter) return false;
    if (a.kind != b.kind || a.parameters.size() != b.parameters.size()) return false;
    if (a.kind == type_kind::type) return true;
    if (a.parameters.empty()) return is_exact(a, b);
    for (std::size_t i = 0; i < a.parameters.size(); ++i)
        if (!says_less(*a.parameters[i], *b.parameters[i])) return false;
    return true;
}

type_ref replaced(const type_ref& of, std::map<std::string, type_ref, std::less<>>& with, inference& in)
{
    if (of->kind == type_kind::parameter) {
        auto& found = with[of->name];
        if (found == nullptr) found = in.fresh();
        return found;
    }
    if (of->parameters.empty()) return of;
    auto out = std::make_shared<type>(*of);
    for (auto& each : out->parameters) each = replaced(each, with, in);
    return out;
}

} // namespace

bool is_exact(const type& a, const type& b)
{
    if (a.kind != b.kind || a.name != b.name || a.schema != b.schema || a.variable != b.variable) return false;
    return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
                      [](const type_ref& x, const type_ref& y) { return is_exact(*x, *y); });
}

type_ref most_general(const type_ref& a, const type_ref& b) { return says_less(*a, *b) ? a : b; }

type_ref inference::fresh()
{
    substitutions_.push_back(nullptr);
    auto out = std::make_shared<type>();
    out->kind = type_kind::parameter;
    out->variable = substitutions_.size();
    return out;
}

signature inference::instantiate(const signature& of)
{
    std::map<std::string, type_ref, std::less<>> with;
    signature out{of.is_member, {}, nullptr};
    for (const auto& each : of.parameters) out.parameters.push_back(replaced(each, with, *this));
    out.result = replaced(of.result, with, *this);
    return out;
}

const type_ref* inference::found(const type& variable) const
{
    const auto& held = substitutions_[variable.variable - 1];
    return held != nullptr ? &held : nullptr;
}

void inference::set(const type& variable, type_ref to)
{
    auto& held = substitutions_[variable.variable - 1];
    former_.emplace_back(variable.variable - 1, held);
    held = std::move(to);
}

void inference::undo(std::size_t from)
{
    for (; former_.size() > from; former_.pop_back()) substitutions_[former_.back().first] = former_.back().second;
}

bool inference::fits(const type_ref& a, const type_ref& b)
{
    former_.clear();
    if (fits_here(a, b)) return true;
    undo(0);
    return false;
}

bool inference::fits_all(std::span<const type_ref> a, std::span<const type_ref> b)
{
    former_.clear();
    if (fits_here_all(a, b)) return true;
    undo(0);
    return false;
}

bool inference::fits_here_all(std::span<const type_ref> a, std::span<const type_ref> b)
{
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!fits_here(a[i], b[i])) return false;
    return true;
}

bool inference::fits_here(const type_ref& a, const type_ref& b)
{
    if (b->kind == type_kind::parameter) {
        const auto [valid, has_one] = substitute(a, b);
        if (valid) return true;
        if (has_one) return false;
    }
    if (a->kind == type_kind::parameter) return substitute(b, a).first;
    if (is_dyn_or_error(*a) || is_dyn_or_error(*b)) return true;
    if (a->kind == type_kind::null) return may_be_null(*b);
    if (b->kind == type_kind::null) return may_be_null(*a);
    if (a->kind != b->kind) return false;
    if (a->kind == type_kind::type) return true;
    if (a->name != b->name || a->schema != b->schema) return false;
    return fits_here_all(a->parameters, b->parameters);
}

std::pair<bool, bool> inference::substitute(const type_ref& with, const type_ref& variable)
{
    if (is_exact(*with, *variable)) return {true, true};
    if (const auto* held = found(*variable)) {
        const type_ref present = *held;
        if (is_exact(*with, *present)) return {true, true};
        if (!fits_here(with, present)) return {false, true};
        auto general = most_general(with, present);
        if (!is_inside(variable, general)) set(*variable, std::move(general));
        return {true, true};
    }
    if (is_inside(variable, with)) return {false, false};
    set(*variable, with);
    return {true, false};
}

bool inference::is_inside(const type_ref& variable, const type_ref& within) const
{
    if (is_exact(*variable, *within)) return true;
    if (within->kind == type_kind::parameter) {
        const auto* held = found(*within);
        return held != nullptr && is_inside(variable, *held);
    }
    return std::any_of(within->parameters.begin(), within->parameters.end(),
                       [&](const type_ref& each) { return is_inside(variable, each); });
}

type_ref inference::resolved(const type_ref& of, bool open_is_dyn) const
{
    if (of->kind == type_kind::parameter) {
        if (const auto* held = found(*of)) return resolved(*held, open_is_dyn);
        return open_is_dyn ? make_type_ref(type_kind::dyn) : of;
    }
    if (of->parameters.empty()) return of;
    auto out = std::make_shared<type>(*of);
    for (auto& each : out->parameters) each = resolved(each, open_is_dyn);
    return out;
}

} // namespace kubecoro::cel::detail
