#include <kubecoro/apiserver/detail/request_handler.hpp>

#include "objects/status_errors.hpp"
#include "render/gzip_stream.hpp"
#include "render/render.hpp"
#include "text/json_text.hpp"
#include "verbs/authorization.hpp"
#include "verbs/exchange.hpp"
#include "verbs/service_account_token.hpp"

#include <kubecoro/api/go_duration.hpp>

#include <algorithm>

namespace kubecoro::apiserver {
namespace {

bool same_name(std::string_view a, std::string_view b) noexcept
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view find_header(const std::vector<std::pair<std::string, std::string>>& headers,
                             std::string_view name) noexcept
{
    for (const auto& [key, value] : headers)
        if (same_name(key, name)) return value;
    return {};
}

} // namespace

std::string_view http_request::header(std::string_view name) const noexcept { return find_header(headers, name); }

std::string_view http_response::header(std::string_view name) const noexcept { return find_header(headers, name); }

void http_response::complete_body()
{
    while (rest)
        if (!rest->next(body, 1u << 20)) rest.reset();
}

request_handler::request_handler(cluster_state_core& state, access_control& access, std::uint64_t seed)
    : state_(state),
      authorizer_(std::make_unique<authorizer>(access, state)),
      token_key_(random_token_key()),
      random_(seed)
{
}

request_handler::~request_handler() = default;

namespace {

/// Finds the resource of the route. @return the error when it does not exist.
std::optional<status_error> resolve(exchange& x)
{
    x.store = x.state.find(x.route.group, x.route.plural);
    const bool builtin = is_builtin_group(x.route.group);
    // A watch of a subresource would give the whole object for a permission on a part of it.
    const bool no_route = x.route.too_long || (x.route.watch_prefix && !x.route.subresource.empty());
    if (!x.store || !x.store->info.find_version(x.route.version) || no_route)
        return builtin ? errors::no_such_resource() : errors::no_such_page();
    const auto& info = x.store->info;
    const bool ns_fits = info.namespaced ? !x.route.ns.empty() || x.route.name.empty() : x.route.ns.empty();
    if (!ns_fits) return builtin ? errors::no_such_resource() : errors::no_such_page();
    if (const auto& deprecation = info.find_version(x.route.version)->deprecation; !deprecation.empty())
        x.warnings.push_back(deprecation);
    return {};
}

/// The subresources of pods that lead to their containers.
bool leads_to_container(const exchange& x)
{
    const std::string_view name = x.route.subresource;
    return x.store->info.behaves == builtin::pod &&
           (name == "exec" || name == "attach" || name == "portforward" || name == "proxy");
}

/// No container runs here. A client that hears only that there is no such resource would look for the fault elsewhere.
http_response refuse_container(const exchange& x)
{
    const auto pod = x.state.get(x.address());
    if (!pod) return respond(pod.error());
    if (text_at(to_json(**pod), "spec.nodeName").empty())
        return respond(errors::bad_request("pod " + x.route.name + " does not have a host assigned"));
    return respond(errors::bad_request("this embedded API server runs no containers: pods/" + x.route.subresource +
                                       " is not served"));
}

http_response answer_subresource(exchange& x)
{
    const std::string_view name = x.route.subresource;
    if (leads_to_container(x)) return refuse_container(x);
    const auto all = subresources_of(x.store->info);
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& sub) { return sub.name == name; });
    if (found == all.end())
        return respond(x.store->info.custom ? errors::not_found(x.store->info, x.route.name)
                                            : errors::no_such_resource());
    const auto verb = verb_of(x);
    if (name == "log" && verb == "create") return answer_log_append(x);
    if (!found->allows(verb) || x.request.method == "HEAD") return respond(errors::method_not_allowed());
    if (name == "log") return answer_log(x);
    if (name == "token") return answer_token_request(x);
    if (name == "eviction") return answer_eviction(x);
    if (name == "binding") return answer_binding(x);
    if (verb == "get") return name == "scale" ? answer_scale_get(x) : answer_get(x);
    return verb == "update" ? answer_update(x) : answer_patch(x);
}

http_response answer_resource(exchange& x)
{
    if (auto e = resolve(x)) return respond(*e);
    if (const auto* review = review_of(x)) return answer_review(x, *review, x.access);
    if (x.store->info.behaves == builtin::review) return respond(errors::method_not_allowed());
    if (!x.route.subresource.empty()) return answer_subresource(x);
    const std::string_view method = x.request.method;
    const bool named = !x.route.name.empty();
    const bool scoped = !x.store->info.namespaced || !x.route.ns.empty();
    if (method == "GET") {
        if (wants_watch(x)) return answer_watch(x);
        return named ? answer_get(x) : answer_list(x);
    }
    if (x.route.watch_prefix) return respond(errors::method_not_allowed());
    if (method == "POST" && !named && scoped) return answer_create(x);
    if (method == "PUT" && named) return answer_update(x);
    if (method == "PATCH" && named) return answer_patch(x);
    if (method == "DELETE" && named) return answer_delete(x);
    if (method == "DELETE" && !named && scoped && x.store->info.behaves != builtin::namespace_)
        return answer_delete_collection(x);
    return respond(errors::method_not_allowed());
}

