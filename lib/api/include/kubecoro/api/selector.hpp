#pragma once

#include <kubecoro/api/value_view.hpp>
#include <kubecoro/base/result.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/** A label selector: requirements joined by AND, with kube-apiserver's grammar and semantics.

    `=`, `==`, `!=`, `in (..)`, `notin (..)`, `key`, `!key`, `key>n`, `key<n`. `!=` and `notin` also match objects
    without the label. An empty selector matches everything. A regular value; matching allocates nothing. */
class label_selector
{
public:
    /// The comparison of one requirement.
    enum class op
    {
        equals,
        not_equals,
        in,
        not_in,
        exists,
        not_exists,
        greater,
        less
    };
    /// One condition on one label.
    struct requirement
    {
        /// The label.
        std::string key;
        /// The comparison.
        op operation = op::exists;
        /// Sorted and unique for in and not_in.
        std::vector<std::string> values = {};
        friend bool operator==(const requirement&, const requirement&) = default;
    };

    label_selector() = default;
    /// Selects what meets all requirements. Throws error with cond::invalid for a key, a number of values or a value that
    /// Kubernetes refuses there.
    explicit label_selector(std::vector<requirement> requirements);

    /// Errors: cond::invalid, with the position and the expected input.
    [[nodiscard]] static result<label_selector> parse(std::string_view text);

    /// @param labels  The object's `metadata.labels`; absent counts as no labels.
    [[nodiscard]] bool matches(value_view labels) const noexcept;
    /// Whether it selects everything.
    [[nodiscard]] bool empty() const noexcept { return requirements_.empty(); }
    /// Its requirements.
    [[nodiscard]] const std::vector<requirement>& requirements() const noexcept { return requirements_; }
    /// Canonical text that parses to an equal selector.
    [[nodiscard]] std::string to_string() const;

    friend bool operator==(const label_selector&, const label_selector&) = default;

private:
    std::vector<requirement> requirements_;
};

/** A field selector: `path=value`, `path==value`, `path!=value`, joined by commas (AND). The server decides which
    paths a resource supports. In values, a backslash escapes `,`, `=` and itself. */
class field_selector
{
public:
    /// One comparison of one field.
    struct requirement
    {
        /// The field, as dotted member names.
        std::string path;
        /// False for `!=`.
        bool equal = true;
        /// The value to compare with, unescaped.
        std::string value;
        friend bool operator==(const requirement&, const requirement&) = default;
    };

    field_selector() = default;
    /// Selects what meets all requirements; `field_selector({{"metadata.name", true, name}}).to_string()` is the text for
    /// one object. Throws error with cond::invalid for a path that is empty or has `=`, `!` or `,`.
    explicit field_selector(std::vector<requirement> requirements);

    /// Errors: cond::invalid, with the position and what was expected.
    [[nodiscard]] static result<field_selector> parse(std::string_view text);

    /// @param field  Returns the text at a path, empty when absent.
    [[nodiscard]] bool matches(const std::function<std::string(std::string_view path)>& field) const;
    /// Whether it selects everything.
    [[nodiscard]] bool empty() const noexcept { return requirements_.empty(); }
    /// Its requirements.
    [[nodiscard]] const std::vector<requirement>& requirements() const noexcept { return requirements_; }
    /// Canonical text that parses to an equal selector.
    [[nodiscard]] std::string to_string() const;

    friend bool operator==(const field_selector&, const field_selector&) = default;

private:
    std::vector<requirement> requirements_;
};

} // namespace kubecoro
