// Snippets of docs/guide/webhooks.md: webhooks of an operator, and a test that has them in virtual time.
#include <kubecoro/api/described.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/kubecoro.hpp>
#include <kubecoro/meta_v1/object_meta.hpp>
#include <kubecoro/program/operator_options.hpp>
#include <kubecoro/testing/round_trips.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace asio = boost::asio;
namespace json = boost::json;
using kubecoro::result;
using kubecoro::verdict;

namespace {

struct site_spec
{
    std::vector<std::string> hosts;
    std::optional<int> replicas;
    BOOST_DESCRIBE_CLASS(site_spec, (), (hosts, replicas), (), ())
};
struct site
{
    static kubecoro::resource_type resource() { return {"example.com", "v2", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    site_spec spec;
    BOOST_DESCRIBE_CLASS(site, (), (metadata, spec), (), ())
};
struct site_spec_v1
{
    std::string host;
    std::optional<int> replicas;
    BOOST_DESCRIBE_CLASS(site_spec_v1, (), (host, replicas), (), ())
};
struct site_v1
{
    static kubecoro::resource_type resource() { return {"example.com", "v1", "sites", "Site"}; }
    kubecoro::meta_v1::object_meta metadata;
    site_spec_v1 spec;
    BOOST_DESCRIBE_CLASS(site_v1, (), (metadata, spec), (), ())
};

asio::awaitable<result<bool>> is_taken(kubecoro::client, std::string) { co_return false; }

} // namespace

//[webhooks
void add_webhooks(kubecoro::manager& m)
{
    kubecoro::webhooks hooks(m);
    hooks.mutates<site>([](site& s) {
        if (!s.spec.replicas) s.spec.replicas = 1;
    });
    hooks.validates<site>([cluster = m.client()](const site& s) -> asio::awaitable<result<verdict>> {
        if (s.spec.hosts.empty()) co_return verdict::denied("spec.hosts is empty");
        for (const auto& host : s.spec.hosts) {
            KUBECORO_TRY(const bool taken, co_await is_taken(cluster, host));
            if (taken) co_return verdict::denied(host + " belongs to another site", 409);
        }
        co_return verdict::allowed();
    });
}
//]

//[converts
void add_conversions(kubecoro::webhooks hooks)
{
    hooks.converts<site_v1, site>(
        [](const site_v1& from, site& to) { to.spec.hosts = {from.spec.host}; },
        [](const site& from, site_v1& to) { to.spec.host = from.spec.hosts.empty() ? "" : from.spec.hosts.front(); });
}
//]

//[round_trips
std::string lost(const kubecoro::webhooks& hooks)
{
    const auto one_host = [](json::object& o) { // of the objects that are tried
        if (o["apiVersion"] == "example.com/v2") kubecoro::field(o, "spec", "hosts") = json::array{"a.example"};
    };
    return kubecoro::testing::lost_in_round_trips<site_v1, site>(hooks, {.adjust = one_host}); // "" = nothing
}
//]

//[files
void add_with_cert_manager(kubecoro::manager& m, const kubecoro::operator_options& o)
{
    kubecoro::webhooks hooks(m, {.address = o.webhooks,
                                 .certificate_file = "/certificates/tls.crt",
                                 .key_file = "/certificates/tls.key",
                                 .install = false});
    hooks.validates<site>(kubecoro::object_schema::of<site>().value());
}
//]

//[tests
void ask_in_process(kubecoro::apiserver::embedded_server& server, const kubecoro::webhooks& hooks)
{
    server.call_webhooks([hooks](const kubecoro::webhook_server&) { return hooks.in_process(); });
}
//]
