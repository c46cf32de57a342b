// Answers POST of a service account's token.
#include "objects/status_errors.hpp"
#include "objects/stored_object.hpp"
#include "text/json_text.hpp"
#include "verbs/body.hpp"
#include "verbs/exchange.hpp"
#include "verbs/service_account_token.hpp"

namespace kubecoro::apiserver {
namespace {

constexpr std::int64_t default_seconds = 3600;
constexpr std::int64_t least_seconds = 600;
constexpr std::int64_t most_seconds = std::int64_t{1} << 32;

answer<std::int64_t> read_lifetime(const json::value& body)
{
    const auto seconds = int_at(body, "spec.expirationSeconds", default_seconds);
    const auto refuse = [&](std::string_view why) {
        return errors::invalid("TokenRequest", "authentication.k8s.io", text_at(body, "metadata.name"),
                               {errors::invalid_value("spec.expirationSeconds", std::to_string(seconds), why)});
    };
    if (seconds < least_seconds) return refuse("may not specify a duration less than 10 minutes");
    if (seconds > most_seconds) return refuse("may not specify a duration larger than 2^32 seconds");
    return seconds;
}

std::vector<std::string> read_audiences(const json::value& body)
{
    std::vector<std::string> audiences;
    if (const auto* given = array_at(body, "spec.audiences"))
        for (const auto& a : *given) audiences.push_back(scalar_text(a));
    if (audiences.empty()) audiences.emplace_back(own_audience);
    return audiences;
}

answer<bound_object> read_bound_object(const exchange& x, const json::value& body)
{
    const auto* reference = object_at(body, "spec.boundObjectRef");
    if (!reference) return bound_object{};
    const json::value given(*reference);
    bound_object out{std::string(text_at(given, "kind")), std::string(text_at(given, "name")),
                     std::string(text_at(given, "uid"))};
    const auto* kind = find_bindable(out.kind);
    if (text_at(given, "apiVersion") != "v1" || !kind)
        return errors::bad_request("cannot bind token to object of type " + std::string(text_at(given, "apiVersion")) +
                                   ", Kind=" + out.kind);
    const auto store = x.state.find("", kind->plural);
    const auto found = store->find(storage_key(x.route.ns, out.name));
    if (!found) return errors::not_found(store->info, out.name);
    if (!out.uid.empty() && out.uid != found->uid) {
        auto e = errors::conflict(store->info, out.name);
        e.message = "Operation cannot be fulfilled on " + store->info.plural + " \"" + out.name +
                    "\": the UID in the " + "bound object reference (" + out.uid +
                    ") does not match the UID in record. The object might " + "have been deleted and then recreated";
        return e;
    }
    out.uid = found->uid;
    return out;
}

json::value token_request(const json::value& body, const token_claims& claims, const std::string& token)
{
    json::array audiences;
    for (const auto& a : claims.audiences) audiences.push_back(json::value(std::string_view(a)));
    const auto* bound = find_at(body, "spec.boundObjectRef");
    const auto time_of = [](std::int64_t seconds) { return format_time(wall_time{std::chrono::seconds{seconds}}); };
    return {{"kind", "TokenRequest"},
            {"apiVersion", "authentication.k8s.io/v1"},
            {"metadata",
             {{"name", std::string_view(claims.account)},
              {"namespace", std::string_view(claims.ns)},
              {"creationTimestamp", time_of(claims.issued)}}},
            {"spec",
             {{"audiences", audiences},
              {"expirationSeconds", claims.expires - claims.issued},
              {"boundObjectRef", bound ? *bound : json::value()}}},
            {"status", {{"token", std::string_view(token)}, {"expirationTimestamp", time_of(claims.expires)}}}};
}

} // namespace

http_response answer_token_request(exchange& x)
{
    const auto flags = read_write_flags(x, "CreateOptions");
    if (!flags) return respond(flags.error());
    const auto body = read_part(x, "authentication.k8s.io/v1", "TokenRequest");
    if (!body) return respond(body.error());
    const auto account = x.state.get(x.address());
    if (!account) return respond(account.error());
    const auto lifetime = read_lifetime(*body);
    if (!lifetime) return respond(lifetime.error());
    const auto bound = read_bound_object(x, *body);
    if (!bound) return respond(bound.error());

    token_claims claims{x.route.ns, x.route.name, (*account)->uid, make_uuid(x.random), read_audiences(*body)};
    claims.issued = std::chrono::duration_cast<std::chrono::seconds>(x.now.time_since_epoch()).count();
    claims.expires = claims.issued + *lifetime;
    claims.bound = *bound;
    const auto chosen = choose_media(x.request.header("accept"), media_scope{});
    if (!chosen) return respond(chosen.error());
    const auto token = sign_token(claims, x.options.token_key);
    return object_response(to_text(token_request(*body, claims, token)), chosen->form, 201);
}

} // namespace kubecoro::apiserver
