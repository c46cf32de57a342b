#include "rules/rule_node.hpp"

#include <kubecoro/api/detail/go_format.hpp>

#include "check/checker.hpp"
#include "check/sizes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

namespace kubecoro::cel::detail {

namespace {

const boost::json::value* member_in(const boost::json::value& of, std::string_view name)
{
    const auto* object = of.if_object();
    return object != nullptr ? object->if_contains(name) : nullptr;
}

std::string text_in(const boost::json::value& of, std::string_view name)
{
    const auto* found = member_in(of, name);
    const auto* text = found != nullptr ? found->if_string() : nullptr;
    return text != nullptr ? std::string(*text) : std::string{};
}

bool is_true(const boost::json::value& of, std::string_view name)
{
    const auto* found = member_in(of, name);
    return found != nullptr && found->is_bool() && found->get_bool();
}

std::string trimmed(const std::string& text)
{
    static constexpr std::string_view blanks = " \t\n\v\f\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The rule as a refusal shows it: the Go struct of the server, in JSON.
std::string shown(const boost::json::value& rule)
{
    const auto text = [&rule](std::string_view name) {
        return kubecoro::detail::go_json(boost::json::value(std::string_view(text_in(rule, name))));
    };
    const auto* reason = member_in(rule, "reason");
    const auto* optional = member_in(rule, "optionalOldSelf");
    return R"({"Rule":)" + text("rule") + R"(,"Message":)" + text("message") + R"(,"MessageExpression":)" +
           text("messageExpression") + R"(,"Reason":)" +
           (reason != nullptr ? kubecoro::detail::go_json(*reason) : "null") + R"(,"FieldPath":)" + text("fieldPath") +
           R"(,"OptionalOldSelf":)" + (optional != nullptr ? kubecoro::detail::go_json(*optional) : "null") + "}";
}

/// Why a rule cannot have this `fieldPath`. @param resolved  The path in the form of the server; empty if there is no such field.
std::vector<std::string_view> path_problems(const std::string& path, const std::string& resolved)
{
    std::vector<std::string_view> out;
    if (path.empty()) return out;
    if (trimmed(path).empty()) out.emplace_back("must be non-empty if specified");
    if (path.find_first_of("\n\r") != std::string::npos) out.emplace_back("must not contain line breaks");
    if (resolved.empty()) out.emplace_back("must be a valid path");
    return out;
}

/// Messages of the last stage of compilation name it themselves.
std::string with_stage(std::string_view stage, const std::string& words)
{
    return words.starts_with("program instantiation failed: ") ? words : std::string(stage) + words;
}

/// The text of problems that is kept: each of them repeats its expression.
constexpr std::size_t most_problem_bytes = std::size_t{1} << 20;

/// A part of a schema, with what its rules may use.
struct schema_part
{
    const boost::json::value& rules;
    const boost::json::value& schema;
    const schema_node* node;
    std::string path;
    /// The part below which old and new values cannot be matched; empty if there is none.
    std::string uncorrelatable;
    /// How many values an object may have here; nothing if the schema does not limit them.
    std::optional<std::uint64_t> most_values;
};

/// The units of cost that a rule may need in the estimate of a server.
constexpr std::uint64_t most_rule_cost = 10'000'000;

/// How many values may be in a value of this part; nothing if the schema does not limit them.
std::optional<std::uint64_t> values_below(const schema_part& part)
{
    const auto type = text_in(part.schema, "type");
    const auto* of_map = member_in(part.schema, "additionalProperties");
    const bool is_map = type == "object" && of_map != nullptr && !of_map->is_null();
    if (!is_map && type != "array") return part.most_values;
    const auto* most = member_in(part.schema, is_map ? "maxProperties" : "maxItems");
    if (most == nullptr || !most->is_number() || !part.most_values) return std::nullopt;
    return product_of(*part.most_values, static_cast<std::uint64_t>(std::max(most->to_number<double>(), 0.0)));
}

class rule_compiler
{
public:
    explicit rule_compiler(compiled_rules& out) : out_(out) {}

    std::unique_ptr<rule_node> compile(const schema_part& part)
    {
        auto made = std::make_unique<rule_node>();
        made->schema = part.node;
        made->type = text_in(part.schema, "type");
        made->is_correlatable_map = text_in(part.schema, "x-kubernetes-map-type").empty() ||
                                    text_in(part.schema, "x-kubernetes-map-type") == "granular" ||
                                    text_in(part.schema, "x-kubernetes-map-type") == "atomic";
        const auto wrong_paths = out_.path_problems.size();
        const auto defaults = out_.defaults.size();
        ++without_defaults_;
        made->members = nested(part, "additionalProperties", part.path + ".additionalProperties", part.uncorrelatable);
        const auto counted = std::exchange(counts_, false);
        all_of(part, *made);
        counts_ = counted;
        --without_defaults_;
        properties(part, *made);
        made->items = nested(part, "items", part.path + ".items", items_barrier(part));
        const auto before = out_.problems.size();
        const auto costs = out_.costs.size();
        own_rules(part, *made);
        // A server compiles no rules where the schema at this place or below is wrong.
        if (out_.path_problems.size() != wrong_paths) {
            out_.problems.resize(before);
            out_.costs.resize(costs);
        }
        const bool is_empty = made->rules.empty() && made->problem.empty() && made->properties.empty() &&
                              made->members == nullptr && made->items == nullptr && made->all_of.empty();
        if (is_empty) return nullptr;
        const auto* value = member_in(part.schema, "default");
        if (value != nullptr && !value->is_null() && without_defaults_ == 0)
            out_.defaults.insert(out_.defaults.begin() + static_cast<std::ptrdiff_t>(defaults),
                                 {part.path + ".default", made.get(), *value});
        return made;
    }

private:
    static std::string items_barrier(const schema_part& part)
    {
        if (!part.uncorrelatable.empty()) return part.uncorrelatable;
        return part.node->order == list_order::map ? std::string{} : part.path;
    }

    void problem(std::string path, std::string value, std::string words, const char* reason = "FieldValueInvalid")
    {
        bytes_ += path.size() + value.size() + words.size();
        if (bytes_ > most_problem_bytes) return;
        out_.problems.push_back({reason, std::move(path), std::move(value), std::move(words)});
    }

    /// Notes what a rule or message costs, and whether that is too much for one.
    void cost(std::string path, std::uint64_t units, std::string_view what)
    {
        if (!counts_) return;
        if (units > most_rule_cost)
            problem(path, {}, "estimated " + std::string(what) + too_expensive(units, most_rule_cost), costs_too_much);
        out_.costs.push_back({std::move(path), units});
    }

    void own_rules(const schema_part& part, rule_node& into)
    {
        const auto* list = member_in(part.rules, "x-kubernetes-validations");
        if (list == nullptr || !list->is_array() || list->get_array().empty()) return;
        if (!part.node->visible()) {
            into.problem = "rule compiler initialization error: failed to convert to declType for CEL validation rules";
            return;
        }
        std::size_t index = 0;
        for (const auto& rule : list->get_array()) {
            const auto path = part.path + ".x-kubernetes-validations[" + std::to_string(index++) + "]";
            into.rules.push_back(rule_of(part, rule, path));
        }
    }

    compiled_rule rule_of(const schema_part& part, const boost::json::value& rule, const std::string& path)
    {
        const auto text = text_in(rule, "rule");
        compiled_rule made;
        made.message = trimmed(text_in(rule, "message"));
        made.message_expression = text_in(rule, "messageExpression");
        made.reason = text_in(rule, "reason");
        made.has_optional_old = is_true(rule, "optionalOldSelf");
        made.name = made.message.empty() ? trimmed(text) : made.message;
        const auto field = text_in(rule, "fieldPath");
        made.field_path = normalized_path(field, part.schema);
        for (const auto why : path_problems(field, made.field_path))
            out_.path_problems.push_back(
                {"FieldValueInvalid", path + ".fieldPath", kubecoro::detail::go_quoted(field), std::string(why)});
        if (trimmed(text).empty()) return made;
        const auto self = type_of_schema(*part.node);
        const declared_types variables{{"self", self}, {"oldSelf", made.has_optional_old ? optional_type(self) : self}};
        auto compiled = compile_program(text, &variables, part.node);
        if (!compiled)
            made.problem = with_stage("compilation failed: ", compiled.error().message());
        else if ((*compiled)->type != "bool")
            made.problem = "cel expression must evaluate to a bool";
        if (made.problem.empty()) {
            made.program = *std::move(compiled);
            const auto all =
                part.most_values.value_or(static_cast<std::uint64_t>(largest_request / (part.node->smallest_size + 1)));
            cost(path + ".rule", product_of(made.program->most_cost, all), "rule cost");
            made.uses_old = mentions_variable(made.program->expression, "oldSelf");
            if (!made.message_expression.empty()) message(part, variables, made, rule, path);
        } else {
            problem(path + ".rule", shown(rule), made.problem);
        }
        old_value(part, made, rule, path);
        return made;
    }

    /// Whether the rule may use the old value, or say how it does.
    void old_value(const schema_part& part, const compiled_rule& made, const boost::json::value& rule,
                   const std::string& path)
    {
        const auto* optional = member_in(rule, "optionalOldSelf");
        if (made.uses_old && !part.uncorrelatable.empty())
            problem(path + ".rule", kubecoro::detail::go_quoted(text_in(rule, "rule")),
                    std::string(uncorrelatable_within) + part.uncorrelatable);
        else if (!made.uses_old && optional != nullptr && optional->is_bool())
            problem(path + ".optionalOldSelf", kubecoro::detail::go_json(*optional),
                    "may not be set if oldSelf is not used in rule");
    }

    void message(const schema_part& part, const declared_types& variables, compiled_rule& made,
                 const boost::json::value& rule, const std::string& path)
    {
        auto compiled = compile_program(made.message_expression, &variables, part.node);
        if (!compiled)
            problem(path + ".messageExpression", shown(rule),
                    with_stage("messageExpression compilation failed: ", compiled.error().message()));
        else if ((*compiled)->type != "string")
            problem(path + ".messageExpression", shown(rule), "messageExpression must evaluate to a string");
        else
            cost(path + ".messageExpression", (made.message_program = *std::move(compiled))->most_cost,
                 "messageExpression cost");
    }

    void properties(const schema_part& part, rule_node& into)
    {
        const auto* with_rules = member_in(part.rules, "properties");
        const auto* with_types = member_in(part.schema, "properties");
        if (with_rules == nullptr || with_types == nullptr || !with_rules->is_object()) return;
        for (const auto& [name, rules] : with_rules->get_object()) {
            const auto* schema = member_in(*with_types, name);
            const auto* node = part.node->member(name);
            if (schema == nullptr || node == nullptr || !node->visible()) continue;
            auto made = compile({rules, *schema, node, part.path + ".properties[" + std::string(name) + "]",
                                 into.is_correlatable_map ? part.uncorrelatable : part.path, values_below(part)});
            if (made != nullptr) into.properties.emplace(name, std::move(made));
        }
    }

    std::unique_ptr<rule_node> nested(const schema_part& part, std::string_view name, std::string path,
                                      std::string barrier)
    {
        const auto* rules = member_in(part.rules, name);
        const auto* schema = member_in(part.schema, name);
        if (rules == nullptr || schema == nullptr || !rules->is_object() || !schema->is_object()) return nullptr;
        if (part.node->items == nullptr) return nullptr;
        return compile(
            {*rules, *schema, part.node->items.get(), std::move(path), std::move(barrier), values_below(part)});
    }

    void all_of(const schema_part& part, rule_node& into)
    {
        const auto* list = member_in(part.rules, "allOf");
        if (list == nullptr || !list->is_array()) return;
        std::size_t index = 0;
        for (const auto& each : list->get_array()) {
            auto made = compile({each, part.schema, part.node, part.path + ".allOf[" + std::to_string(index++) + "]",
                                 part.uncorrelatable, part.most_values});
            if (made != nullptr) into.all_of.push_back(std::move(made));
        }
    }

    compiled_rules& out_;
    /// False in parts whose rules a server does not compile with the definition.
    bool counts_ = true;
    std::size_t bytes_ = 0;
    /// How many parts around this one have defaults that a server does not look at.
    int without_defaults_ = 0;
};

} // namespace

std::string too_expensive(std::uint64_t units, std::uint64_t most)
{
    const double factor = static_cast<double>(units) / static_cast<double>(most);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), factor < 1.5 ? "%f" : "%.1f", factor);
    return " exceeds budget by factor of " + (factor > 100 ? std::string("more than 100") : std::string(text.data())) +
           "x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and "
           "strings "
           "are declared)";
}

std::shared_ptr<const compiled_rules> compile_rules(const boost::json::value& schema, bool is_resource)
{
    auto out = std::make_shared<compiled_rules>();
    out->schemas.push_back(compile_schema(schema, is_resource));
    out->root = rule_compiler(*out).compile({schema, schema, out->schemas.back().get(), {}, {}, 1});
    return out;
}

} // namespace kubecoro::cel::detail
