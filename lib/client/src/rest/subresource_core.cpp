#include "rest/subresource_core.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/request.hpp>
#include <kubecoro/api/status.hpp>
#include <kubecoro/base/printable.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::size_t shown_kind = 100;

failure wrong_kind(const object& o, std::string_view expected)
{
    return failure(cond::corrupt, "the response is of kind \"" + printable(o.kind(), shown_kind) + "\" and not " +
                                      std::string(expected));
}

/// The name of a built-in group that a token can be bound to an object of: all of them are in the core group.
bool can_be_bound_to(std::string_view kind) { return kind == "Pod" || kind == "Node" || kind == "Secret"; }

} // namespace

result<scale_state> read_scale(const object& o)
{
    if (o.kind() != "Scale") return wrong_kind(o, "Scale");
    scale_state s;
    s.wanted = o["spec"]["replicas"].as_int64();
    s.actual = o["status"]["replicas"].as_int64();
    s.selector = o["status"]["selector"].as_string();
    s.resource_version = o.resource_version();
    s.uid = o.uid();
    return s;
}

std::string scale_patch(std::int64_t replicas, std::string_view resource_version)
{
    json::object patch{{"spec", json::object{{"replicas", replicas}}}};
    if (!resource_version.empty()) patch["metadata"] = json::object{{"resourceVersion", resource_version}};
    return json::serialize(patch);
}

failure scale_failure(const failure& f, const resource_type& resource)
{
    // For an object that is missing, the server gives its name.
    if (f != cond::not_found || f.status() == nullptr || !f.status()->name.empty()) return f;
    return f.because(resource.display_name() + " have no subresource scale");
}

std::string eviction_body(std::string_view ns, std::string_view pod, const delete_options& o)
{
    json::object body{{"apiVersion", "policy/v1"},
                      {"kind", "Eviction"},
                      {"metadata", json::object{{"name", pod}, {"namespace", ns}}}};
    if (auto options = delete_options_text(o); !options.empty()) body["deleteOptions"] = json::parse(options);
    return json::serialize(body);
}

failure eviction_failure(const failure& f)
{
    if (is_disruption_budget(f))
        return f.because("the pod is not evicted: its disruption budget allows no disruption now");
    return f;
}

result<> read_eviction(std::string_view body)
{
    boost::system::error_code ec;
    const auto answered = json::parse(body, ec);
    const auto* status = ec ? nullptr : answered.if_object();
    const auto* outcome = status ? status->if_contains("status") : nullptr;
    if (!outcome || *outcome != "Failure") return {};
    constexpr int without_code = 500;
    return eviction_failure(failure_of_answer(without_code, body));
}

result<std::string> token_request_body(const token_options& o)
{
    json::object spec;
    if (!o.audiences.empty()) spec["audiences"] = json::array(o.audiences.begin(), o.audiences.end());
    if (o.lifetime) spec["expirationSeconds"] = o.lifetime->count();
    if (const auto& to = o.bound_to; !to.kind.empty()) {
        if (!can_be_bound_to(to.kind) || to.name.empty())
            return failure(cond::invalid, "a token is bound to a Pod, Node or Secret with a name");
        json::object reference{{"kind", to.kind}, {"apiVersion", "v1"}, {"name", to.name}};
        if (!to.uid.empty()) reference["uid"] = to.uid;
        spec["boundObjectRef"] = std::move(reference);
    }
    return json::serialize(
        json::object{{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenRequest"}, {"spec", std::move(spec)}});
}

result<service_account_token> read_token(const object& o)
{
    if (o.kind() != "TokenRequest") return wrong_kind(o, "TokenRequest");
    service_account_token t;
    t.token = o["status"]["token"].as_string();
    t.expires = o["status"]["expirationTimestamp"].as_string();
    if (t.token.empty()) return failure(cond::corrupt, "the response to the request for a token has none");
    return t;
}

result<std::string> ephemeral_container_patch(const json::value& container)
{
    if (text_in(container, "name").empty()) return failure(cond::invalid, "an ephemeral container needs a name");
    const json::object patch{{"spec", json::object{{"ephemeralContainers", json::array{container}}}}};
    return json::serialize(patch);
}

result<std::string> binding_body(std::string_view ns, std::string_view pod, std::string_view node,
                                 std::string_view pod_uid)
{
    if (node.empty()) return failure(cond::invalid, "the name of the node is empty");
    json::object metadata{{"name", pod}, {"namespace", ns}};
    if (!pod_uid.empty()) metadata["uid"] = pod_uid;
    return json::serialize(
        json::object{{"apiVersion", "v1"},
                     {"kind", "Binding"},
                     {"metadata", std::move(metadata)},
                     {"target", json::object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}});
}

} // namespace kubecoro::detail

namespace kubecoro {

bool is_disruption_budget(const failure& f) noexcept
{
    const auto* status = f.status();
    if (status == nullptr || f != cond::retry_later) return false;
    return std::any_of(status->causes.begin(), status->causes.end(),
                       [](const status_cause& c) { return c.reason == "DisruptionBudget"; });
}

} // namespace kubecoro
