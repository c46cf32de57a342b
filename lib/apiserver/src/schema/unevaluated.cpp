#include "schema/validation.hpp"

#include "text/json_text.hpp"

#include <kubecoro/api/detail/utf8.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace kubecoro::apiserver {
namespace {

/// Bytes of a name or path in a warning: headers are short.
constexpr std::size_t longest_name = 253;

std::string shortened(std::string_view text)
{
    if (text.size() <= longest_name) return detail::valid_utf8(text);
    std::size_t size = longest_name;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    return detail::valid_utf8(text.substr(0, size)) + "...";
}

std::string and_more(std::size_t others) { return others == 0 ? "" : " and " + std::to_string(others) + " more"; }

/// The schemas with CEL rules: how many, and the path of the first one.
class rule_search
{
public:
    void visit_version(const json::value& version, std::string_view path)
    {
        if (const auto* schema = find_at(version, "schema.openAPIV3Schema"))
            visit(*schema, std::string(path) + ".schema.openAPIV3Schema");
    }
    [[nodiscard]] std::string described() const
    {
        return found_ == 0 ? "" : "x-kubernetes-validations (" + shortened(first_) + and_more(found_ - 1) + ")";
    }

private:
    /// @param path  Not needed once a rule is found, which keeps the search linear.
    void visit(const json::value& schema, const std::string& path)
    {
        const auto* members = schema.if_object();
        if (!members) return;
        const auto* rules = members->if_contains("x-kubernetes-validations");
        if (rules && rules->is_array() && !rules->get_array().empty() && ++found_ == 1) first_ = path;
        if (const auto* properties = members->if_contains("properties"); properties && properties->is_object())
            for (const auto& [name, sub] : properties->get_object()) visit(sub, below(path, name));
        for (const std::string_view part : {"items", "additionalProperties"})
            if (const auto* sub = members->if_contains(part)) visit(*sub, path + '.' + std::string(part));
    }

    [[nodiscard]] std::string below(const std::string& path, std::string_view property) const
    {
        if (found_ > 0 || path.size() > longest_name) return path;
        return path + ".properties[" + std::string(property) + ']';
    }

    std::size_t found_ = 0;
    std::string first_;
};

std::string of_definition(const json::value& crd)
{
    rule_search rules;
    if (const auto* versions = array_at(crd, "spec.versions"))
        for (std::size_t i = 0; i < versions->size(); ++i)
            rules.visit_version((*versions)[i], "spec.versions[" + std::to_string(i) + "]");
    std::string parts = rules.described();
    const bool converts = text_at(crd, "spec.conversion.strategy") == "Webhook";
    if (converts)
        parts += std::string(parts.empty() ? "" : ", nor ") +
                 "the conversion webhook of spec.conversion (objects keep their fields in every version)";
    return parts.empty() ? parts : "this embedded API server does not evaluate " + parts;
}

std::string of_webhooks(const json::value& configuration)
{
    const auto* hooks = array_at(configuration, "webhooks");
    if (!hooks || hooks->empty()) return {};
    return "this embedded API server does not call admission webhooks: " + shortened(text_at(hooks->front(), "name")) +
           and_more(hooks->size() - 1);
}

} // namespace

bool may_be_unevaluated(const resource_info& info) noexcept
{
    if (info.custom) return false;
    return info.behaves == builtin::custom_resource_definition || info.group == "admissionregistration.k8s.io" ||
           info.group == "apiregistration.k8s.io" || info.behaves == builtin::limit;
}

std::string unevaluated_parts(const resource_info& info, const json::value& body)
{
    if (!may_be_unevaluated(info)) return {};
    if (info.behaves == builtin::custom_resource_definition) return of_definition(body);
    if (info.group == "admissionregistration.k8s.io")
        return info.kind.ends_with("WebhookConfiguration")
                   ? of_webhooks(body)
                   : "this embedded API server does not evaluate admission policies: " + info.kind + " " +
                         shortened(text_at(body, "metadata.name"));
    if (info.group == "apiregistration.k8s.io" && object_at(body, "spec.service"))
        return "this embedded API server does not forward requests to the services of aggregated APIs: " +
               shortened(text_at(body, "metadata.name"));
    if (info.behaves == builtin::limit)
        return "this embedded API server does not enforce a " + info.kind + ": " +
               shortened(text_at(body, "metadata.name"));
    return {};
}

} // namespace kubecoro::apiserver
