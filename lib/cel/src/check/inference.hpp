// Finds the types of variables in types: which types fit each other, and with which substitutions.
#pragma once

#include "types/signatures.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kubecoro::cel::detail {

/** The substitutions of variables, as cel-go's checker has them. A failed attempt leaves no trace. */
class inference
{
public:
    /// A variable of its own.
    [[nodiscard]] type_ref fresh();
    /// A signature with fresh variables for its parameters.
    [[nodiscard]] signature instantiate(const signature& of);

    /// Whether a value of the second type may stand for one of the first, with the substitutions that this needs.
    [[nodiscard]] bool fits(const type_ref& a, const type_ref& b);
    /// The same for all of two lists.
    [[nodiscard]] bool fits_all(std::span<const type_ref> a, std::span<const type_ref> b);
    /// The type with its variables replaced. `open_is_dyn`: variables without a substitution are `dyn`.
    [[nodiscard]] type_ref resolved(const type_ref& of, bool open_is_dyn) const;

private:
    [[nodiscard]] bool fits_here(const type_ref& a, const type_ref& b);
    [[nodiscard]] bool fits_here_all(std::span<const type_ref> a, std::span<const type_ref> b);
    /// Whether it becomes a substitution of a variable, and whether the variable has one.
    [[nodiscard]] std::pair<bool, bool> substitute(const type_ref& with, const type_ref& variable);
    [[nodiscard]] bool is_inside(const type_ref& variable, const type_ref& within) const;
    [[nodiscard]] const type_ref* found(const type& variable) const;
    void set(const type& variable, type_ref to);
    void undo(std::size_t from);

    std::vector<type_ref> substitutions_;
    std::vector<std::pair<std::size_t, type_ref>> former_;
};

/// The same type in all its parts.
[[nodiscard]] bool is_exact(const type& a, const type& b);
/// The one of two types that fit each other which says less.
[[nodiscard]] type_ref most_general(const type_ref& a, const type_ref& b);

[[nodiscard]] inline bool is_dyn_or_error(const type& of) noexcept
{
    return of.kind == type_kind::dyn || of.kind == type_kind::error;
}

} // namespace kubecoro::cel::detail
