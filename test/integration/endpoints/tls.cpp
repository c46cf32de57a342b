// The endpoints over TLS: certificates that are replaced, clients that do not finish their handshakes.
#include "running_endpoints.hpp"

#include "folder.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <openssl/ssl.h>

#include <deque>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using apiserver::raw_client;
using apiserver::raw_tls;

namespace {

struct tls_program
{
    explicit tls_program(const test::authority& root, endpoint_options options = {})
        : files([&] {
              auto out = std::make_unique<test::folder>();
              out->write(root.issue("operator", {"IP:127.0.0.1"}));
              return out;
          }()),
          running([&] {
              options.tls = {files->at("tls.crt"), files->at("tls.key")};
              options.health = health_checks();
              return std::move(options);
          }())
    {
    }
    [[nodiscard]] raw_client client(const test::authority& trusted) const
    {
        raw_tls tls;
        tls.ca = trusted.certificate();
        return raw_client(running.at(), tls);
    }
    std::unique_ptr<test::folder> files;
    running_endpoints running;
};

} // namespace

TEST_CASE("endpoints: with certificate and key they are served over TLS, and only so", "[endpoints][integration][tls]")
{
    const test::authority root("root"), other("other");
    tls_program program(root);
    CHECK(program.running.server().url().starts_with("https://127.0.0.1:"));
    auto client = program.client(root);
    CHECK(client.get("/livez").body == "ok");
    CHECK(client.get("/livez").body == "ok");
    CHECK_THROWS(program.client(other));
    auto at = program.running.at();
    at.tls = false;
    raw_client plain(at);
    CHECK(plain.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    CHECK(plain.closed_by_server());
    CHECK(test::eventually([&] { return program.running.log().count("TLS handshake with the client") == 1; }));
}

TEST_CASE("endpoints: TLS before 1.2 is refused", "[endpoints][integration][tls]")
{
    const test::authority root("root");
    const tls_program program(root);
    for (const int newest : {TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION}) {
        asio::io_context io;
        asio::ssl::context context(asio::ssl::context::tls_client);
        SSL_CTX_set_security_level(context.native_handle(), 0);
        SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_VERSION);
        SSL_CTX_set_max_proto_version(context.native_handle(), newest);
        asio::ssl::stream<asio::ip::tcp::socket> stream(io, context);
        stream.next_layer().connect({asio::ip::address_v4::loopback(), program.running.at().port});
        boost::system::error_code error;
        stream.handshake(asio::ssl::stream_base::client, error);
        CHECK(bool(error) == (newest < TLS1_2_VERSION));
    }
}

TEST_CASE("endpoints: files that cannot be used are an error at the start", "[endpoints][integration][tls]")
{
    asio::io_context io;
    endpoint_server server(io.get_executor(),
                           {.address = "127.0.0.1:0", .tls = {"/nowhere/tls.crt", "/nowhere/tls.key"}});
    const auto started = server.start();
    REQUIRE_FALSE(started);
    CHECK(started.error() == cond::misconfigured);
    CHECK(started.error().message().find("/nowhere/tls.crt") != std::string::npos);
    endpoint_server half(io.get_executor(), {.address = "127.0.0.1:0", .tls = {"/nowhere/tls.crt", ""}});
    CHECK(half.start().error() == cond::misconfigured);
}

TEST_CASE("endpoints: files that are replaced are used by new connections", "[endpoints][integration][tls]")
{
    const test::authority old_root("old"), new_root("new");
    const auto clock = std::make_shared<testing::virtual_clock>();
    tls_program program(old_root, {.time = clock});
    {
        auto before = program.client(old_root);
        CHECK(before.get("/livez").status == 200);
        program.files->write(new_root.issue("operator", {"IP:127.0.0.1"}));
        clock->advance(10s);
        CHECK(test::eventually([&] {
            try {
                return program.client(new_root).get("/livez").status == 200;
            } catch (const boost::system::system_error&) {
                return false; // the read has not ended yet
            }
        }));
        CHECK(before.get("/livez").status == 200); // an open connection goes on
    }
    CHECK(test::eventually([&] { return program.running.server().stats().open_connections == 0; }));
}

TEST_CASE("endpoints: handshakes that stall make room for others, and are closed at their deadline",
          "[endpoints][integration][tls]")
{
    const test::authority root("root");
    tls_program program(root, {.limits = {.max_connections = 8, .read_timeout = 500ms}});
    std::deque<raw_client> stalled;
    auto at = program.running.at();
    at.tls = false;
    for (int i = 0; i < 100; ++i) {
        stalled.emplace_back(at);
        stalled.back().send(std::string("\x16\x03\x01\x02\x00\x01\x00", 7)); // a record that never ends
    }
    CHECK(program.client(root).get("/livez").status == 200);
    CHECK(program.running.server().stats().open_connections <= 8);
    CHECK(test::eventually([&] { return program.running.server().stats().open_connections == 0; }));
    CHECK(test::eventually([&] { return program.running.server().stats().closed_by_server >= 100; }));
}
