#include "cluster_under_test.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace kubecoro::conformance {

struct cluster_under_test::embedded
{
    embedded(boost::asio::any_io_executor executor, apiserver::server_options options)
        : server(std::move(executor), std::move(options))
    {
    }
    apiserver::embedded_server server;
};

namespace {

const char* variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

apiserver::tls_identity make_identity()
{
    apiserver::tls_identity_options options;
    options.now = std::chrono::system_clock::now();
    return apiserver::tls_identity::generate(options).value();
}

/// Reaches webhooks as a kube-apiserver does.
std::function<result<client>(const webhook_server&)> over_https(boost::asio::any_io_executor executor)
{
    return [executor](const webhook_server& at) {
        cluster_config where;
        where.server = at.url.substr(0, at.url.find('/', at.url.find("//") + 2));
        where.ca = at.bundle;
        return client::create(executor, where);
    };
}

} // namespace

cluster_under_test::cluster_under_test() : context_(std::make_unique<boost::asio::io_context>())
{
    std::uint64_t number = detail::random_seed();
    for (int i = 0; i < 8; ++i, number /= 26) suffix_ += static_cast<char>('a' + number % 26);

    if (variable("KUBECORO_CONFORMANCE") == std::string("cluster")) {
        const auto path = variable("KUBECORO_E2E_KUBECONFIG");
        if (std::string_view(path).empty()) throw std::runtime_error("KUBECORO_E2E_KUBECONFIG is not set");
        config_ = load_kubeconfig({.path = path}).value();
    } else {
        static const apiserver::tls_identity identity = make_identity();
        apiserver::server_options options;
        options.tokens.push_back({"conformance", {"admin", {"system:masters"}}});
        embedded_ = std::make_unique<embedded>(context_->get_executor(), std::move(options));
        embedded_->server.call_webhooks(over_https(context_->get_executor()));
        apiserver::listener_options endpoint;
        endpoint.tls = identity;
        config_.server = run(embedded_->server.listen(std::move(endpoint))).value().url();
        config_.ca = identity.ca_certificate;
        config_.login.token = "conformance";
    }
    client_ = connect();
    ns_ = unique("conformance");
    run(api().create(untyped::namespace_::resource(), {},
                     R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + ns_ + R"("}})"))
        .value();
}

client cluster_under_test::connect(client_options options) const
{
    options.max_retries = 0; // the tests check the server's answers
    return client::create(context_->get_executor(), config_, std::move(options)).value();
}

cluster_under_test::~cluster_under_test()
{
    [[maybe_unused]] const auto removed = run(api().remove(untyped::namespace_::resource(), {}, ns_));
    if (embedded_)
        run(embedded_->server.stop()).value();
    else if (*variable("KUBECORO_E2E_CLUSTER"))
        finalize_namespace();
}

// A kube-apiserver without controllers does not empty and remove a deleted namespace.
void cluster_under_test::finalize_namespace()
{
    request r;
    r.method = "DELETE";
    for (const char* collection :
         {"/api/v1/namespaces/%/configmaps", "/api/v1/namespaces/%/pods", "/apis/apps/v1/namespaces/%/deployments"}) {
        r.target = collection;
        r.target.replace(r.target.find('%'), 1, ns_).append("?gracePeriodSeconds=0");
        [[maybe_unused]] const auto emptied = run(api().raw(r));
    }
    r.method = "PUT";
    r.target = "/api/v1/namespaces/" + ns_ + "/finalize";
    r.content_type = "application/json";
    r.body = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + ns_ + R"("},"spec":{"finalizers":[]}})";
    [[maybe_unused]] const auto gone = run(api().raw(r));
}

result<client::raw_answer> cluster_under_test::send(std::string method, std::string target, std::string_view type,
                                                    std::string body)
{
    request r;
    r.method = std::move(method);
    r.target = std::move(target);
    r.content_type = type;
    r.accept = "application/json";
    r.body = std::move(body);
    return run(api().raw(std::move(r)));
}

result<watch_event> cluster_under_test::next_event(watch_stream& watch)
{
    while (true) {
        while (!waiting_.empty()) {
            watch_event e = std::move(waiting_.front());
            waiting_.erase(waiting_.begin());
            if (e.type != watch_event_type::bookmark) return e;
        }
        auto batch = run(watch.next());
        if (!batch) return batch.error();
        if (batch->empty()) return failure{cond::unreachable, "the watch ended"};
        waiting_ = std::move(*batch);
    }
}

std::vector<watch_event> cluster_under_test::events_until(watch_stream& watch, bool (*last)(const watch_event&))
{
    std::vector<watch_event> out;
    while (true) {
        auto batch = run(watch.next());
        if (!batch || batch->empty()) return out;
        for (watch_event& e : *batch) {
            out.push_back(std::move(e));
            if (last(out.back())) return out;
        }
    }
}

bool cluster_under_test::forget_history()
{
    if (embedded_) return run(embedded_->server.compact()).has_value();
    const std::string script = variable("KUBECORO_E2E_CLUSTER");
    if (script.empty()) return false;
    return std::system(('"' + script + "\" cluster compact >/dev/null").c_str()) == 0;
}

std::string config_map(const std::string& name, const std::string& value, const std::string& more)
{
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + '"' + more + R"(},"data":{"k":")" +
           value + R"("}})";
}

std::string deployment(const std::string& name, int replicas)
{
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name + R"("},"spec":{"replicas":)" +
           std::to_string(replicas) +
           R"(,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},)"
           R"("spec":{"containers":[{"name":"c","image":"i"}]}}}})";
}

std::string pod(const std::string& name, const std::string& more)
{
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + '"' + more +
           R"(},"spec":{"containers":[{"name":"c","image":"i"}]}})";
}

} // namespace kubecoro::conformance
