// The rules of a schema in the form of the schema.
#pragma once

#include <kubecoro/api/validation.hpp>

#include "eval/compiled_program.hpp"
#include "schema/schema_node.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::cel::detail {

using program_ref = std::shared_ptr<const compiled_program>;

struct compiled_rule
{
    /// The rule, or its message if it has one, without blanks around it.
    std::string name;
    std::string message;
    std::string message_expression;
    /// As in a cause of a Status; empty for the usual one.
    std::string reason;
    std::string field_path;
    program_ref program;
    program_ref message_program;
    /// Why it does not compile.
    std::string problem;
    bool uses_old = false;
    bool has_optional_old = false;
};

struct rule_node
{
    const schema_node* schema = nullptr;
    /// As the schema has it.
    std::string type;
    bool is_correlatable_map = true;
    /// Why its rules cannot be compiled.
    std::string problem;
    std::vector<compiled_rule> rules;
    std::map<std::string, std::unique_ptr<rule_node>, std::less<>> properties;
    std::unique_ptr<rule_node> members;
    std::unique_ptr<rule_node> items;
    std::vector<std::unique_ptr<rule_node>> all_of;
};

/// The estimated cost of a rule or message in all values that an object may have.
struct rule_cost
{
    std::string path;
    std::uint64_t units;
};

/// A value that a server puts where a part is absent.
struct part_default
{
    std::string path;
    const rule_node* rules;
    boost::json::value value;
};

struct compiled_rules
{
    std::vector<std::unique_ptr<schema_node>> schemas;
    /// Null if there are no rules.
    std::unique_ptr<rule_node> root;
    /// With paths that begin at the schema, also behind `uncorrelatable_within`.
    std::vector<field_error> problems;
    std::vector<rule_cost> costs;
    /// Those of `fieldPath`, which a server finds before it compiles.
    std::vector<field_error> path_problems;
    /// The defaults of parts that have rules.
    std::vector<part_default> defaults;
};

inline constexpr std::string_view uncorrelatable_within =
    "oldSelf cannot be used on the uncorrelatable portion of the schema within ";

/// The reason of a refusal because of an estimated cost, and of no other one.
inline constexpr const char* costs_too_much = "FieldValueForbidden";
/// The end of a refusal because of an estimated cost.
[[nodiscard]] std::string too_expensive(std::uint64_t units, std::uint64_t most);

/// Compiles all rules of a schema.
[[nodiscard]] std::shared_ptr<const compiled_rules> compile_rules(const boost::json::value& schema, bool is_resource);

/// The path that a rule names, relative to its field, in the form of the server: `.a.b`, `['a']`. Empty if there is no such field.
[[nodiscard]] std::string normalized_path(std::string_view path, const boost::json::value& schema);

} // namespace kubecoro::cel::detail
