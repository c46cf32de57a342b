#pragma once
// Checks values against the validations of a schema, step by step as kube-openapi does. Values that others replace and that
// have not changed are forgiven.

#include "validation/findings.hpp"
#include "validation/schema_node.hpp"
#include "validation/settle.hpp"

#include <boost/json/value.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The value that another one replaces, where it is known which that is.
struct replaced_value
{
    const boost::json::value* value = nullptr;
    /// The schema of the place, which says how the items of lists correspond.
    const schema_node* schema = nullptr;
};

/// The member of a replaced object that a member of the new one replaces.
[[nodiscard]] replaced_value member_of(replaced_value before, std::string_view name, bool at_root);

/// Whether the values are equal. False when the budget is spent.
[[nodiscard]] bool is_same(const boost::json::value& a, const boost::json::value& b, step_budget& budget);

/// The items of a replaced list that is a map, by their keys. Empty when the budget is spent.
class keyed_items
{
public:
    keyed_items(replaced_value list, step_budget& budget);

    /// The item with the keys of this one.
    [[nodiscard]] replaced_value find(const boost::json::value& item);

private:
    /// None if the item has no keys, or the budget is spent.
    [[nodiscard]] std::optional<std::string> key_of(const boost::json::value& item);

    const schema_node* schema_ = nullptr;
    step_budget& budget_;
    std::map<std::string, const boost::json::value*> items_;
};

/// The items of a replaced list, to find those that have no key, such as those of a set. Ordered, not hashed: others
/// choose them.
class present_items
{
public:
    present_items(replaced_value list, step_budget& budget);

    [[nodiscard]] bool contains(const boost::json::value& item) const;

private:
    std::vector<std::string> texts_;
};

class value_check
{
public:
    /// @param prefix  Put before the fields of errors. The words of the server do without it.
    explicit value_check(step_budget& budget, std::string prefix = {}) : budget_(budget), prefix_(std::move(prefix)) {}

    /// Checks a whole object, or one default.
    void check(const schema_node& node, const boost::json::value& v, replaced_value before, findings& out);

    /// Finds the errors that an object has whatever else is in it: those of values that a merge does not complete.
    /// @param before  The object that it is merged into, as far as it is known: values that stay as they are are forgiven.
    void check_part(const schema_node& node, const boost::json::value& v, object_part part, replaced_value before,
                    findings& out);

private:
    /// How much of a schema a value satisfied. The server reports the alternative with the most.
    using score = std::size_t;

    score check_value(const schema_node& node, const boost::json::value& v, const value_path& at, replaced_value before,
                      findings& out);
    score check_against(const schema_node& node, const boost::json::value& v, const value_path& at,
                        replaced_value before, findings& out);
    void check_open(const schema_node& node, const boost::json::value& v, const value_path& at, replaced_value before,
                    findings& out);
    /// Whether a merge completes the value.
    [[nodiscard]] bool stays_open(const schema_node& node, const boost::json::value& v) const noexcept;
    score check_type(const schema_node& node, const boost::json::value& v, const value_path& at, findings& out) const;
    score check_alternatives(const schema_node& node, const boost::json::value& v, const value_path& at,
                             replaced_value before, findings& out);
    score check_any(const schema_node& node, const boost::json::value& v, const value_path& at, replaced_value before,
                    findings& out);
    score check_one(const schema_node& node, const boost::json::value& v, const value_path& at, replaced_value before,
                    findings& out);
    void check_text(const schema_node& node, std::string_view text, const value_path& at, findings& out);
    void check_allowed(const schema_node& node, const boost::json::value& v, const value_path& at, findings& out);
    [[nodiscard]] bool has_duplicates(const boost::json::array& items) const;
    score check_list(const schema_node& node, const boost::json::array& items, const value_path& at,
                     replaced_value before, findings& out);
    score check_object(const schema_node& node, const boost::json::object& object, const value_path& at,
                       replaced_value before, findings& out);
    score check_others(const schema_node& node, const boost::json::object& object, const value_path& at,
                       replaced_value before, findings& out);

    /// The field of an error at a path.
    [[nodiscard]] std::string field(std::string_view path) const;
    void invalid(const value_path& at, std::string bad_value, std::string_view what, findings& out) const;
    void wrong_type(const value_path& at, std::string_view wanted, std::string_view have, findings& out) const;
    void too_many(const value_path& at, std::int64_t size, std::int64_t limit, findings& out) const;
    /// An error that the server reports without a field.
    void whole(std::string detail, findings& out) const;
    /// Adds an error, and spends the steps that its text takes.
    void report(std::string_view reason, std::string field, std::string bad_value, std::string detail,
                findings& out) const;
    /// Adds the errors of a part to those of the whole, in the same way.
    void pass_on(findings&& from, findings& to) const;

    step_budget& budget_;
    std::string prefix_;
    object_part part_ = object_part::merge_patch;
    /// For all values that no merge completes.
    default_allowance defaults_;
    /// Inside an alternative all is looked at, since what is right counts too.
    std::size_t alternatives_ = 0;
};

/// Checks a number. Errors are reported by `invalid` (bad value, words behind "in body") and `whole` (words).
class number_check
{
public:
    number_check(const schema_node& node, const boost::json::value& v, const value_path& at)
        : node_(node), v_(v), at_(at)
    {
    }

    struct problem
    {
        /// Reported at the number; otherwise at the whole object.
        bool at_number = true;
        std::string bad_value = {};
        /// Complete.
        std::string detail = {};
    };
    [[nodiscard]] std::vector<problem> run();

private:
    [[nodiscard]] bool is_in_range(double number, bool integer, std::string_view what);
    void check_multiple(double factor);
    void check_bound(double limit, bool exclusive, bool upper);
    void add(std::string bad_value, std::string_view words);

    const schema_node& node_;
    const boost::json::value& v_;
    const value_path& at_;
    std::vector<problem> out_;
};

/// Whether Go takes the number for a whole one.
[[nodiscard]] bool is_whole(double number) noexcept;

} // namespace kubecoro::detail