bool wants_pretty(const exchange& x)
{
    if (x.target.has("pretty")) return x.target.flag("pretty");
    const auto agent = x.request.header("user-agent");
    return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla");
}

/// Brings the Status of a failed request into the form that was asked for.
void encode_status(const exchange& x, http_response& r)
{
    if (r.status < 400 || r.header("content-type") != "application/json") return;
    const auto form = choose_plain_form(x.request.header("accept"));
    if (form == answer_form::json) return;
    if (form == answer_form::yaml) {
        r.body = yaml_object(r.body);
    } else {
        auto encoded = protobuf_object(r.body);
        if (!encoded) return;
        r.body = std::move(*encoded);
    }
    for (auto& [name, value] : r.headers)
        if (same_name(name, "content-type")) value = content_type(form);
}

/// A limit of the time for a request, which nothing here needs, is checked all the same. Watches and logs have none.
std::optional<status_error> check_timeout(const exchange& x)
{
    const auto text = x.target.value("timeout");
    const bool lasts = x.route.is_resource && (wants_watch(x) || !x.route.subresource.empty());
    if (text.empty() || lasts || go_duration::parse(text)) return {};
    const bool is_number = text.find_first_not_of("0123456789.") == std::string_view::npos;
    return errors::bad_request("invalid timeout specified in the request URL - time: " +
                               std::string(is_number ? "missing unit in" : "invalid") + " duration " + quote(text));
}

constexpr std::size_t first_part_of_list = 256 * 1024;

} // namespace

void finish(const exchange& x, http_response& r)
{
    r.user = x.user.name;
    encode_status(x, r);
    if (x.request.reviews)
        for (const auto& w : x.request.reviews->warnings()) r.headers.emplace_back("Warning", "299 - " + quote(w));
    for (const auto& warning : x.warnings) r.headers.emplace_back("Warning", "299 - " + quote(warning));
    if (r.header("cache-control").empty()) r.headers.emplace_back("Cache-Control", "no-cache, private");
    const bool json = !r.watch && r.header("content-type") == "application/json";
    const bool pretty = json && (r.status == 406 || wants_pretty(x));
    if (pretty && r.rest)
        r.rest = make_pretty(std::move(r.rest));
    else if (pretty)
        r.body = indent_json(r.body);
    // Short lists are rendered at once and sent with a length.
    if (r.rest && !r.rest->next(r.body, first_part_of_list)) r.rest.reset();
    const bool is_log = r.header("content-type") == "text/plain";
    if (!r.watch && !is_log && x.request.method != "HEAD" && accepts_gzip(x.request.header("accept-encoding")))
        compress_long(r);
}

std::optional<http_response> request_handler::refuse_early(const http_request& head, wall_time now)
{
    auto target = parse_target(head.target);
    if (!target) return respond(errors::bad_request("the request target is not a valid URL"));
    const auto route = route_of(*target);
    exchange x{state_, *authorizer_, token_key_, random_, head, now, {}, std::move(*target), route};
    auto refused = judge(x);
    if (!refused) return {};
    finish(x, *refused);
    return refused;
}

http_response request_handler::handle(const http_request& request, wall_time now)
{
    auto r = begin(request, now);
    while (r.pending)
        if (auto done = r.pending->step(now)) r = std::move(*done);
    return r;
}

http_response request_handler::begin(const http_request& request, wall_time now)
{
    auto target = parse_target(request.target);
    if (!target) return respond(errors::bad_request("the request target is not a valid URL"));
    const auto route = route_of(*target);
    exchange x{state_, *authorizer_, token_key_, random_, request, now, {}, std::move(*target), route};
    http_response r;
    if (auto refused = judge(x))
        r = std::move(*refused);
    else if (auto e = check_timeout(x))
        r = respond(*e);
    else if (request.body.size() > max_body_bytes)
        r = respond(errors::too_large());
    else
        r = route.is_resource ? answer_resource(x) : answer_path(x);
    if (!r.pending) {
        finish(x, r);
        return r;
    }
    auto done = r.pending->step(now);
    return done ? std::move(*done) : std::move(r);
}

} // namespace kubecoro::apiserver
