#include "auth/exec_login_core.hpp"

#include "address/proxy.hpp"
#include "files/tls_pem.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/time_text.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/client/detail/yaml_text.hpp>

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 2> versions{"client.authentication.k8s.io/v1",
                                                   "client.authentication.k8s.io/v1beta1"};
constexpr std::size_t shown_text = 100;

failure wrong(const std::string& why) { return failure(cond::misconfigured, "its output " + why); }

/// The text of a member; empty if it is absent or null, none if it is something else.
std::optional<std::string> text_of(const json::object& in, std::string_view name)
{
    const auto* v = in.if_contains(name);
    if (v == nullptr || v->is_null()) return std::string();
    if (!v->is_string()) return std::nullopt;
    return std::string(v->get_string());
}

result<std::optional<std::chrono::sys_seconds>> expiry_of(const json::object& status)
{
    const auto text = text_of(status, "expirationTimestamp");
    if (!text) return wrong("has an expirationTimestamp that is no string");
    if (text->empty()) return std::optional<std::chrono::sys_seconds>();
    const auto time = read_time(*text);
    if (!time) return wrong("has an expirationTimestamp that is no RFC 3339 time");
    return std::optional(std::chrono::sys_seconds(std::chrono::seconds(time->seconds)));
}

} // namespace

result<> check_exec(const exec_config& plugin)
{
    const auto bad = [](const std::string& why) { return failure(cond::misconfigured, why); };
    if (plugin.command.empty()) return bad("command: missing");
    if (plugin.api_version != versions[0] && plugin.api_version != versions[1])
        return bad("apiVersion: \"" + printable(plugin.api_version, shown_text) + "\" is neither " +
                   std::string(versions[0]) + " nor v1beta1");
    boost::system::error_code ec;
    if (!plugin.config.empty() && (json::parse(plugin.config, ec), ec)) return bad("config: not JSON");
    return {};
}

std::string exec_info(const exec_config& plugin, const cluster_config& cluster, bool interactive)
{
    json::object spec{{"interactive", interactive}};
    if (plugin.provide_cluster_info) {
        json::object c{{"server", cluster.server}};
        if (!cluster.server_name.empty()) c["tls-server-name"] = cluster.server_name;
        if (cluster.insecure) c["insecure-skip-tls-verify"] = true;
        if (!cluster.ca.empty()) c["certificate-authority-data"] = bytes(cluster.ca).base64();
        if (!cluster.proxy_url.empty() && cluster.proxy_url != no_proxy) c["proxy-url"] = cluster.proxy_url;
        if (cluster.disable_compression) c["disable-compression"] = true;
        boost::system::error_code ec;
        if (!plugin.config.empty()) c["config"] = json::parse(plugin.config, ec);
        spec["cluster"] = std::move(c);
    }
    return json::serialize(
        json::object{{"kind", "ExecCredential"}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

result<exec_credential> read_exec_credential(std::string_view output, std::string_view api_version)
{
    const auto parsed = read_document(output);
    if (!parsed || !parsed->is_object()) return wrong("is not an object in JSON or YAML");
    const auto& whole = parsed->get_object();
    if (text_of(whole, "kind") != "ExecCredential") return wrong("is not of kind ExecCredential");
    if (const auto version = text_of(whole, "apiVersion"); version != api_version)
        return wrong("is of another apiVersion than " + std::string(api_version));
    const auto* found = whole.if_contains("status");
    if (found == nullptr || !found->is_object()) return wrong("has no status");
    const auto& status = found->get_object();
    auto token = text_of(status, "token");
    if (!token) return wrong("has a token that is no string");
    if (token->find_first_of("\r\n") != token->npos) return wrong("has a token of several lines");
    auto certificate = text_of(status, "clientCertificateData");
    auto key = text_of(status, "clientKeyData");
    if (!certificate || !key) return wrong("has a client certificate or key that is no string");
    if (certificate->empty() != key->empty()) return wrong("has a client certificate or its key, not both");
    if (token->empty() && key->empty()) return wrong("has neither a token nor a client certificate");
    // The reason may be OpenSSL's, which holds nothing of the texts.
    if (!key->empty())
        if (const auto fits = check_pair(*certificate, *key); !fits)
            return wrong("has a client certificate that cannot be used: " + fits.error().message());
    auto expires = expiry_of(status);
    if (!expires) return expires.error();
    exec_credential out{.token = std::move(*token), .certificate = std::move(*certificate), .key = std::move(*key)};
    out.expires = *expires;
    return out;
}

namespace {

// Credentials are renewed this long before they expire, or in the last fifth of their life.
constexpr std::chrono::seconds longest_leeway{10};
constexpr std::chrono::hours longest_life{365 * 24};

bool are_same(const exec_credential& a, const exec_credential& b)
{
    return a.token == b.token && a.certificate == b.certificate && a.key == b.key;
}

} // namespace

held_credential exec_login_core::choose(time_point now, const held_credential& refused) const
{
    if (!current_ || (renew_at_ && now >= *renew_at_)) return nullptr;
    if (current_ != refused || (patient_until_ && now < *patient_until_)) return current_;
    return nullptr;
}

void exec_login_core::on_run(time_point now, const held_credential& refused)
{
    if (!refused || refused != current_) return;
    const bool is_series = patient_until_ && now < *patient_until_ + pause_;
    pause_ = is_series ? std::min<duration>(2 * pause_, longest_pause) : first_pause;
    patient_until_ = now + pause_;
}

bool exec_login_core::on_credential(exec_credential c, time_point now, std::chrono::system_clock::time_point wall_now)
{
    duration left = longest_life;
    renew_at_.reset();
    if (c.expires) {
        // In seconds: nanoseconds have no room for the year 9999, with which some plugins say "never".
        const auto today = std::chrono::floor<std::chrono::seconds>(wall_now);
        left = std::clamp<std::chrono::seconds>(*c.expires - today, std::chrono::seconds::zero(), longest_life);
        renew_at_ = now + left - std::min<duration>(longest_leeway, left / 5);
    }
    if (!current_ || !are_same(*current_, c)) current_ = std::make_shared<const exec_credential>(std::move(c));
    return left == duration::zero();
}

} // namespace kubecoro::detail
