#include <kubecoro/cel/object_validator.hpp>

#include <kubecoro/api/detail/json_access.hpp>

#include <algorithm>
#include <iterator>
#include <string>

namespace kubecoro::cel {

namespace {

/// Causes that a refusal has.
constexpr std::size_t most_causes = 100;

/// Whether the schema has said that rules cannot be evaluated on an object with such errors.
bool hides_rules(const std::vector<field_error>& errors)
{
    return std::any_of(errors.begin(), errors.end(), [](const field_error& each) {
        return each.detail.starts_with("some validation rules were not checked");
    });
}

} // namespace

result<object_validator> object_validator::of(object_schema schema, const rule_limits& limits)
{
    auto rules = validation_rules::of_schema(schema.text());
    const auto problems = rules.problems("openAPIV3Schema");
    if (!problems.empty()) {
        std::string words;
        for (const auto& each : problems) words += (words.empty() ? "" : "\n") + each.field + ": " + each.message();
        return failure(cond::invalid, std::move(words));
    }
    return object_validator(std::move(schema), std::move(rules), limits);
}

result<> object_validator::settle(std::vector<field_error> errors, const boost::json::value& object,
                                  const boost::json::value* before) const
{
    if (!hides_rules(errors)) {
        auto found = rules_.check(object, before, limits_);
        std::move(found.errors.begin(), found.errors.end(), std::back_inserter(errors));
    }
    if (errors.empty()) return {};
    if (errors.size() > most_causes) errors.resize(most_causes);
    std::vector<status_cause> causes;
    for (auto& each : errors) {
        if (each.field.empty()) each.field = "<nil>";
        causes.push_back(each.cause());
    }
    const auto* metadata = kubecoro::detail::member_in(object, "metadata");
    const auto name = metadata != nullptr ? kubecoro::detail::text_in(*metadata, "name") : std::string_view();
    const auto& of = schema_.resource();
    return failure(invalid_status(of.kind, of.group, name, std::move(causes)));
}

result<> object_validator::check(const boost::json::value& object) const
{
    return settle(schema_.structural_errors(object), object, nullptr);
}

result<> object_validator::check(const boost::json::value& object, const boost::json::value& before) const
{
    return settle(schema_.structural_errors(object, before), object, &before);
}

} // namespace kubecoro::cel
