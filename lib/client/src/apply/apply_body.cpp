#include "apply/apply_body.hpp"

#include <kubecoro/client/apply.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

// That of decode_limits.
constexpr std::size_t max_depth = 200;

failure refuse(std::string why) { return failure(cond::invalid, "the body of an apply " + std::move(why)); }

/// Adds a member that is missing. False: there is another value.
bool fill(json::object& in, std::string_view name, std::string_view text, bool& changed)
{
    auto* found = in.if_contains(name);
    if (found != nullptr && !found->is_null())
        return found->is_string() && std::string_view(found->get_string()) == text;
    in[name] = text;
    changed = true;
    return true;
}

bool is_set(const json::object& in, std::string_view name)
{
    const auto* found = in.if_contains(name);
    return found != nullptr && !found->is_null();
}

result<> check_metadata(const json::object& metadata, std::string_view ns)
{
    if (is_set(metadata, "managedFields"))
        return refuse("has metadata.managedFields: it must hold the fields that this program decides and nothing else; "
                      "see extract()");
    // As for kubectl and the server: an empty namespace is none, and one of a cluster-scoped object is ignored.
    const auto* in = metadata.if_contains("namespace");
    if (in == nullptr || in->is_null() || ns.empty()) return {};
    if (!in->is_string()) return refuse("has a namespace that is not a string");
    const std::string_view own = in->get_string();
    if (!own.empty() && own != ns) return refuse("is for another namespace");
    return {};
}

} // namespace

result<std::string> apply_body(const resource_type& resource, std::string_view ns, std::string_view name,
                               std::string text, std::string_view subresource)
{
    json::parse_options limits;
    limits.max_depth = max_depth;
    boost::system::error_code broken;
    auto parsed = json::parse(text, broken, {}, limits);
    if (broken || !parsed.is_object()) return refuse("is not a JSON object");
    auto& body = parsed.get_object();
    bool changed = false;
    if (subresource.empty()) {
        if (!fill(body, "apiVersion", resource.api_version(), changed)) return refuse("has another apiVersion");
        if (!resource.kind.empty() && !fill(body, "kind", resource.kind, changed)) return refuse("is of another kind");
    }
    auto& metadata = body["metadata"];
    if (metadata.is_null()) metadata = json::object{};
    if (!metadata.is_object()) return refuse("has metadata that are not a JSON object");
    if (auto sound = check_metadata(metadata.get_object(), ns); !sound) return sound.error();
    if (!fill(metadata.get_object(), "name", name, changed)) return refuse("is for another name");
    // An unchanged text keeps the notation of its numbers.
    return changed ? json::serialize(parsed) : std::move(text);
}

failure apply_failure(const failure& f)
{
    if (apply_conflicts(f).empty()) return f;
    return f.because("other managers own some of the fields: leave these out, or take them with apply_options::force");
}

} // namespace kubecoro::detail
