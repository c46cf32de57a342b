#pragma once
// Errors of a check, the places of values in an object, and the number of steps that a check may take.

#include <kubecoro/api/validation.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// Bytes of the paths in one list. Further ones are not listed: a long name may stand above many members.
inline constexpr std::size_t max_path_bytes = std::size_t{1} << 20;

struct value_path
{
    enum class step
    {
        root,
        property,
        /// A member that additionalProperties describes: the server prints it with a dot even at the root.
        extra,
        item
    };

    const value_path* parent = nullptr;
    step kind = step::root;
    std::string_view key = {};
    std::size_t index = 0;

    /// "spec.rules[0].host"
    [[nodiscard]] std::string text() const
    {
        if (kind == step::root) return std::string(key);
        std::string out = parent->text();
        if (kind == step::item) return add_in_brackets(std::move(out), std::to_string(index));
        if (kind == step::extra || !out.empty()) out += '.';
        out += key;
        return out;
    }

    /// The same with members of any name in brackets: "spec.labels[app]".
    [[nodiscard]] std::string field_text() const
    {
        if (kind == step::root) return std::string(key);
        std::string out = parent->field_text();
        if (kind == step::item) return add_in_brackets(std::move(out), std::to_string(index));
        if (kind == step::extra) return add_in_brackets(std::move(out), key);
        if (!out.empty()) out += '.';
        out += key;
        return out;
    }

    [[nodiscard]] value_path property(std::string_view name) const { return {this, step::property, name}; }
    [[nodiscard]] value_path extra(std::string_view name) const { return {this, step::extra, name}; }
    [[nodiscard]] value_path item(std::size_t i) const { return {this, step::item, {}, i}; }

private:
    /// In place: a long path may have many steps.
    static std::string add_in_brackets(std::string out, std::string_view what)
    {
        out += '[';
        out += what;
        out += ']';
        return out;
    }
};

inline constexpr std::string_view invalid_reason = "FieldValueInvalid";
inline constexpr std::string_view type_reason = "FieldValueTypeInvalid";
inline constexpr std::string_view required_reason = "FieldValueRequired";
inline constexpr std::string_view unsupported_reason = "FieldValueNotSupported";
inline constexpr std::string_view duplicate_reason = "FieldValueDuplicate";
inline constexpr std::string_view long_reason = "FieldValueTooLong";
inline constexpr std::string_view many_reason = "FieldValueTooMany";
inline constexpr std::string_view internal_reason = "InternalError";

/// Errors without repetitions, up to a limit.
class findings
{
public:
    static constexpr std::size_t max_errors = 100;
    static constexpr std::size_t max_bytes = 1u << 20;

    void add(std::string_view reason, std::string field, std::string bad_value = {}, std::string detail = {})
    {
        add({std::string(reason), std::move(field), std::move(bad_value), std::move(detail)});
    }
    void add(field_error e);
    void add(findings&& others);

    /// There were errors, though they may be more than are kept.
    [[nodiscard]] bool any() const noexcept { return any_; }
    [[nodiscard]] bool is_full() const noexcept { return errors_.size() >= max_errors || bytes_ >= max_bytes; }
    /// Size of the texts of the errors.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] const std::vector<field_error>& errors() const noexcept { return errors_; }
    [[nodiscard]] std::vector<field_error> take() && { return std::move(errors_); }

private:
    std::vector<field_error> errors_;
    std::unordered_set<std::string> seen_;
    std::size_t bytes_ = 0;
    bool any_ = false;
};

/** Steps that a check may take: a value that meets a schema is one, and so is each byte or member of it that the schema
    makes the check read; a pattern takes as many as it needs. */
class step_budget
{
public:
    static constexpr std::size_t max_steps = 50'000'000;
    /// Text that is copied or compared takes less time than text that is read byte by byte.
    static constexpr std::size_t copied_bytes_per_step = 8;

    [[nodiscard]] bool spend(std::size_t steps) noexcept
    {
        const bool enough = steps <= left_;
        left_ = enough ? left_ - steps : 0;
        return enough;
    }
    [[nodiscard]] bool spend_copying(std::size_t bytes) noexcept { return spend(bytes / copied_bytes_per_step); }
    [[nodiscard]] bool is_spent() const noexcept { return left_ == 0; }

private:
    std::size_t left_ = max_steps;
};

} // namespace kubecoro::detail
