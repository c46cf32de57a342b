#include <kubecoro/api/detail/strict_decoding.hpp>

#include "validation/go_print.hpp"

#include <kubecoro/api/detail/builtin_fields.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/validation.hpp>

#include <cstddef>

namespace kubecoro {

namespace {

constexpr std::size_t max_listed = 100;

} // namespace

std::string detail::strict_problem(const std::vector<std::string>& duplicates, const std::vector<std::string>& unknown)
{
    std::string list;
    std::size_t listed = 0;
    const auto add = [&](std::string_view what, const std::vector<std::string>& fields) {
        for (const auto& field : fields) {
            if (listed++ == max_listed) return;
            list += (list.empty() ? "" : ", ") + std::string(what) + " field " + go_quoted(field);
        }
    };
    add("duplicate", duplicates);
    add("unknown", unknown);
    return list.empty() ? list : "strict decoding error: " + list;
}

server_status detail::undecodable(std::string_view kind, std::string_view version, std::string_view why)
{
    server_status out;
    out.code = 400;
    out.reason = "BadRequest";
    out.message = std::string(kind) + " in version \"" + std::string(version) + "\" cannot be handled as a " +
                  std::string(kind) + ": " + std::string(why);
    return out;
}

result<> check_built_in(const boost::json::value& object)
{
    const auto* members = object.if_object();
    if (members == nullptr) return failure(cond::invalid, "expected an object");
    const std::string api_version(detail::text_in(*members, "apiVersion"));
    const std::string kind(detail::text_in(*members, "kind"));
    const auto* schema = detail::builtin_schemas::find(api_version, kind);
    if (schema == nullptr)
        return failure(cond::not_found, "the library has no schema of " + kind + " in \"" + api_version + '"');
    std::string why;
    if (const auto typed = detail::protobuf_message(*schema, *members); !typed)
        why = "json: " + typed.error().message();
    else
        why = detail::strict_problem({}, detail::unknown_builtin_fields(*schema, object));
    if (why.empty()) return {};
    return failure(detail::undecodable(kind, group_version::parse(api_version).version, why));
}

} // namespace kubecoro
