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

std::string of_definition(const json::value& crd)
{
    if (text_at(crd, "spec.conversion.strategy") != "Webhook") return {};
    return "this embedded API server does not call the conversion webhook of spec.conversion (objects keep their "
           "fields "
           "in every version)";
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
