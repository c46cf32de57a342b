#include "rules/rule_runner.hpp"

#include <kubecoro/api/detail/go_format.hpp>

#include "values/make.hpp"

namespace kubecoro::cel::detail {

namespace {

constexpr std::size_t longest_message = 5 * 1024;
constexpr std::uint64_t bytes_of_call = 128 << 20;
constexpr std::string_view over_budget =
    "validation failed due to running out of cost budget, no further validation rules will be run";
constexpr std::string_view over_limit = "operation cancelled: ";

std::string joined(const std::string& path, std::string_view name)
{
    return path.empty() ? std::string(name) : path + "." + std::string(name);
}

std::string trimmed_blanks(std::string_view text)
{
    static constexpr std::string_view blanks = " \t\n\v\f\r";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

} // namespace

std::string value_path::text() const
{
    auto out = above != nullptr ? above->text() : std::string{};
    if (key) return out + "[" + std::string(*key) + "]";
    if (index) return out + "[" + std::to_string(*index) + "]";
    return joined(out, name);
}

ratchet ratchet::member(std::string_view name) const
{
    if (!current) return *this;
    // Old and new object have the same type, whatever they say.
    if (!parent && (name == "apiVersion" || name == "kind")) return {};
    return {current.member(name), current};
}

ratchet ratchet::item(const boost::json::value& of, const boost::json::value* before) const
{
    if (!current) return *this;
    if (before == nullptr || current.schema->items == nullptr) return {{}, current};
    return {{&of, before, current.schema->items.get()}, current};
}

rule_findings rule_runner::run(const rule_node& root, const boost::json::value& object,
                               const boost::json::value* before, std::string_view path)
{
    ratchet old;
    if (before != nullptr && limits_.forgives_unchanged) old.current = {&object, before, root.schema};
    const value_path begin{nullptr, path};
    visit({root, object, before, begin, old});
    return std::move(out_);
}

void rule_runner::visit(const place& at)
{
    if (at.value.is_null()) return;
    own_rules(at);
    for (const auto& each : at.rules.all_of) {
        if (is_over()) return;
        const ratchet old{{}, at.old.parent};
        visit({*each, at.value, at.before, at.path, old});
    }
    if (is_over()) return;
    if (at.value.is_array()) items(at);
    if (at.value.is_object()) members(at);
}

void rule_runner::members(const place& at)
{
    const auto* before = at.before != nullptr && at.rules.is_correlatable_map ? at.before->if_object() : nullptr;
    for (const auto& [name, item] : at.value.get_object()) {
        const auto found = at.rules.properties.find(std::string_view(name));
        const bool is_property = found != at.rules.properties.end();
        if (!is_property && at.rules.members == nullptr) continue;
        const auto* old = before != nullptr ? before->if_contains(name) : nullptr;
        if (old != nullptr && old->is_null()) old = nullptr;
        value_path path{&at.path};
        if (is_property)
            path.name = name;
        else
            path.key = name;
        visit({is_property ? *found->second : *at.rules.members, item, old, path, at.old.member(name)});
        if (is_over()) return;
    }
}

void rule_runner::items(const place& at)
{
    if (at.rules.items == nullptr) return;
    const old_items before(*at.rules.schema, at.before);
    std::size_t index = 0;
    for (const auto& item : at.value.get_array()) {
        const auto* old = before.find(item);
        const value_path path{&at.path, {}, {}, index++};
        visit({*at.rules.items, item, old, path, at.old.item(item, old)});
        if (is_over()) return;
    }
}

void rule_runner::note(std::vector<field_error>& into, field_error error)
{
    bytes_ += error.field.size() + error.bad_value.size() + error.detail.size();
    into.push_back(std::move(error));
}

bool rule_runner::refuse(const place& at, std::string words)
{
    if (is_full()) return true;
    note(out_.errors,
         {"FieldValueInvalid", at.path.text(), kubecoro::detail::go_quoted(at.rules.type), std::move(words)});
    return true;
}

void rule_runner::own_rules(const place& at)
{
    if (!at.rules.problem.empty()) refuse(at, at.rules.problem);
    if (at.rules.rules.empty()) return;
    if (out_.cost_left <= 0) {
        refuse(at, std::string(over_budget));
        out_.cost_left = -1;
        return;
    }
    const value self = make_from({{}, &at.value}, at.rules.schema);
    variables named{{"self", self}};
    variables optional_named{{"self", self}, {"oldSelf", make_none()}};
    if (at.before != nullptr) {
        const value old = make_from({{}, at.before}, at.rules.schema);
        named.emplace("oldSelf", old);
        optional_named.insert_or_assign("oldSelf", make_optional(old));
    }
    for (const auto& each : at.rules.rules)
        if (!rule(at, each, named, optional_named)) {
            out_.cost_left = -1;
            return;
        }
}

bool rule_runner::evaluate(const compiled_program& of, const variables& named, value& out)
{
    evaluator run(of.expression, named, of.patterns, limits_.call_cost, bytes_of_call);
    out = run.run();
    const auto cost = run.cost();
    if (cost > static_cast<std::uint64_t>(out_.cost_left)) return false;
    out_.cost_left -= static_cast<std::int64_t>(cost);
    return true;
}

bool rule_runner::rule(const place& at, const compiled_rule& rule, const variables& named,
                       const variables& optional_named)
{
    if (!rule.problem.empty()) return refuse(at, "rule compile error: " + rule.problem);
    if (rule.program == nullptr) return true;
    if (rule.uses_old && at.before == nullptr && !rule.has_optional_old) return true;
    value found;
    if (!evaluate(*rule.program, rule.has_optional_old ? optional_named : named, found)) {
        refuse(at, std::string(over_budget));
        return false;
    }
    if (is_error(found)) return failed(at, rule, found.as_string());
    return found.as_bool() || broken(at, rule, named);
}

bool rule_runner::failed(const place& at, const compiled_rule& rule, std::string_view words)
{
    const std::string text(words);
    if (words.starts_with("no such overload"))
        return refuse(
            at, "'" + text +
                    "': call arguments did not match a supported operator, function or macro signature for rule: " +
                    rule.name);
    if (words.starts_with(over_limit)) {
        refuse(at, "'" + text + "': no further validation rules will be run due to call cost exceeds limit for rule: " +
                       rule.name);
        return false;
    }
    return refuse(at, text + " evaluating rule: " + rule.name);
}

std::string rule_runner::message(const place& at, const compiled_rule& rule, const variables& named,
                                 std::string& problem)
{
    if (rule.message_program == nullptr) return {};
    value found;
    if (!evaluate(*rule.message_program, named, found)) {
        problem = "messageExpression evaluation failed due to running out of cost budget, no further validation rules "
                  "will be run";
        return {};
    }
    if (is_error(found) && found.as_string().starts_with(over_limit))
        problem = "no further validation rules will be run due to call cost exceeds limit for messageExpression: " +
                  kubecoro::detail::go_quoted(rule.message_expression);
    static_cast<void>(at);
    if (!found.is(value_type::string)) return {};
    auto text = trimmed_blanks(found.as_string());
    return text.size() > longest_message || text.find('\n') != std::string::npos ? std::string{} : text;
}

bool rule_runner::broken(const place& at, const compiled_rule& rule, const variables& named)
{
    auto& into = !rule.uses_old && at.old.forgives() ? out_.warnings : out_.errors;
    std::string problem;
    auto detail = message(at, rule, named, problem);
    if (is_full()) return problem.empty();
    const auto path = rule.field_path.empty() ? at.path.text() : joined(at.path.text(), rule.field_path);
    if (!problem.empty()) {
        note(into, {"FieldValueInvalid", path, kubecoro::detail::go_quoted(at.rules.type), problem});
        return false;
    }
    if (detail.empty()) detail = rule.message.empty() ? "failed rule: " + rule.name : rule.message;
    const bool is_known = rule.reason == "FieldValueForbidden" || rule.reason == "FieldValueRequired" ||
                          rule.reason == "FieldValueDuplicate";
    const bool shows_value = at.rules.type != "object" && at.rules.type != "array" &&
                             rule.reason != "FieldValueForbidden" && rule.reason != "FieldValueRequired";
    note(into, {is_known ? rule.reason : "FieldValueInvalid", path,
                shows_value ? kubecoro::detail::go_value(at.value) : std::string{},
                rule.reason == "FieldValueDuplicate" ? std::string{} : detail});
    return true;
}

} // namespace kubecoro::cel::detail
