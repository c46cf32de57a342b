// New connections resume the TLS sessions of earlier ones, and only of the same identity and authorities.
#include "client_fixture.hpp"

#include <kubecoro/testing/recording.hpp>

#include <filesystem>
#include <fstream>

#include <openssl/ssl.h>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

const authority& ours()
{
    static const authority one("ours");
    return one;
}

server_tls of_version(int version, bool asks_for_certificate = false)
{
    return {.self = ours().issue("server", {"IP:127.0.0.1"}),
            .client_authority = asks_for_certificate ? ours().certificate() : std::string(),
            .version = version};
}

asio::awaitable<void> answer_once(peer& p)
{
    const auto asked = co_await p.request();
    const auto text = answer_text(200, pod_text("a"), "Connection: close\r\n");
    co_await p.send(text);
    p.close();
}

/// Each request has a connection of its own.
void ask(client_fixture& the, byte_server& server, const client& c, int times)
{
    for (int i = 0; i < times; ++i) {
        server.next(answer_once);
        REQUIRE(the.run(c.get(pods, "ns", "a")));
    }
}

/// A directory for one test.
struct directory
{
    std::filesystem::path path;
    directory()
    {
        std::string name = (std::filesystem::temp_directory_path() / "kubecoro-sessions-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~directory() { std::filesystem::remove_all(path); }
    [[nodiscard]] std::string write(const std::string& file, const std::string& content) const
    {
        std::ofstream(path / file, std::ios::trunc) << content;
        return (path / file).string();
    }
};

} // namespace

TEST_CASE("tls sessions: a new connection resumes the session of an earlier one", "[client][integration]")
{
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        INFO(version);
        client_fixture the;
        byte_server server(of_version(version));
        const auto numbers = std::make_shared<testing::recording_metrics>();
        client_options options;
        options.metrics = numbers;
        cluster_config config;
        config.ca = ours().certificate();
        auto c = the.make(server.url(), config, options);
        ask(the, server, c, 4);
        CHECK(server.accepted() == 4);
        CHECK(server.resumed() == 3);
        const auto host = "127.0.0.1:" + std::to_string(server.port());
        CHECK(numbers->value("kubecoro_client_tls_handshakes_total", {{"host", host}, {"keys", "resumed"}}) == 3);
        CHECK(numbers->value("kubecoro_client_tls_handshakes_total", {{"host", host}, {"keys", "full"}}) == 1);
        CHECK(numbers->updates("kubecoro_client_tls_handshake_seconds") == 4);
        CHECK(numbers->updates("kubecoro_client_connect_seconds") == 4);
        CHECK(numbers->value("kubecoro_client_connections_total", {{"host", host}, {"outcome", "opened"}}) == 4);
    }
}

TEST_CASE("tls sessions: a server that forgets them gets full handshakes", "[client][integration]")
{
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        INFO(version);
        client_fixture the;
        auto forgetful = of_version(version);
        forgetful.keeps_sessions = false;
        byte_server server(forgetful);
        cluster_config config;
        config.ca = ours().certificate();
        ask(the, server, the.make(server.url(), config), 3);
        CHECK(server.accepted() == 3);
        CHECK(server.resumed() == 0);
    }
}

TEST_CASE("tls sessions: another client or identity never resumes them", "[client][integration]")
{
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        INFO(version);
        client_fixture the;
        byte_server server(of_version(version, true));
        const auto as = [&](const std::string& name) {
            const auto self = ours().issue(name, {});
            cluster_config config;
            config.ca = ours().certificate();
            config.client_certificate = self.certificate;
            config.client_key = self.key;
            return the.make(server.url(), config);
        };
        auto anna = as("anna");
        ask(the, server, anna, 2);
        CHECK(server.resumed() == 1);
        auto bert = as("bert");
        ask(the, server, bert, 1);
        CHECK(server.resumed() == 1);
        ask(the, server, anna, 1);
        ask(the, server, bert, 1);
        CHECK(server.resumed() == 3);
    }
}

TEST_CASE("tls sessions: they end with the certificate or the authorities that they were made with",
          "[client][integration]")
{
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        INFO(version);
        client_fixture the;
        byte_server server(of_version(version, true));
        const directory files;
        const auto self = ours().issue("anna", {});
        cluster_config config;
        config.ca_file = files.write("ca", ours().certificate());
        config.client_certificate_file = files.write("certificate", self.certificate);
        config.client_key_file = files.write("key", self.key);
        auto c = the.make(server.url(), config);
        ask(the, server, c, 2);
        CHECK(server.resumed() == 1);
        // The files of the identity change.
        const auto other = ours().issue("anna", {});
        (void)files.write("certificate", other.certificate);
        (void)files.write("key", other.key);
        ask(the, server, c, 1);
        CHECK(server.resumed() == 1);
        ask(the, server, c, 1);
        CHECK(server.resumed() == 2);
        // So does that of the authorities: the server's certificate is verified by the new ones.
        const authority stranger("stranger");
        (void)files.write("ca", stranger.certificate());
        server.next(answer_once);
        const auto refused = the.run(c.get(pods, "ns", "a"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message().find("not valid for") != std::string::npos);
        CHECK(server.resumed() == 2);
    }
}

TEST_CASE("tls sessions: many connections at a time use each ticket once", "[client][integration]")
{
    client_fixture the;
    byte_server server(of_version(TLS1_3_VERSION));
    cluster_config config;
    config.ca = ours().certificate();
    auto c = the.make(server.url(), config);
    ask(the, server, c, 1);
    // Each ticket of TLS 1.3 serves one connection; a server sends two.
    int done = 0;
    for (int i = 0; i < 6; ++i) {
        server.next(answer_once);
        asio::co_spawn(the.io, c.get(pods, "ns", "a"), [&](std::exception_ptr, result<object> got) {
            CHECK(got);
            ++done;
        });
    }
    the.io.restart();
    while (done < 6) the.io.run_one();
    CHECK(server.accepted() == 7);
    CHECK(server.resumed() == 2);
}

TEST_CASE("tls: the end of the client certificate is a metric", "[client][integration]")
{
    client_fixture the;
    const auto numbers = std::make_shared<testing::recording_metrics>();
    client_options options;
    options.metrics = numbers;
    const auto self = ours().issue("anna", {}, 3);
    cluster_config config;
    config.ca = ours().certificate();
    config.client_certificate = self.certificate;
    config.client_key = self.key;
    (void)the.make("https://h:1", config, options);
    const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    const auto end =
        numbers->value("kubecoro_client_certificate_expiry_timestamp_seconds", {{"server", "https://h:1"}});
    const double day = 24 * 3600;
    CHECK(end > now + 2.9 * day);
    CHECK(end < now + 3.1 * day);
}
