// Tests of HTTP over sockets: answers, limits, credentials, misbehaving clients.
#include "raw_client.hpp"
#include "running_server.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/test/catch.hpp>

#include <thread>

using namespace kubecoro;
using namespace kubecoro::apiserver;

namespace {

const std::string config_maps = "/api/v1/namespaces/default/configmaps";

raw_tls trusting() { return {test_identity().ca_certificate, {}, {}}; }

} // namespace

TEST_CASE("front: several requests go over one TLS connection", "[apiserver][integration]")
{
    running_server server{with_tls()};
    raw_client client{server.at(), trusting()};

    const auto created = client.request(
        "POST", config_maps, std::string(admin_header) + "Content-Type: application/json\r\n", config_map("one"));
    CHECK(created.status == 201);
    CHECK(created.headers.at("content-type") == "application/json");
    CHECK(created.headers.count("content-length") == 1);

    const auto read = client.get(config_maps + "/one", admin_header);
    CHECK(read.status == 200);
    CHECK(read.body.find(R"("name":"one")") != std::string::npos);

    const auto missing = client.get(config_maps + "/two", admin_header);
    CHECK(missing.status == 404);
    CHECK(missing.body.find(R"("reason":"NotFound")") != std::string::npos);
    CHECK(server.server().counters().connections == 1);
}

