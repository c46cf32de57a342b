#include "verbs/selection.hpp"

#include "render/json_text.hpp"
#include "render/status_errors.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kubecoro::apiserver {
namespace {

const std::string* find_label(const stored_object& object, std::string_view key)
{
    const auto it = std::lower_bound(object.labels.begin(), object.labels.end(), key,
                                     [](const auto& label, std::string_view k) { return label.first < k; });
    return it != object.labels.end() && it->first == key ? &it->second : nullptr;
}

std::optional<std::int64_t> number(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

bool matches_one(const label_selector::requirement& r, const std::string* value)
{
    using op = label_selector::op;
    const auto among = [&] { return value && std::find(r.values.begin(), r.values.end(), *value) != r.values.end(); };
    switch (r.operation) {
    case op::equals:
    case op::in:
        return among();
    case op::not_equals:
    case op::not_in:
        return !among();
    case op::exists:
        return value != nullptr;
    case op::not_exists:
        return value == nullptr;
    case op::greater:
    case op::less: {
        const auto have = value ? number(*value) : std::nullopt;
        const auto bound = r.values.empty() ? std::nullopt : number(r.values.front());
        if (!have || !bound) return false;
        return r.operation == op::greater ? *have > *bound : *have < *bound;
    }
    }
    return false;
}

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
            const auto& message = parsed.error().message();
            return errors::bad_request(message.substr(0, message.rfind(" at position ")));
        }
        s.labels_ = std::move(*parsed);
    }
    if (!fields.empty()) {
        auto parsed = field_selector::parse(fields);
        if (!parsed)
            return errors::bad_request("invalid selector: '" + std::string(fields) + "'; can't understand '" +
                                       bad_term(fields) + "'");
        s.fields_ = std::move(*parsed);
        if (auto e = check_fields(info, s.fields_)) return *e;
    }
    return s;
}

bool selection::matches(const resource_info& info, const stored_object& object) const
{
    for (const auto& r : labels_.requirements())
        if (!matches_one(r, find_label(object, r.key))) return false;
    if (fields_.empty()) return true;
    const auto& fields = fields_of(info, object);
    return fields_.matches([&](std::string_view path) -> std::string {
        if (path == "metadata.name") return object.name;
        if (path == "metadata.namespace") return object.ns;
        const auto it = std::find(info.selectable.begin(), info.selectable.end(), path);
        const auto index = static_cast<std::size_t>(it - info.selectable.begin());
        return index < fields.size() ? fields[index] : std::string{};
    });
}

} // namespace kubecoro::apiserver
