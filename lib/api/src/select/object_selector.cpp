// LabelSelectors of objects, with the rules of apimachinery's LabelSelectorAsSelector.
#include <kubecoro/api/detail/label_rules.hpp>
#include <kubecoro/api/typed_selector.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {
namespace {

using op = label_selector::op;
using requirement = label_selector::requirement;

// Text of the object is not repeated: it may be long, and failures are logged.
failure wrong(std::string place, std::string_view why)
{
    return failure(cond::invalid, std::move(place) + ": " + std::string(why));
}

std::optional<op> operator_of(std::string_view word)
{
    if (word == "In") return op::in;
    if (word == "NotIn") return op::not_in;
    if (word == "Exists") return op::exists;
    if (word == "DoesNotExist") return op::not_exists;
    return std::nullopt;
}

bool is_none_or(value_kind wanted, value_view part) noexcept
{
    return !part || part.kind() == value_kind::null || part.kind() == wanted;
}

result<requirement> equality_of(const member& label)
{
    if (!detail::is_label_key(label.key)) return wrong("matchLabels", "a key is not a label key");
    if (!label.value.is_string() || !detail::is_label_value(label.value.as_string()))
        return wrong("matchLabels", "the value of '" + std::string(label.key) + "' is not a label value");
    return requirement{std::string(label.key), op::equals, {std::string(label.value.as_string())}};
}

result<std::vector<std::string>> values_of(value_view values, const std::string& place)
{
    std::vector<std::string> out;
    if (!is_none_or(value_kind::array, values)) return wrong(place, "not a list");
    for (const auto value : values.items()) {
        if (!value.is_string() || !detail::is_label_value(value.as_string()))
            return wrong(place + "[" + std::to_string(out.size()) + "]", "not a label value");
        out.emplace_back(value.as_string());
    }
    return out;
}

result<requirement> expression_of(value_view expression, const std::string& place)
{
    for (const auto& [key, value] : expression.members())
        if (key != "key" && key != "operator" && key != "values") return wrong(place, "has an unknown member");
    if (!detail::is_label_key(expression["key"].as_string())) return wrong(place + ".key", "not a label key");
    const auto operation = operator_of(expression["operator"].as_string());
    if (!operation) return wrong(place + ".operator", "not In, NotIn, Exists or DoesNotExist");
    auto values = values_of(expression["values"], place + ".values");
    if (!values) return values.error();
    const bool compares = *operation == op::in || *operation == op::not_in;
    if (compares && values->empty()) return wrong(place + ".values", "In and NotIn need a value");
    if (!compares && !values->empty()) return wrong(place + ".values", "Exists and DoesNotExist take no values");
    return requirement{std::string(expression["key"].as_string()), *operation, std::move(*values)};
}

} // namespace

result<label_selector> selector_of(value_view selector)
{
    if (!selector.is_object()) return failure(cond::invalid, "there is no label selector");
    for (const auto& [key, value] : selector.members())
        if (key != "matchLabels" && key != "matchExpressions")
            return failure(cond::invalid, "a label selector has matchLabels and matchExpressions, and no other member");
    const auto labels = selector["matchLabels"];
    const auto expressions = selector["matchExpressions"];
    if (!is_none_or(value_kind::object, labels)) return wrong("matchLabels", "not a map of labels");
    if (!is_none_or(value_kind::array, expressions)) return wrong("matchExpressions", "not a list");

    std::vector<requirement> all;
    for (const auto& label : labels.members()) {
        auto one = equality_of(label);
        if (!one) return one.error();
        all.push_back(std::move(*one));
    }
    std::size_t position = 0;
    for (const auto expression : expressions.items()) {
        auto one = expression_of(expression, "matchExpressions[" + std::to_string(position++) + "]");
        if (!one) return one.error();
        all.push_back(std::move(*one));
    }
    return label_selector(std::move(all));
}

} // namespace kubecoro
