// A structural schema, compiled for checks.
#pragma once

#include "validation/findings.hpp"

#include <kubecoro/api/detail/formats.hpp>
#include <kubecoro/api/detail/pattern.hpp>
#include <kubecoro/api/validation.hpp>
#include <kubecoro/base/hash.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/// The values of an `enum`, by type as Go compares them.
struct allowed_values
{
    std::unordered_set<std::string, text_hash, std::equal_to<>> texts;
    std::set<std::int64_t> integers;
    std::set<double> numbers;
    std::set<bool> booleans;
    /// Lists and objects as JSON.
    std::unordered_set<std::string> composites;
    /// "supported values: ..."
    std::string detail;

    /// Spends steps for the text of a value, if there are allowed ones of its type. False when the budget is spent.
    [[nodiscard]] bool contains(const boost::json::value& v, step_budget& budget) const;
};

struct schema_limits
{
    std::optional<double> minimum = {};
    std::optional<double> maximum = {};
    std::optional<double> multiple_of = {};
    bool exclusive_minimum = false;
    bool exclusive_maximum = false;
    std::optional<std::int64_t> min_length = {};
    std::optional<std::int64_t> max_length = {};
    std::optional<std::int64_t> min_items = {};
    std::optional<std::int64_t> max_items = {};
    std::optional<std::int64_t> min_properties = {};
    std::optional<std::int64_t> max_properties = {};
};

enum class list_kind
{
    atomic,
    set,
    map
};

/// A schema. Those inside belong to compiled_schema.
struct schema_node
{
    /// "string"; "integer,string" with x-kubernetes-int-or-string; empty for any.
    std::string type;
    bool nullable = false;
    /// As it was written; empty for formats that the server ignores with this type.
    std::string format;
    format_check has_format = nullptr;
    schema_limits limits;
    bool unique_items = false;
    std::shared_ptr<const pattern> matching;
    std::unique_ptr<const allowed_values> allowed;
    std::vector<std::string> required;

    /// Sorted by name.
    std::vector<std::pair<std::string, const schema_node*>> properties;
    const schema_node* items = nullptr;
    const schema_node* additional = nullptr;
    /// additionalProperties is there, be it a schema or not.
    bool has_additional = false;
    bool forbids_additional = false;

    std::vector<const schema_node*> all_of;
    std::vector<const schema_node*> any_of;
    std::vector<const schema_node*> one_of;
    const schema_node* excluded = nullptr;

    bool preserves_unknown = false;
    bool is_embedded_resource = false;
    list_kind list = list_kind::atomic;
    std::vector<std::string> list_keys;
    /// Null if there is none.
    boost::json::value standard;

    [[nodiscard]] bool allows_type(std::string_view name) const noexcept;
    /// The position of a property, or npos.
    [[nodiscard]] std::size_t find(std::string_view name) const noexcept;
    /// The schema of a member; null if there is none.
    [[nodiscard]] const schema_node* member(std::string_view name) const noexcept;
    static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

/// A whole schema. Immutable once it is compiled.
struct compiled_schema
{
    resource_type resource;
    std::deque<schema_node> nodes;
    const schema_node* root = nullptr;
    std::vector<object_schema::rule> rules;
    /// The schema as it was written.
    boost::json::value text;
    /// Writes of objects do not change their status.
    bool has_status_subresource = false;
};

/// Compiles a schema. Errors: cond::invalid with the path in it.
[[nodiscard]] result<std::shared_ptr<compiled_schema>> compile_schema(const boost::json::value& schema,
                                                                      resource_type resource);

/// "object", "integer", "number" for a number with a fraction or an exponent, ...
[[nodiscard]] std::string_view schema_type_of(const boost::json::value& v) noexcept;

/// Whole numbers that Go keeps as integers.
[[nodiscard]] inline bool is_go_integer(const boost::json::value& v) noexcept { return v.is_int64(); }

} // namespace kubecoro::detail
