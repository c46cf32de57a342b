#include "embedded.hpp"

#include "direct_transport.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace fs = std::filesystem;

embedded::embedded(asio::any_io_executor executor, embedded_options options)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      admin_token_(options_.admin_token.empty() ? apiserver::random_token().value() : options_.admin_token),
      limited_token_(options_.limited_token.empty() ? apiserver::random_token().value() : options_.limited_token)
{
    apiserver::server_options with;
    if (options_.history) with.cluster.history = *options_.history;
    with.cluster.seed = random_seed();
    with.tokens.push_back({admin_token_, {"admin", {"system:masters", "system:authenticated"}}});
    with.tokens.push_back({limited_token_, {"limited", {"system:authenticated"}}});
    for (const char* verb : {"get", "list", "watch"}) with.rules.push_back({true, "limited", verb, "configmaps"});
    with.log = options_.log;
    server_ = std::make_unique<apiserver::embedded_server>(executor_, std::move(with));
}

asio::awaitable<result<>> embedded::listen()
{
    apiserver::tls_identity_options about;
    about.names.push_back(options_.address);
    about.now = real_clock()->wall_now();
    about.authority = options_.authority;
    auto identity = apiserver::tls_identity::generate(about);
    if (!identity) co_return identity.error();
    ca_ = identity->ca_certificate;
    apiserver::endpoint_options where;
    where.address = options_.address;
    where.port = options_.port;
    where.tls = std::move(*identity);
    auto bound = co_await server_->listen(std::move(where));
    if (!bound) co_return bound.error();
    // A kubeconfig needs an address that clients can connect to.
    if (is_every_interface(bound->address)) bound->address = bound->address == "::" ? "::1" : "127.0.0.1";
    url_ = bound->url();
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

namespace {

result<std::string> read_file(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) return failure(cond::misconfigured, "cannot read " + path.string());
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (in.bad()) return failure(cond::misconfigured, "cannot read " + path.string());
    return text;
}

result<std::vector<fs::path>> files_of(const std::vector<std::string>& paths)
{
    std::vector<fs::path> out;
    for (const auto& path : paths) {
        std::error_code ec;
        if (!fs::is_directory(path, ec)) {
            out.emplace_back(path);
            continue;
        }
        std::vector<fs::path> inside;
        for (auto entry = fs::directory_iterator(path, ec); !ec && entry != fs::directory_iterator();
             entry.increment(ec)) {
            const auto extension = entry->path().extension();
            if (extension == ".yaml" || extension == ".yml" || extension == ".json") inside.push_back(entry->path());
        }
        if (ec) return failure(cond::misconfigured, "cannot read " + path + ": " + ec.message());
        if (inside.empty()) return failure(cond::misconfigured, "no .yaml, .yml or .json file in " + path);
        std::sort(inside.begin(), inside.end());
        out.insert(out.end(), inside.begin(), inside.end());
    }
    return out;
}

} // namespace

asio::awaitable<result<std::size_t>> load_files(apiserver::embedded_server& server, std::vector<std::string> paths)
{
    auto files = files_of(paths);
    if (!files) co_return files.error();
    std::size_t objects = 0;
    for (const auto& file : *files) {
        auto text = read_file(file);
        if (!text) co_return text.error();
        auto loaded = co_await server.load(std::move(*text), file.string());
        if (!loaded) {
            const bool named = loaded.error().message().find(file.string()) != std::string::npos;
            co_return named ? loaded.error() : loaded.error().because(file.string());
        }
        objects += *loaded;
    }
    co_return objects;
}

} // namespace kubecoro::tool
