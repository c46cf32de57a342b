// A client that asks for gzip, and one that does not, over TLS against the embedded server.
#include "raw_client.hpp"
#include "running_server.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <optional>

using namespace kubecoro;
using namespace kubecoro::apiserver;
namespace asio = boost::asio;

namespace {

const std::string config_maps = "/api/v1/namespaces/default/configmaps";
const auto kind = untyped::config_map::resource();

struct user
{
    user(const running_server& server, compression policy, bool disabled = false)
    {
        cluster_config config;
        config.server = "https://127.0.0.1:" + std::to_string(server.at().port);
        config.ca = test_identity().ca_certificate;
        config.login.token = admin_token;
        config.disable_compression = disabled;
        client_options options;
        options.compression = policy;
        options.metrics = numbers;
        auto made = client::create(io.get_executor(), std::move(config), std::move(options));
        REQUIRE(made);
        own.emplace(std::move(*made));
    }

    template<class T>
    T run(asio::awaitable<result<T>> task)
    {
        std::optional<result<T>> out;
        asio::co_spawn(io, std::move(task), [&out](std::exception_ptr, result<T> r) { out.emplace(std::move(r)); });
        io.restart();
        while (!out) io.run_one();
        INFO((*out ? std::string() : out->error().describe()));
        REQUIRE(*out);
        return std::move(**out);
    }

    std::string list() { return text_of(run(own->list_all(kind, "default"))); }
    static std::string text_of(const list_page& page)
    {
        std::string out = page.resource_version;
        for (const auto& o : page.items) out += "\n" + o.to_text();
        return out;
    }
    double bytes(const char* form) const
    {
        return numbers->value("kubecoro_client_gzip_bytes_total", {{"form", form}});
    }

    asio::io_context io{1};
    std::shared_ptr<testing::recording_metrics> numbers = std::make_shared<testing::recording_metrics>();
    std::optional<client> own;
};

void fill(running_server& server)
{
    REQUIRE(server.execute("POST", config_maps, config_map("big", std::string(300'000, 'x'))));
    for (int i = 0; i < 60; ++i)
        REQUIRE(server.execute("POST", config_maps, config_map("c" + std::to_string(i), std::string(10'000, 'y'))));
}

} // namespace

TEST_CASE("gzip: lists and objects are the same with and without it", "[apiserver][gzip][integration]")
{
    running_server server{with_tls()};
    fill(server);
    user with(server, compression::on), without(server, compression::off);
    const auto plain = without.list();
    CHECK(plain.size() > 900'000);
    CHECK(without.bytes("received") == 0);
    // The connection carries the next request.
    for (int i = 0; i < 3; ++i) CHECK(with.list() == plain);
    CHECK(with.run(with.own->get(kind, "default", "big")).to_text() ==
          without.run(without.own->get(kind, "default", "big")).to_text());
    CHECK(server.server().counters().connections == 2);
    CHECK(with.bytes("received") > 0);
    CHECK(with.bytes("received") * 10 < with.bytes("decoded"));
    // Short answers are not compressed.
    const auto before = with.bytes("received");
    const auto small = with.run(with.own->get(kind, "default", "c1"));
    CHECK(small.name() == "c1");
    CHECK(with.bytes("received") == before);
}

TEST_CASE("gzip: watches are not compressed", "[apiserver][gzip][integration]")
{
    running_server server{with_tls()};
    fill(server);
    user with(server, compression::on);
    watch_options from_the_start;
    from_the_start.resource_version = "0";
    auto stream = with.run(with.own->watch(kind, "default", from_the_start));
    std::size_t seen = 0;
    while (seen < 61) seen += with.run(stream->next()).size();
    CHECK(with.bytes("received") == 0);
    raw_client raw{server.at(), {test_identity().ca_certificate, {}, {}}};
    raw.send("GET " + config_maps + "?watch=1&resourceVersion=0 HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n" +
             admin_header + "\r\n");
    CHECK(raw.head().headers.count("content-encoding") == 0);
    CHECK(raw.body_until("\"c1\"").find(R"("type":"ADDED")") != std::string::npos);
}

TEST_CASE("gzip: the address and the cluster's configuration decide", "[apiserver][gzip][integration]")
{
    running_server server{with_tls()};
    fill(server);
    user near(server, compression::automatic), disabled(server, compression::on, true);
    CHECK(near.list() == disabled.list());
    CHECK(near.bytes("received") == 0);
    CHECK(disabled.bytes("received") == 0);
}

TEST_CASE("gzip: a client without chunked encoding receives the stream until the end of the connection",
          "[apiserver][gzip][integration]")
{
    running_server server{with_tls()};
    fill(server);
    raw_client raw{server.at(), {test_identity().ca_certificate, {}, {}}};
    raw.send("GET " + config_maps + " HTTP/1.0\r\nAccept-Encoding: gzip\r\n" + std::string(admin_header) + "\r\n");
    const auto got = raw.answer();
    CHECK(got.status == 200);
    CHECK(got.headers.at("content-encoding") == "gzip");
    CHECK(got.headers.count("content-length") == 0);
    CHECK(got.body.size() > 1000);
    CHECK(got.body.size() < 100'000);
}
