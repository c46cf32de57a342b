// Webhooks over TLS: the manager's own certificates, requests of servers, and hostile ones.
#include "site.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/certificates/certificates.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/webhooks/webhooks.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json.hpp>

#include <future>
#include <optional>
#include <thread>

namespace asio = boost::asio;
namespace json = boost::json;
using namespace kubecoro;
using namespace std::chrono_literals;
using webhooks_test::site;

namespace {

constexpr std::string_view review =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE",
        "resource":{"group":"example.com","version":"v2","resource":"sites"},"kind":{"kind":"Site"},
        "object":{"apiVersion":"example.com/v2","kind":"Site","metadata":{"name":"a"},"spec":{"hosts":[]}}}})";

/// A manager with webhooks on a free port, on a thread of its own, over an embedded server.
class program
{
public:
    program()
    {
        manager_options o;
        o.name = "subject";
        client_options how;
        how.log = log_.handle();
        const auto direct = std::make_shared<apiserver::in_process_transport>(server_);
        cluster_.emplace(io_.get_executor(), direct, how);
        manager_.emplace(*cluster_, o);
        hooks_.emplace(*manager_, webhooks_options{.address = "127.0.0.1:0"});
        hooks_
            ->validates<site>(
                [](const site& s) { return s.spec.hosts.empty() ? verdict::denied("no hosts") : verdict(); })
            .converts<webhooks_test::site_v1, site>(webhooks_test::to_hub, webhooks_test::from_hub);
        thread_ = std::thread([this] { io_.run(); });
        ended_ = asio::co_spawn(io_, manager_->run(), asio::use_future);
    }
    ~program()
    {
        manager_->request_stop();
        CHECK(ended_.get());
        CHECK(wait(server_.stop()));
        work_.reset();
        thread_.join();
    }
    template<class T>
    T wait(asio::awaitable<T> what)
    {
        return asio::co_spawn(io_, std::move(what), asio::use_future).get();
    }
    std::string url()
    {
        REQUIRE(test::eventually([&] { return !hooks_->url().empty(); }));
        return hooks_->url();
    }
    /// A client that trusts as a server does, by the bundle of the configuration.
    client caller()
    {
        const auto at = url();
        std::string bundle;
        const bool published = test::eventually([&] {
            const auto found =
                wait(cluster_->get({"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
                                    "ValidatingWebhookConfiguration", false},
                                   "", "subject"));
            if (!found) return false;
            bundle = (*found)["webhooks"][std::size_t{0}]["clientConfig"]["caBundle"].as_string();
            return !bundle.empty();
        });
        REQUIRE(published);
        return caller(bytes::from_base64(bundle).value().data);
    }
    client caller(std::string bundle)
    {
        cluster_config config;
        config.server = url();
        config.ca = std::move(bundle);
        config.server_name = "subject-webhooks.default.svc";
        client_options how;
        how.log = logger::silent();
        return client::create(io_.get_executor(), config, how).value();
    }
    result<raw_answer> post(const client& by, std::string target, std::string body,
                            std::string type = "application/json")
    {
        return wait(by.raw(
            {.method = "POST", .target = std::move(target), .content_type = std::move(type), .body = std::move(body)}));
    }
    testing::recording_logger& log() { return log_; }

private:
    testing::recording_logger log_;
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
    apiserver::embedded_server server_{io_.get_executor()};
    std::optional<client> cluster_;
    std::optional<manager> manager_;
    std::optional<webhooks> hooks_;
    std::thread thread_;
    std::future<result<>> ended_;
};

} // namespace

TEST_CASE("webhooks: a server that trusts the configuration's bundle is answered", "[webhooks][integration]")
{
    program p;
    const auto by = p.caller();
    for (int i = 0; i < 3; ++i) {
        const auto answer = p.post(by, "/validate-example-com-v2-site?timeout=5s", std::string(review)).value();
        CHECK(answer.head.status == 200);
        CHECK(json::parse(answer.body).at("response").at("status").at("message") == "no hosts");
    }
    const auto converted =
        p.post(by, "/convert",
               R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"2",
        "desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Site","spec":{"host":"h"}}]}})")
            .value();
    CHECK(json::parse(converted.body).at("response").at("convertedObjects").at(0).at("spec").at("hosts") ==
          json::array{"h"});
}

TEST_CASE("webhooks: requests that are none are refused in words", "[webhooks][integration]")
{
    program p;
    const auto by = p.caller();
    CHECK(p.post(by, "/nowhere", std::string(review)).value().head.status == 404);
    CHECK(p.post(by, "/validate-example-com-v2-site", std::string(review), "text/plain").value().head.status == 415);
    CHECK(p.post(by, "/validate-example-com-v2-site", "{}").value().head.status == 400);
    CHECK(p.wait(by.raw({.method = "GET", .target = "/convert"})).value().head.status == 405);
    const auto large = p.post(by, "/validate-example-com-v2-site", std::string(std::size_t{8} << 20, ' '));
    CHECK(large.value().head.status == 400);
    CHECK(large.value().body == "a review has 7340032 bytes at most\n");
    CHECK(p.post(by, "/validate-example-com-v2-site", std::string(review)).value().head.status == 200);
}

TEST_CASE("webhooks: a client that trusts another authority does not get through", "[webhooks][integration]")
{
    program p;
    const auto other = tls_authority::generate(std::chrono::system_clock::now(), 24h).value();
    const auto refused = p.post(p.caller(other.certificate), "/convert", "{}");
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::unreachable);
}
