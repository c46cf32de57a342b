#include "serve/webhooks_state.hpp"

#include "serve/certificate_keeper.hpp"
#include "serve/hook_server.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/detail/own_chain.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::string_view reloads_series = "kubecoro_webhook_tls_reloads_total";
constexpr std::string_view expiry_series = "kubecoro_webhook_certificate_expiry_timestamp_seconds";

/// "https://[::1]:9443" -> "::1".
std::string host_of(std::string_view url)
{
    const auto begin = url.find("//");
    if (begin == url.npos) return {};
    url.remove_prefix(begin + 2);
    if (url.starts_with('[')) return std::string(url.substr(1, url.find(']') - 1));
    return std::string(url.substr(0, url.find_first_of(":/")));
}

} // namespace

webhooks_state::webhooks_state(manager& m, webhooks_options o, hook_place at)
    : home(m),
      options(std::move(o)),
      place(std::move(at)),
      cluster(m.client()),
      executor(m.executor()),
      table({m.time(), m.log(), m.metrics()})
{
}

void webhooks_state::declare_rights_to(const resource_type& type, const std::string& name, bool create)
{
    if (!own_certificates() && !options.install) return;
    const auto ns = type.namespaced ? place.ns : std::string();
    if (create) home.needs({type.group, type.plural, {"create"}, ns, {}});
    home.needs({type.group, type.plural, {"get", "update"}, ns, name});
}

void webhooks_state::declare_rights()
{
    if (!own_certificates()) return;
    declare_rights_to({"", "v1", "secrets", "Secret"}, options.secret, true);
    home.needs({"", "secrets", {"watch"}, place.ns, options.secret});
}

std::vector<json::object> webhooks_state::manifests() const
{
    const auto hooks = table.hooks();
    std::vector<json::object> out;
    if (place.url.empty()) out.push_back(service_of(place));
    for (const bool mutating : {true, false}) {
        auto made = configuration(mutating, hooks, place, {});
        if (!made.at("webhooks").as_array().empty()) out.push_back(std::move(made));
    }
    for (const auto& hub : table.converted()) {
        auto definition = new_object(definition_type(), {"", definition_name(hub)});
        definition["spec"] = json::object{{"conversion", conversion_of(place, {})}};
        out.push_back(std::move(definition));
    }
    return out;
}

void webhooks_state::show(const rotation_core::identity& identity)
{
    auto made = make_server_tls({.certificate = identity.certificate, .key = identity.key});
    auto& numbers = *home.metrics();
    numbers.make_counter(reloads_series, {{"outcome", made ? "updated" : "unusable"}})->add();
    const auto facts = read_certificate(identity.certificate);
    if (made && facts)
        numbers.make_gauge(expiry_series, {})
            ->set(std::chrono::duration<double>(facts->until.time_since_epoch()).count());
    if (!made) {
        home.log().error("a certificate of the webhooks cannot be used", {{"problem", made.error().describe()}});
        return;
    }
    const std::lock_guard lock(mutex);
    tls = *std::move(made);
    has_tls.notify();
}

asio::awaitable<result<>> webhooks_state::keep_certificates(std::shared_ptr<webhooks_state> self)
{
    const auto& o = self->options;
    const auto service = o.service + "." + self->place.ns + ".svc";
    std::vector<std::string> names{service, service + ".cluster.local"};
    if (auto host = host_of(o.url); !host.empty()) names.push_back(std::move(host));
    certificate_keeper keeper({.rules = {.names = std::move(names)},
                               .place = self->place,
                               .secret = o.secret,
                               .install = o.install,
                               .cluster = self->cluster,
                               .time = self->home.time(),
                               .log = self->home.log(),
                               .serve = [self](const rotation_core::identity& i) { self->show(i); }},
                              self->table);
    co_return co_await keeper.run();
}

asio::awaitable<result<>> webhooks_state::serve(std::shared_ptr<webhooks_state> self, latch stop)
{
    const auto& o = self->options;
    std::function<std::shared_ptr<server_tls>()> tls = [self] {
        const std::lock_guard lock(self->mutex);
        return self->tls;
    };
    if (!self->own_certificates()) {
        const server_certificate::settings with{.certificate_file = o.certificate_file,
                                                .key_file = o.key_file,
                                                .machine = system_environment(),
                                                .time = self->home.time(),
                                                .numbers = self->home.metrics(),
                                                .reloads = reloads_series,
                                                .expiry = expiry_series,
                                                .log = self->home.log()};
        KUBECORO_TRY(auto files, server_certificate::make(with));
        tls = [files] { return files->current(); };
    } else {
        while (!tls() && !stop.settled()) (void)co_await race(self->has_tls.wait(), stop.wait());
        if (stop.settled()) co_return result<>();
    }
    hook_server server({.address = o.address,
                        .tls = tls,
                        .strand = make_kept_strand(self->executor),
                        .time = self->home.time(),
                        .log = self->home.log()},
                       self->table);
    KUBECORO_TRY(const auto bound, server.start());
    self->home.log().info("serving webhooks", {{"url", bound.url()}});
    {
        const std::lock_guard lock(self->mutex);
        self->url = bound.url();
    }
    (void)co_await catch_failure(stop.wait());
    co_return co_await finishing(server.stop());
}

} // namespace kubecoro::detail
