#include "request/selection.hpp"

#include "objects/status_errors.hpp"
#include "text/json_text.hpp"

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

/// Returns the first invalid term of a field selector.
std::string bad_term(std::string_view text)
{
    while (true) {
        const auto comma = text.find(',');
        const auto term = text.substr(0, comma);
        if (term.find('=') == std::string_view::npos) return std::string(term);
        if (comma == std::string_view::npos) return std::string(text);
        text.remove_prefix(comma + 1);
    }
}

std::optional<status_error> check_fields(const resource_info& info, const field_selector& fields)
{
    for (const auto& r : fields.requirements()) {
        if (r.path == "metadata.name" || (r.path == "metadata.namespace" && info.namespaced)) continue;
        if (std::find(info.selectable.begin(), info.selectable.end(), r.path) != info.selectable.end()) continue;
        if (info.custom || !info.selectable.empty()) return errors::bad_request("field label not supported: " + r.path);
        return errors::bad_request('"' + r.path +
                                   R"(" is not a known field selector: only "metadata.name", "metadata.namespace")");
    }
    return {};
}

} // namespace

answer<selection> selection::parse(const resource_info& info, std::string_view labels, std::string_view fields)
{
    selection s;
    if (!labels.empty()) {
        auto parsed = label_selector::parse(labels);
        if (!parsed) {
            // kube-apiserver's message does not contain the position.
            const auto message = parsed.error().message();
            return errors::bad_request(message.substr(0, message.rfind(" at position ")));
        }
        s.labels_ = label_match(*parsed);
    }
    if (!fields.empty()) {
        auto parsed = field_selector::parse(fields);
        if (!parsed)
            return errors::bad_request("invalid selector: '" + std::string(fields) + "'; can't understand '" +
                                       bad_term(fields) + "'");
        if (auto e = check_fields(info, *parsed)) return *e;
        for (const auto& r : parsed->requirements()) {
            auto& rule = s.fields_[r.path];
            if (!r.equal)
                rule.not_equal.push_back(r.value);
            else if (rule.equal && *rule.equal != r.value)
                rule.impossible = true;
            else
                rule.equal = r.value;
        }
        for (auto& [path, rule] : s.fields_) std::sort(rule.not_equal.begin(), rule.not_equal.end());
    }
    return s;
}

bool selection::field_rule::takes(std::string_view value) const
{
    if (impossible || (equal && *equal != value)) return false;
    return !std::binary_search(not_equal.begin(), not_equal.end(), value);
}

bool selection::matches(const resource_info& info, const stored_object& object) const
{
    if (!labels_.matches(object)) return false;
    if (fields_.empty()) return true;
    const auto& fields = fields_of(info, object);
    const auto value_at = [&](std::string_view path) -> std::string_view {
        if (path == "metadata.name") return object.name;
        if (path == "metadata.namespace") return object.ns;
        const auto it = std::find(info.selectable.begin(), info.selectable.end(), path);
        const auto index = static_cast<std::size_t>(it - info.selectable.begin());
        return index < fields.size() ? std::string_view(fields[index]) : std::string_view{};
    };
    return std::all_of(fields_.begin(), fields_.end(),
                       [&](const auto& each) { return each.second.takes(value_at(each.first)); });
}

} // namespace kubecoro::apiserver
