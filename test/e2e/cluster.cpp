#include "cluster.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace kubecoro::e2e {

namespace {

using untyped::config_map;
using untyped::custom_resource_definition;
using untyped::namespace_;
using untyped::pod;

std::string random_suffix()
{
    std::string out;
    std::uint64_t number = detail::random_seed();
    for (int i = 0; i < 8; ++i, number /= 26) out += static_cast<char>('a' + number % 26);
    return out;
}

constexpr std::string_view widget_schema =
    R"({"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"},)"
    R"("note":{"type":"string"}}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})";

std::string namespace_manifest(const std::string& name)
{
    return R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + R"("}})";
}

} // namespace

std::string setting(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::optional<cluster_config> cluster::config(const char* variable)
{
    const auto path = setting(variable);
    if (path.empty()) return {};
    return load_kubeconfig({.path = path}).value();
}

cluster::cluster(const char* variable) : suffix_(random_suffix())
{
    auto admin = config(variable);
    if (!admin) throw std::runtime_error(std::string(variable) + " is not set; `./dev e2e` starts a cluster");
    client_ = connect(std::move(*admin));
}

client cluster::connect(cluster_config config, client_options options)
{
    return client::create(executor(), std::move(config), std::move(options)).value();
}

cluster::~cluster()
{
    try {
        if (server_stopped_) disturb("cont-apiserver");
        if (server_down_) disturb("start-apiserver");
        for (auto c = created_.rbegin(); c != created_.rend(); ++c) remove(*c);
    } catch (const std::exception& e) {
        std::cerr << "clean-up failed: " << e.what() << '\n';
    }
    client_.reset();
    pool_.stop();
    pool_.join();
}

std::string cluster::make_namespace(const std::string& prefix)
{
    auto name = unique(prefix);
    make(namespace_::resource(), {}, name, namespace_manifest(name));
    return name;
}

std::vector<std::string> cluster::make_namespaces(const std::string& prefix, std::size_t count)
{
    constexpr std::size_t at_once = 20;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(unique(prefix + std::to_string(i)));
    for (std::size_t from = 0; from < count; from += at_once) {
        std::vector<std::future<result<object>>> batch;
        for (std::size_t i = from; i < std::min(count, from + at_once); ++i) {
            created_.push_back({namespace_::resource(), {}, names[i]});
            batch.push_back(start(api().create(namespace_::resource(), {}, namespace_manifest(names[i]))));
        }
        for (auto& made : batch) made.get().value();
    }
    return names;
}

void cluster::make(const resource_type& type, const std::string& ns, const std::string& name, const std::string& json)
{
    run(api().create(type, ns, json)).value();
    created_.push_back({type, ns, name});
}

resource_type cluster::widget_type() const
{
    return {"e2e-" + suffix_ + ".kubecoro.dev", "v1", "widgets", "Widget", true};
}

void cluster::define(const resource_type& custom)
{
    const auto name = custom.plural + "." + custom.group;
    make(custom_resource_definition::resource(), {}, name,
         R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":")" + name +
             R"("},"spec":{"group":")" + custom.group + R"(","scope":"Namespaced","names":{"plural":")" +
             custom.plural + R"(","singular":"widget","kind":")" + custom.kind + R"("},"versions":[{"name":")" +
             custom.version + R"(","served":true,"storage":true,"schema":{"openAPIV3Schema":)" +
             std::string(widget_schema) + "}}]}}");
}

void cluster::undefine(const resource_type& custom)
{
    const auto type = custom_resource_definition::resource();
    const auto name = custom.plural + "." + custom.group;
    run(api().remove(type, {}, name)).value();
    const auto gone = [&] {
        const auto found = run(api().get(type, {}, name));
        return !found && found.error() == cond::not_found;
    };
    if (!eventually(gone)) throw std::runtime_error("the definition is not removed");
}

result<picture> cluster::read(const resource_type& type, const std::vector<std::string>& namespaces)
{
    picture out;
    list_options options;
    options.limit = 50;
    for (const auto& ns : namespaces.empty() ? std::vector<std::string>{""} : namespaces) {
        const auto page = run(api().list_all(type, ns, options));
        if (!page) return page.error();
        for (const auto& o : page->items) out.emplace(object_key(o.key()), o);
    }
    return out;
}

bool cluster::eventually(const std::function<bool()>& holds, std::chrono::seconds limit)
{
    const auto until = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::unique_lock lock(mutex_);
        news_.wait_for(lock, std::chrono::milliseconds{50});
    }
    return true;
}

bool cluster::disturbable()
{
    if (!setting("KUBECORO_E2E_CLUSTER").empty()) return true;
    WARN("skipped: KUBECORO_E2E_CLUSTER is not set to a script that may disturb this cluster");
    return false;
}

void cluster::disturb(const std::string& verb)
{
    if (verb == "kill-apiserver") server_down_ = true;
    if (verb == "stop-apiserver") server_stopped_ = true;
    const auto command = '"' + setting("KUBECORO_E2E_CLUSTER") + "\" cluster " + verb + " >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cluster " + verb + " failed");
    if (verb == "start-apiserver") server_down_ = false;
    if (verb == "cont-apiserver") server_stopped_ = false;
}

// Empties a namespace, because a kube-apiserver without controllers does not.
void cluster::empty(const std::string& ns)
{
    std::vector<std::string> collections{"/api/v1/namespaces/" + ns + "/pods",
                                         "/api/v1/namespaces/" + ns + "/configmaps"};
    for (const auto& c : created_) {
        if (c.type == custom_resource_definition::resource()) {
            const auto custom = widget_type();
            collections.push_back(custom.path_prefix() + "/namespaces/" + ns + "/" + custom.plural);
        }
    }
    for (const auto& path : collections) {
        request r;
        r.method = "DELETE";
        r.target = path + "?gracePeriodSeconds=0";
        run(api().raw(r)).value();
    }
}

void cluster::remove(const created& c)
{
    const bool is_namespace = c.type == namespace_::resource();
    if (is_namespace) empty(c.name);
    const auto removed = run(api().remove(c.type, c.ns, c.name));
    if (!removed && removed.error() != cond::not_found) throw error(removed.error());
    if (!is_namespace || setting("KUBECORO_E2E_CLUSTER").empty()) return;
    request r;
    r.method = "PUT";
    r.target = "/api/v1/namespaces/" + c.name + "/finalize";
    r.content_type = "application/json";
    r.body =
        R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + c.name + R"("},"spec":{"finalizers":[]}})";
    run(api().raw(r)).value();
}

informers::informers(cluster& c, std::shared_ptr<source_provider> provider, factory_options options)
    : cluster_(&c), factory_(std::move(provider), std::move(options))
{
}

informers::~informers()
{
    try {
        stop();
    } catch (const std::exception& e) {
        std::cerr << "stop failed: " << e.what() << '\n';
    }
}

void informers::stop() { cluster_->run(factory_.stop()).value(); }

factory_options impatient()
{
    factory_options out;
    out.policy.backoff.initial = std::chrono::milliseconds{100};
    out.policy.backoff.cap = std::chrono::seconds{2};
    return out;
}

std::uint16_t free_port()
{
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor at(io, {boost::asio::ip::address_v4::loopback(), 0});
    return at.local_endpoint().port();
}

} // namespace kubecoro::e2e
