// Webhooks over TLS: the manager's own certificates, requests of servers, and hostile ones.
#include "raw_client.hpp"
#include "site.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/certificates/certificates.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/virtual_clock.hpp>
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
    /// @param time  The clock of the manager; null = the real one.
    explicit program(std::shared_ptr<time_source> time = {})
    {
        manager_options o;
        o.name = "subject";
        client_options how;
        how.log = log_.handle();
        how.metrics = numbers_;
        how.time = std::move(time);
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
    /// That of the configuration, as PEM text.
    std::string bundle()
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
        return bytes::from_base64(bundle).value().data;
    }
    /// A client that trusts as a server does.
    client caller() { return caller(bundle()); }
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
    result<client::raw_answer> post(const client& by, std::string target, std::string body,
                                    std::string type = "application/json")
    {
        return wait(by.raw(
            {.method = "POST", .target = std::move(target), .content_type = std::move(type), .body = std::move(body)}));
    }
    /// The requests that were refused for this reason.
    double refused(const std::string& why) const
    {
        return numbers_->value("kubecoro_webhook_refused_requests_total", {{"why", why}});
    }
    const testing::recording_metrics& numbers() const { return *numbers_; }
    /// A connection for any bytes.
    apiserver::raw_client raw()
    {
        const auto at = url();
        const auto port = static_cast<std::uint16_t>(std::stoi(at.substr(at.rfind(':') + 1)));
        return apiserver::raw_client({.address = "127.0.0.1", .port = port, .tls = true},
                                     {.ca = bundle(), .host = "subject-webhooks.default.svc"});
    }

private:
    std::shared_ptr<testing::recording_metrics> numbers_ = std::make_shared<testing::recording_metrics>();
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

TEST_CASE("webhooks: requests that are none are refused in words, and counted", "[webhooks][integration]")
{
    struct row
    {
        std::string target;
        std::string body;
        std::string type;
        int status;
        std::string why;
    };
    const std::string path = "/validate-example-com-v2-site", json = "application/json", whole(review);
    auto other_kind = whole;
    other_kind.replace(other_kind.find("\"sites\""), 7, "\"other\"");
    program p;
    const auto by = p.caller();
    for (const auto& [target, body, type, status, why] :
         {row{"/nowhere", whole, json, 404, "path"}, row{path, whole, "text/plain", 415, "content_type"},
          row{path, whole, "", 415, "content_type"}, row{path, "{}", json, 400, "review"},
          row{path, "", json, 400, "review"}, row{path, "[1", json, 400, "review"},
          row{path, other_kind, json, 400, "resource"}, row{"/convert", whole, json, 400, "review"}}) {
        INFO(target << " " << type << " " << body.substr(0, 20));
        const auto before = p.refused(why);
        const auto answer = p.post(by, target, body, type).value();
        CHECK(answer.head.status == status);
        CHECK(answer.body.size() > 10);
        CHECK(p.refused(why) == before + 1);
    }
    CHECK(p.wait(by.raw({.method = "GET", .target = "/convert"})).value().head.status == 405);
    CHECK(p.refused("method") == 1);
    CHECK(p.post(by, path, whole).value().head.status == 200);
}

TEST_CASE("webhooks: a body that is too large is refused before it has arrived", "[webhooks][integration]")
{
    program p;
    const std::string head = "POST /validate-example-com-v2-site HTTP/1.1\r\nHost: h\r\nContent-Type: ";
    constexpr auto one_more = (std::size_t{7} << 20) + 1;
    auto announced = p.raw();
    announced.send(head + "application/json\r\nContent-Length: " + std::to_string(one_more) + "\r\n\r\n");
    CHECK(announced.answer().status == 413);
    CHECK(announced.closed_by_server());
    // The limit of a list that is converted is another one.
    auto list = p.raw();
    list.send("POST /convert HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
              "Content-Length: " +
              std::to_string(one_more) + "\r\n\r\n");
    CHECK(list.head().status == 100);
    auto chunked = p.raw();
    chunked.send(head + "application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string mebibyte = "100000\r\n" + std::string(std::size_t{1} << 20, ' ') + "\r\n";
    for (int i = 0; i < 7; ++i) chunked.send(mebibyte);
    CHECK(p.refused("body") == 1);
    chunked.send("1\r\n \r\n");
    CHECK(chunked.answer().status == 413);
    CHECK(p.refused("body") == 2);
    // Nor is one read that is refused for its head.
    auto text = p.raw();
    text.send(head + "text/plain\r\nContent-Length: 1000\r\n\r\n");
    CHECK(text.answer().status == 415);
}

TEST_CASE("webhooks: a client that is too slow has to leave, and is counted", "[webhooks][integration]")
{
    const auto clock = std::make_shared<testing::virtual_clock>();
    clock->shift_wall(std::chrono::system_clock::now() - clock->wall_now()); // the client's time is the real one
    program p(clock);
    auto idle = p.raw(), slow = p.raw();
    // The server has read both heads before time goes on, or it would end two connections that never said anything.
    idle.send("GET /convert HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(idle.answer().status == 405);
    slow.send("POST /convert HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
              "Content-Length: 10\r\n\r\n");
    CHECK(slow.head().status == 100);
    CHECK(test::eventually([&] {
        clock->advance(1s);
        return p.refused("slow") == 1;
    }));
    CHECK(slow.closed_by_server());
    auto gone = std::async(std::launch::async, [&] { return idle.closed_by_server(); });
    CHECK(test::eventually([&] {
        clock->advance(1s);
        return gone.wait_for(0s) == std::future_status::ready;
    }));
    CHECK(gone.get());
    CHECK(p.refused("slow") == 1); // one that waits for its next request is not slow
}

TEST_CASE("webhooks: a client that trusts another authority does not get through", "[webhooks][integration]")
{
    program p;
    const auto other = tls_authority::generate(std::chrono::system_clock::now(), 24h).value();
    const auto refused = p.post(p.caller(other.certificate), "/convert", "{}");
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == cond::unreachable);
    CHECK(test::eventually([&] { return p.refused("tls") > 0; }));
    CHECK(p.numbers().value("kubecoro_webhook_certificate_expiry_timestamp_seconds") > 1.7e9);
    CHECK(p.numbers().value("kubecoro_webhook_tls_reloads_total", {{"outcome", "updated"}}) == 1);
}
