// Tokens of service accounts: their signature, their user, and the answer to a POST that asks for one.
#include "verbs/service_account_token.hpp"

#include "objects/status_errors.hpp"
#include "objects/stored_object.hpp"
#include "state/resource_store.hpp"
#include "text/base64.hpp"
#include "text/json_text.hpp"
#include "verbs/body.hpp"
#include "verbs/exchange.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kubecoro::apiserver {
namespace {

/// A kind of objects that tokens can be bound to.
struct bindable_kind
{
    std::string_view kind;
    std::string_view plural;
    /// The member of a token's claims that names the object.
    std::string_view claim;
};
constexpr bindable_kind bindable_kinds[]{{"Pod", "pods", "pod"}, {"Secret", "secrets", "secret"}};

/// Null for any other kind.
const bindable_kind* find_bindable(std::string_view kind)
{
    for (const auto& each : bindable_kinds)
        if (each.kind == kind) return &each;
    return nullptr;
}

constexpr std::string_view header = R"({"alg":"HS256","typ":"JWT"})";
/// Key of the id of a token among the attributes of its user.
constexpr std::string_view credential_id = "authentication.kubernetes.io/credential-id";
/// Tokens of this server are far shorter.
constexpr std::size_t longest_token = 16 * 1024;
constexpr std::size_t deepest_claims = 32;

std::string signature_of(std::string_view text, std::string_view key)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int size = 0;
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
              reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size))
        throw std::runtime_error("OpenSSL does not compute an HMAC");
    return {reinterpret_cast<const char*>(digest.data()), size};
}

std::int64_t seconds_of(wall_time t)
{
    return std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count();
}

json::value to_claims(const token_claims& c)
{
    json::array audiences;
    for (const auto& a : c.audiences) audiences.push_back(json::value(std::string_view(a)));
    json::object own{
        {"namespace", std::string_view(c.ns)},
        {"serviceaccount", {{"name", std::string_view(c.account)}, {"uid", std::string_view(c.account_uid)}}}};
    if (const auto* bound = find_bindable(c.bound.kind))
        own[bound->claim] = {{"name", std::string_view(c.bound.name)}, {"uid", std::string_view(c.bound.uid)}};
    const std::string subject = "system:serviceaccount:" + c.ns + ":" + c.account;
    return {{"aud", audiences},
            {"exp", c.expires},
            {"iat", c.issued},
            {"iss", own_audience},
            {"jti", std::string_view(c.id)},
            {"kubernetes.io", own},
            {"nbf", c.issued},
            {"sub", std::string_view(subject)}};
}

token_claims of_claims(const json::value& v)
{
    token_claims c;
    // The name of this member has a dot in it, which find_at() would split.
    const auto* own_object = v.is_object() ? v.get_object().if_contains("kubernetes.io") : nullptr;
    const json::value own = own_object ? *own_object : json::value();
    c.ns = text_at(own, "namespace");
    c.account = text_at(own, "serviceaccount.name");
    c.account_uid = text_at(own, "serviceaccount.uid");
    c.id = text_at(v, "jti");
    if (const auto* audiences = array_at(v, "aud"))
        for (const auto& a : *audiences) c.audiences.push_back(scalar_text(a));
    c.issued = int_at(v, "iat");
    c.expires = int_at(v, "exp");
    for (const auto& each : bindable_kinds)
        if (const auto* bound = find_at(own, each.claim))
            c.bound = {std::string(each.kind), std::string(text_at(*bound, "name")),
                       std::string(text_at(*bound, "uid"))};
    return c;
}

bool exists(const cluster_state_core& state, std::string_view plural, std::string_view ns, std::string_view name,
            std::string_view uid)
{
    const auto found = state.find("", plural)->find(storage_key(ns, name));
    return found && found->uid == uid;
}

/// Signs a token with HMAC-SHA256.
std::string sign_token(const token_claims& claims, std::string_view key)
{
    const std::string text = encode_base64url(header) + "." + encode_base64url(to_text(to_claims(claims)));
    return text + "." + encode_base64url(signature_of(text, key));
}

} // namespace

std::string random_token_key()
{
    std::array<unsigned char, 32> bytes;
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error("OpenSSL has no random bytes");
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<token_claims> verify_token(std::string_view token, std::string_view key)
{
    const auto dot = token.rfind('.');
    if (dot == std::string_view::npos || token.size() > longest_token) return {};
    const auto text = token.substr(0, dot);
    std::string signature;
    if (decode_base64url(token.substr(dot + 1), signature) != std::string::npos) return {};
    const std::string expected = signature_of(text, key);
    if (signature.size() != expected.size() || CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) != 0)
        return {};
    std::string claims;
    const auto middle = text.find('.');
    if (middle == std::string_view::npos) return {};
    if (decode_base64url(text.substr(middle + 1), claims) != std::string::npos) return {};
    // Others may sign with this key, too.
    const auto read = parse_json(claims, deepest_claims);
    return read ? std::optional(of_claims(*read)) : std::nullopt;
}

std::optional<user_info> user_of_token(const token_claims& claims, const cluster_state_core& state, wall_time now)
{
    const auto time = seconds_of(now);
    if (time >= claims.expires || time < claims.issued) return {};
    if (!exists(state, "serviceaccounts", claims.ns, claims.account, claims.account_uid)) return {};
    const auto& bound = claims.bound;
    if (const auto* kind = find_bindable(bound.kind))
        if (!exists(state, kind->plural, claims.ns, bound.name, bound.uid)) return {};
    user_info user{"system:serviceaccount:" + claims.ns + ":" + claims.account,
                   {"system:serviceaccounts", "system:serviceaccounts:" + claims.ns, "system:authenticated"},
                   claims.account_uid};
    user.extra.push_back({std::string(credential_id), {"JTI=" + claims.id}});
    if (bound.kind == "Pod") {
        user.extra.push_back({"authentication.kubernetes.io/pod-name", {bound.name}});
        user.extra.push_back({"authentication.kubernetes.io/pod-uid", {bound.uid}});
    }
    return user;
}

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
    auto body = read_part(x, "authentication.k8s.io/v1", "TokenRequest");
    if (!body) return respond(body.error());
    const auto account = x.state.get(x.address());
    if (!account) return respond(account.error());
    if (auto e = review_part(x, *body, flags->dry_run)) return respond(*e);
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
    const auto token = sign_token(claims, x.token_key);
    return object_response(to_text(token_request(*body, claims, token)), chosen->form, 201);
}

} // namespace kubecoro::apiserver
