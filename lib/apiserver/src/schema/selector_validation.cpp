#include "schema/selector_validation.hpp"

#include "text/json_text.hpp"

#include <kubecoro/api/detail/label_rules.hpp>

namespace kubecoro::apiserver {
namespace {

using errors::enough;
using errors::invalid_value;

void check_key(std::string_view key, const std::string& path, std::vector<status_cause>& causes)
{
    for (const auto& why : detail::label_key_problems(key)) causes.push_back(invalid_value(path, quote(key), why));
}

void check_value(std::string_view value, const std::string& path, std::vector<status_cause>& causes)
{
    for (const auto& why : detail::label_value_problems(value))
        causes.push_back(invalid_value(path, quote(value), why));
}

void check_expression(const json::value& expression, const std::string& path, std::vector<status_cause>& causes)
{
    static const json::array none;
    const auto* stated = array_at(expression, "values");
    const auto& values = stated ? *stated : none;
    const auto operation = text_at(expression, "operator");
    if (operation == "In" || operation == "NotIn") {
        if (values.empty())
            causes.push_back(
                errors::required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operation == "Exists" || operation == "DoesNotExist") {
        if (!values.empty())
            causes.push_back(errors::forbidden_field(
                path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else {
        causes.push_back(invalid_value(path + ".operator", quote(operation), "not a valid selector operator"));
    }
    check_key(text_at(expression, "key"), path + ".key", causes);
    for (std::size_t i = 0; i < values.size() && !enough(causes); ++i)
        check_value(scalar_text(values[i]), path + ".values[" + std::to_string(i) + "]", causes);
}

} // namespace

void validate_labels(const json::object& labels, const std::string& field, std::vector<status_cause>& causes)
{
    for (const auto& [key, value] : labels) {
        if (enough(causes)) return;
        check_key(key, field, causes);
        if (value.is_string()) check_value(value.get_string(), field, causes);
    }
}

void validate_selector(const json::value* selector, const std::string& path, std::vector<status_cause>& causes)
{
    if (!selector || !selector->is_object()) return;
    if (const auto* labels = object_at(*selector, "matchLabels"))
        validate_labels(*labels, path + ".matchLabels", causes);
    const auto* expressions = array_at(*selector, "matchExpressions");
    for (std::size_t i = 0; expressions && i < expressions->size() && !enough(causes); ++i)
        check_expression((*expressions)[i], path + ".matchExpressions[" + std::to_string(i) + "]", causes);
}

} // namespace kubecoro::apiserver
