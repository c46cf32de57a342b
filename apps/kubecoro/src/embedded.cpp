#include "embedded.hpp"

#include "direct_transport.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/manifest_files.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

/// Exceeds all versions of earlier starts: the server makes less than one write a microsecond.
std::uint64_t version_of_start()
{
    using std::chrono::microseconds;
    const auto since = std::chrono::duration_cast<microseconds>(real_clock()->wall_now().time_since_epoch());
    return static_cast<std::uint64_t>(since.count());
}

} // namespace

embedded::embedded(asio::any_io_executor executor, embedded_options options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      admin_token_(options_.admin_token.empty() ? apiserver::random_token().value() : options_.admin_token),
      limited_token_(options_.limited_token.empty() ? apiserver::random_token().value() : options_.limited_token)
{
    apiserver::server_options with;
    if (options_.history) with.cluster.history = *options_.history;
    with.cluster.first_version = version_of_start();
    with.cluster.seed = detail::random_seed();
    with.cluster.namespace_defaults = options_.namespace_defaults;
    with.tokens.push_back({admin_token_, {"admin", {"system:masters", "system:authenticated"}}});
    with.tokens.push_back({limited_token_, {"limited", {"system:authenticated"}}});
    for (const char* verb : {"get", "list", "watch"}) with.rules.push_back({true, "limited", verb, "configmaps"});
    with.live_nodes = options_.live_nodes;
    with.log = options_.log;
    server_ = std::make_unique<apiserver::embedded_server>(executor_, std::move(with));
}

asio::awaitable<result<>> embedded::listen()
{
    apiserver::tls_identity_options about;
    about.names.push_back(options_.address);
    about.now = real_clock()->wall_now();
    about.authority = options_.authority;
    KUBECORO_TRY(auto identity, apiserver::tls_identity::generate(about));
    ca_ = identity.ca_certificate;
    apiserver::listener_options where;
    where.address = options_.address;
    where.port = options_.port;
    where.tls = std::move(identity);
    KUBECORO_TRY(auto bound, co_await server_->listen(std::move(where)));
    // A kubeconfig needs an address that clients can connect to.
    if (is_every_interface(bound.address)) bound.address = bound.address == "::" ? "::1" : "127.0.0.1";
    url_ = bound.url();
    co_return result<>();
}

std::string embedded::kubeconfig(const std::string& token) const
{
    apiserver::kubeconfig_entry entry;
    entry.server = url_;
    entry.ca_certificate = ca_;
    entry.token = token;
    return apiserver::kubeconfig_text(entry);
}

result<client> embedded::connect() const
{
    cluster_config config;
    config.server = url_;
    config.ca = ca_;
    config.login.token = admin_token_;
    client_options with;
    with.log = options_.log;
    return client::create(executor_, std::move(config), std::move(with));
}

client embedded::direct() const { return client(executor_, std::make_shared<direct_transport>(*server_)); }

bool is_every_interface(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

result<embedded_options> parse_listen(const std::string& text)
{
    embedded_options out;
    const auto colon = text.rfind(':');
    const auto wrong = [&] { return failure(cond::invalid, "--listen expects HOST:PORT, not \"" + text + "\""); };
    if (colon == std::string::npos) return wrong();
    std::string host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    if (host == "localhost") host = "127.0.0.1";
    if (!host.empty()) out.address = host;
    const char* first = text.data() + colon + 1;
    const char* last = text.data() + text.size();
    const auto [end, ec] = std::from_chars(first, last, out.port);
    if (ec != std::errc() || end != last) return wrong();
    return out;
}

asio::awaitable<result<std::size_t>> load_files(apiserver::embedded_server& server, std::vector<std::string> paths)
{
    KUBECORO_TRY(auto files, detail::read_files({.names = std::move(paths)}));
    std::size_t objects = 0;
    for (auto& file : files) {
        auto loaded = co_await server.load(std::move(file.text), file.name);
        if (!loaded) {
            const bool named = loaded.error().message().find(file.name) != std::string::npos;
            co_return named ? loaded.error() : loaded.error().because(file.name);
        }
        objects += *loaded;
    }
    co_return objects;
}

} // namespace kubecoro::tool