TEST_CASE("front: long answers are chunked and complete", "[apiserver][integration]")
{
    running_server server;
    for (int i = 0; i < 50; ++i)
        REQUIRE(server.execute("POST", config_maps, config_map("c" + std::to_string(i), std::string(1000, 'x'))));
    raw_client client{server.at()};
    const auto list = client.get(config_maps, admin_header);
    CHECK(list.status == 200);
    CHECK(list.headers.at("transfer-encoding") == "chunked");
    CHECK_FALSE(list.broken);
    CHECK(list.body.size() > 50'000);
    CHECK(server.server().counters().lists == 1);
}

TEST_CASE("front: pipelined requests are answered in order", "[apiserver][integration]")
{
    running_server server;
    raw_client client{server.at()};
    client.send("GET /version HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
                "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    CHECK(client.answer().body.find("gitVersion") != std::string::npos);
    CHECK(client.answer().body == "ok");
    const auto last = client.answer();
    CHECK(last.body == "ok");
    CHECK(last.headers.at("connection") == "close");
    CHECK(client.closed_by_server());
}

TEST_CASE("front: a request may arrive byte by byte", "[apiserver][integration]")
{
    running_server server;
    raw_client client{server.at()};
    const std::string body = config_map("slow");
    const std::string text = "POST " + config_maps + " HTTP/1.1\r\nHost: a\r\n" + admin_header +
                             "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\n\r\n" + body;
    for (const char c : text) REQUIRE(client.send({&c, 1}));
    CHECK(client.answer().status == 201);
}

TEST_CASE("front: a chunked request body is accepted", "[apiserver][integration]")
{
    running_server server;
    raw_client client{server.at()};
    const std::string body = config_map("chunked");
    client.send("POST " + config_maps + " HTTP/1.1\r\nHost: a\r\n" + admin_header +
                "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" + body.substr(0, 5) +
                "\r\n");
    char size[20];
    std::snprintf(size, sizeof size, "%zx", body.size() - 5);
    client.send(size + ("\r\n" + body.substr(5)) + "\r\n0\r\n\r\n");
    CHECK(client.answer().status == 201);
}

TEST_CASE("front: a client that expects 100 Continue gets it", "[apiserver][integration]")
{
    running_server server;
    raw_client client{server.at()};
    const std::string body = config_map("polite");
    client.send("POST " + config_maps + " HTTP/1.1\r\nHost: a\r\n" + admin_header +
                "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n");
    CHECK(client.receive() == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send(body);
    CHECK(client.answer().status == 201);
}

TEST_CASE("front: HEAD and OPTIONS are not allowed", "[apiserver][integration]")
{
    running_server server;
    {
        raw_client client{server.at()};
        CHECK(client.request("OPTIONS", config_maps, admin_header).status == 405);
    }
    raw_client client{server.at()};
    client.send("HEAD " + config_maps + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + admin_header + "\r\n");
    std::string all;
    for (std::string part = client.receive(); !part.empty(); part = client.receive()) all += part;
    CHECK(all.starts_with("HTTP/1.1 405 "));
    CHECK(all.ends_with("\r\n\r\n"));
}

TEST_CASE("front: limits on head and body are answered, then the connection ends", "[apiserver][integration]")
{
    running_server server{with_tls()};
    SECTION("a head beyond 64 KiB is 431")
    {
        raw_client client{server.at(), trusting()};
        client.send("GET /version HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(100'000, 'x') + "\r\n\r\n");
        const auto answer = client.answer();
        CHECK(answer.status == 431);
        CHECK(client.closed_by_server());
    }
    SECTION("a path beyond 64 KiB is 431")
    {
        raw_client client{server.at(), trusting()};
        CHECK(client.get("/" + std::string(100'000, 'x')).status == 431);
    }
    SECTION("an announced body beyond 3 MiB is 413 before it is read")
    {
        raw_client client{server.at(), trusting()};
        client.send("POST " + config_maps + " HTTP/1.1\r\nHost: a\r\n" + admin_header +
                    "Content-Length: 3145729\r\n\r\n");
        const auto answer = client.answer();
        CHECK(answer.status == 413);
        CHECK(answer.body.find("limit is 3145728") != std::string::npos);
    }
    SECTION("a body beyond 3 MiB that is sent completely is answered with 413")
    {
        raw_client client{server.at(), trusting()};
        const auto answer = client.request("POST", config_maps, admin_header, std::string(3'145'729, ' '));
        CHECK(answer.status == 413);
    }
    SECTION("a chunked body beyond 3 MiB is 413")
    {
        raw_client client{server.at(), trusting()};
        client.send("POST " + config_maps + " HTTP/1.1\r\nHost: a\r\n" + admin_header +
                    "Transfer-Encoding: chunked\r\n\r\n");
        const std::string chunk = "100000\r\n" + std::string(0x100000, ' ') + "\r\n";
        for (int i = 0; i < 4; ++i) client.send(chunk);
        CHECK(client.answer().status == 413);
    }
    raw_client next{server.at(), trusting()};
    CHECK(next.get("/healthz").status == 200);
}

TEST_CASE("front: invalid input is refused and does not affect other clients", "[apiserver][integration]")
{
    running_server plain;
    const auto encrypted = plain.listen(with_tls()).value();
    const std::vector<std::string> garbage{"\r\n\r\n\r\n",
                                           "hello\r\n\r\n",
                                           std::string(5000, '\0'),
                                           "GET / HTTP/9.9\r\n\r\n",
                                           "GET /\x01 HTTP/1.1\r\n\r\n",
                                           "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                                           "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                                           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"};
    for (const auto& text : garbage) {
        INFO(text.substr(0, 40));
        raw_client client{plain.at()};
        client.send(text);
        const auto answer = client.answer();
        CHECK((answer.status == 400 || answer.broken));
        CHECK(client.closed_by_server());

        embedded_server::endpoint without_tls = encrypted;
        without_tls.tls = false;
        raw_client wrong{without_tls};
        wrong.send(text);
        CHECK(wrong.closed_by_server());
    }
    raw_client next{plain.at()};
    CHECK(next.get("/healthz").status == 200);
}

TEST_CASE("front: slow and silent clients are disconnected", "[apiserver][integration]")
{
    listener_options endpoint;
    endpoint.request_timeout = std::chrono::milliseconds{200};
    endpoint.idle_timeout = std::chrono::milliseconds{300};
    running_server server{endpoint};
    endpoint.tls = test_identity();
    embedded_server::endpoint encrypted = server.listen(endpoint).value();

    raw_client half_a_head{server.at()};
    half_a_head.send("GET / HTTP/1.1\r\nHo");
    raw_client half_a_body{server.at()};
    half_a_body.send("POST " + config_maps + " HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
    raw_client silent{server.at()};
    encrypted.tls = false;
    raw_client no_handshake{encrypted};
    CHECK(half_a_head.closed_by_server());
    CHECK(half_a_body.closed_by_server());
    CHECK(silent.closed_by_server());
    CHECK(no_handshake.closed_by_server());
}

TEST_CASE("front: credentials", "[apiserver][integration]")
{
    running_server server{with_tls()};
    raw_client client{server.at(), trusting()};
    SECTION("an unknown token is 401")
    {
        const auto answer = client.get(config_maps, "Authorization: Bearer wrong\r\n");
        CHECK(answer.status == 401);
        CHECK(answer.headers.count("www-authenticate") == 0);
    }
    SECTION("without credentials only health and version are allowed")
    {
        CHECK(client.get(config_maps).status == 403);
        CHECK(client.get("/readyz").status == 200);
    }
    SECTION("a rule allows its user only what it names")
    {
        const std::string reader = "Authorization: Bearer reader-token\r\n";
        CHECK(client.get(config_maps + "/none", reader).status == 404);
        const auto refused = client.get("/api/v1/namespaces/default/secrets/none", reader);
        CHECK(refused.status == 403);
        CHECK(refused.body.find(R"(User \"reader\" cannot get resource \"secrets\")") != std::string::npos);
    }
    SECTION("a client certificate names user and groups")
    {
        raw_client carol{
            server.at(),
            {test_identity().ca_certificate, test_identity().client_certificate, test_identity().client_key}};
        CHECK(carol.get(config_maps).status == 200);
    }
    SECTION("a certificate of another authority fails the handshake")
    {
        tls_identity_options options;
        options.now = std::chrono::system_clock::now();
        options.client_user = "carol";
        const auto other = tls_identity::generate(options).value();
        std::string answer = "none";
        try {
            raw_client mallory{server.at(),
                               {test_identity().ca_certificate, other.client_certificate, other.client_key}};
            answer = std::to_string(mallory.get(config_maps).status);
        } catch (const boost::system::system_error&) {
            answer = "0";
        }
        CHECK(answer == "0");
    }
}

TEST_CASE("tls: the server's certificate is valid for its names only", "[apiserver][integration]")
{
    running_server server{with_tls()};
    for (const char* good : {"127.0.0.1", "::1", "localhost", "api.example", "10.1.2.3"}) {
        INFO(good);
        raw_tls tls = trusting();
        tls.host = good;
        CHECK_NOTHROW(raw_client{server.at(), tls});
    }
    raw_tls wrong = trusting();
    wrong.host = "other.example";
    CHECK_THROWS(raw_client{server.at(), wrong});
    CHECK_THROWS(raw_client{server.at(), raw_tls{}});
}

TEST_CASE("listen: failures name the address", "[apiserver][integration]")
{
    running_server server;
    listener_options taken;
    taken.port = server.at().port;
    const auto in_use = server.listen(taken);
    REQUIRE_FALSE(in_use);
    CHECK(in_use.error() == cond::misconfigured);
    CHECK(in_use.error().message().find("127.0.0.1:" + std::to_string(taken.port)) != std::string::npos);

    listener_options nonsense;
    nonsense.address = "nowhere";
    CHECK(server.listen(nonsense).error() == cond::misconfigured);
    listener_options bad_tls;
    bad_tls.tls = tls_identity{"a", "b", "c", {}, {}};
    CHECK(server.listen(bad_tls).error() == cond::misconfigured);
    server.stop();
    CHECK(server.listen(listener_options{}).error() == cond::cancelled);
}

TEST_CASE("front: protobuf goes both ways over TLS", "[apiserver][integration][protobuf]")
{
    running_server server{with_tls()};
    raw_client client{server.at(), trusting()};
    const std::string accept =
        std::string(admin_header) + "Accept: application/vnd.kubernetes.protobuf,application/json\r\n";
    const auto body = detail::protobuf_envelope("v1", "ConfigMap", std::string("\x0a\x05\x0a\x03one", 7));
    const auto created =
        client.request("POST", config_maps, accept + "Content-Type: application/vnd.kubernetes.protobuf\r\n", body);
    CHECK(created.status == 201);
    CHECK(created.headers.at("content-type") == "application/vnd.kubernetes.protobuf");
    const auto object = decode_object(created.body, {}, {}, wire_form::protobuf);
    REQUIRE(object.has_value());
    CHECK(object->name() == "one");

    for (int i = 0; i < 50; ++i)
        REQUIRE(server.execute("POST", config_maps, config_map("c" + std::to_string(i), std::string(10'000, 'x'))));
    const auto list = client.get(config_maps, accept);
    CHECK(list.headers.at("transfer-encoding") == "chunked");
    detail::list_decoder decoder({}, {}, {}, wire_form::protobuf);
    REQUIRE(decoder.feed(list.body).has_value());
    CHECK(decoder.finish().value().items.size() == 51);
}
