// Certificates, keys and authorities whose files are replaced while a client uses them.
#include "client_fixture.hpp"
#include "folder.hpp"

#include "files/tls_files_core.hpp"

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

using names = std::vector<std::string>;

struct rotating : client_fixture
{
    authority ours{"ours"};
    folder files;
    std::shared_ptr<testing::virtual_clock> time = std::make_shared<testing::virtual_clock>();
    std::vector<std::string> warnings;

    [[nodiscard]] server_tls tls(const authority& by) const
    {
        return {by.issue("server", {"IP:127.0.0.1"}), ours.certificate()};
    }
    [[nodiscard]] identity me(const std::string& name) const { return ours.issue(name, {}); }

    /// A client that uses the files ca.crt, tls.crt and tls.key.
    client connect(const byte_server& to)
    {
        cluster_config c;
        c.ca_file = files.at("ca.crt");
        c.client_certificate_file = files.at("tls.crt");
        c.client_key_file = files.at("tls.key");
        return connect(to, std::move(c));
    }
    client connect(const byte_server& to, cluster_config c)
    {
        client_options o;
        o.time = time;
        o.log = logger([this](const log_record& r) {
            if (r.level == log_level::warning) warnings.push_back(format(r));
        });
        return make(to.url(), std::move(c), std::move(o));
    }
    [[nodiscard]] bool works(const client& c) { return run(c.get(pods, "ns", "a")).has_value(); }
};

/// Begins a watch with an event and a part of the next one.
asio::awaitable<void> half_a_watch(peer& p)
{
    auto asked = co_await p.request();
    const auto event = R"({"type":"ADDED","object":)" + pod_text("a") + "}\n" + R"({"type":"MOD)";
    std::string text = "HTTP/1.1 200 X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", event.size());
    text += size + event + "\r\n";
    co_await p.send(std::move(text));
    co_await p.until_gone();
}

peer_script refuses_once(int status)
{
    return [status](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send(answer_text(status, R"({"kind":"Status","apiVersion":"v1","status":"Failure"})"));
        co_await p.until_gone();
    };
}

} // namespace

TEST_CASE("rotation: another client certificate is used for new connections, and idle ones are closed",
          "[client][rotation]")
{
    rotating the;
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto c = the.connect(server);
    CHECK(the.works(c));
    the.files.write(the.me("two"));
    CHECK(the.works(c));
    CHECK(server.clients() == names{"one"});
    the.time->advance(10s);
    CHECK(the.works(c));
    CHECK(server.clients() == names{"one", "two"});
    // The old connection was closed.
    server.wait_for_ended(1);
    the.time->advance(10s);
    CHECK(the.works(c));
    CHECK(server.clients() == names{"one", "two"});
    CHECK(the.warnings.empty());
}

TEST_CASE("rotation: a watch ends cleanly when its certificate is replaced, even within an event", "[client][rotation]")
{
    rotating the;
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto c = the.connect(server);
    server.next(half_a_watch);
    auto watch = the.run(c.watch(pods, "ns"));
    REQUIRE(watch);
    const auto first = the.run((*watch)->next());
    REQUIRE(first);
    CHECK(first->size() == 1);

    const auto waiting = the.start((*watch)->next());
    CHECK(the.works(c));
    the.files.write(the.me("two"));
    the.time->advance(10s);
    CHECK(the.works(c));
    while (!*waiting) the.io.run_one();
    REQUIRE(**waiting);
    CHECK((*waiting)->value().empty());
    const auto after = the.run((*watch)->next());
    REQUIRE(after);
    CHECK(after->empty());
    server.wait_for_ended(1);
    CHECK(server.clients() == names{"one", "one", "two"});
}

TEST_CASE("rotation: an informer resumes at its version with the new certificate, without a relist",
          "[client][rotation]")
{
    rotating the;
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto stays_open = [](peer& p, std::string events) -> asio::awaitable<void> {
        char size[20];
        std::snprintf(size, sizeof size, "%zx\r\n", events.size());
        co_await p.send("HTTP/1.1 200 X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
                        (events.empty() ? std::string() : size + events + "\r\n"));
        co_await p.until_gone();
    };
    server.next([&](peer& p) -> asio::awaitable<void> {
        auto listed = co_await p.request();
        co_await p.send(
            answer_text(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]})"));
        auto watched = co_await p.request();
        std::string added = R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
                            R"({"name":"a","namespace":"ns","uid":"1","resourceVersion":"7"}}})"
                            "\n";
        co_await stays_open(p, std::move(added));
    });
    const auto is_watch = [](const std::string& r) { return r.substr(0, r.find('\r')).find("watch=") != r.npos; };
    // The request that notices the change and the watch may use two connections or one.
    const peer_script gets_then_watches = [&](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        while (!is_watch(asked)) {
            co_await p.send(answer_text(200, pod_text("a")));
            asked = co_await p.request();
        }
        co_await stays_open(p, {});
    };
    server.next(gets_then_watches);
    server.next(gets_then_watches);
    client_options o;
    o.time = the.time;
    cluster_config config;
    config.ca_file = the.files.at("ca.crt");
    config.client_certificate_file = the.files.at("tls.crt");
    config.client_key_file = the.files.at("tls.key");
    const auto c = the.make(server.url(), std::move(config), std::move(o));
    informer_factory informers(c);
    informer_options as_json{.namespaces = {"ns"}};
    as_json.decode.form = wire_form::json;
    auto all = informers.get<untyped::pod>(as_json);
    informers.start();
    while (all.lister().list().size() != 1) the.io.run_one();
    the.files.write(the.me("two"));
    the.time->advance(10s);
    CHECK(the.works(c));
    while (server.requests().size() < 4) the.io.run_one();
    const auto asked = server.requests();
    CHECK_FALSE(is_watch(asked[0]));
    CHECK(is_watch(asked[1]));
    const auto& again = is_watch(asked[2]) ? asked[2] : asked[3];
    const auto& other = is_watch(asked[2]) ? asked[3] : asked[2];
    CHECK(other.starts_with("GET /api/v1/namespaces/ns/pods/a "));
    REQUIRE(is_watch(again));
    CHECK(again.find("resourceVersion=7") != std::string::npos);
    const auto clients = server.clients();
    CHECK(clients.front() == "one");
    CHECK(std::count(clients.begin() + 1, clients.end(), "two") == std::ssize(clients) - 1);
    CHECK(the.run(informers.stop()));
}

TEST_CASE("rotation: a list completes on the connection of the old certificate, which then carries nothing",
          "[client][rotation]")
{
    rotating the;
    // Both outlive the server's thread.
    const auto whole = answer_text(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]})");
    peer* first = nullptr;
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto c = the.connect(server);
    server.next([&](peer& p) -> asio::awaitable<void> {
        first = &p;
        auto asked = co_await p.request();
        co_await p.send(whole.substr(0, whole.size() - 5));
        co_await p.until_gone();
    });
    const auto list = the.start(c.list(pods, "ns"));
    while (server.requests().empty()) the.io.poll();
    the.files.write(the.me("two"));
    the.time->advance(10s);
    server.next([&](peer& p) -> asio::awaitable<void> {
        for (int i = 0;; ++i) {
            auto asked = co_await p.request();
            co_await p.send(answer_text(200, pod_text("a")));
            if (i == 0) co_await first->send(whole.substr(whole.size() - 5));
        }
    });
    CHECK(the.works(c));
    while (!*list) the.io.run_one();
    REQUIRE(**list);
    CHECK((*list)->value().items.empty());
    CHECK(the.works(c));
    CHECK(server.clients() == names{"one", "two"});
    server.wait_for_ended(1);
}

TEST_CASE("rotation: another authority is trusted from the next connection on", "[client][rotation]")
{
    rotating the;
    const authority theirs("theirs");
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto c = the.connect(server);
    server.next([](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        co_await p.send(answer_text(200, pod_text("a"), "Connection: close\r\n"));
        co_await p.finish();
    });
    CHECK(the.works(c));
    server.use(the.tls(theirs));
    CHECK_FALSE(the.works(c));
    the.files.write("ca.crt", theirs.certificate());
    CHECK(the.works(c));
}

TEST_CASE("rotation: after a failed handshake the files are read at once, and the connection is tried again",
          "[client][rotation]")
{
    rotating the;
    const authority theirs("theirs");
    byte_server server(the.tls(theirs));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto c = the.connect(server);
    server.before_handshake([&] { the.files.write("ca.crt", theirs.certificate()); });
    CHECK(the.works(c));
    CHECK(server.accepted() == 2);
    // The handshake of a client that trusts nobody is not tried twice.
    rotating other;
    other.files.write("ca.crt", other.ours.certificate());
    other.files.write(the.me("one"));
    CHECK_FALSE(other.works(other.connect(server)));
    CHECK(server.accepted() == 3);
}

TEST_CASE("rotation: a 401 makes the client look at its certificate, and repeats the request if that has changed",
          "[client][rotation]")
{
    rotating the;
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto c = the.connect(server);
    server.next(refuses_once(401));
    CHECK_FALSE(the.works(c));
    CHECK(server.requests().size() == 1);
    // The connection is free again; its server answers no more, and is replaced.
    the.files.write(the.me("two"));
    the.time->advance(10s);
    server.next([&](peer& p) -> asio::awaitable<void> {
        auto asked = co_await p.request();
        the.files.write(the.me("three"));
        co_await p.send(answer_text(401, R"({"kind":"Status","apiVersion":"v1","status":"Failure"})"));
        co_await p.until_gone();
    });
    CHECK(the.works(c));
    CHECK(server.clients() == names{"one", "two", "three"});
}

TEST_CASE("rotation: half a pair, a part of a file and a missing file leave the last login in use",
          "[client][rotation]")
{
    rotating the;
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write(the.me("one"));
    const auto c = the.connect(server);
    CHECK(the.works(c));
    const auto two = the.me("two");
    const auto again = [&] {
        the.time->advance(10s);
        const bool works = the.works(c);
        the.time->advance(10s);
        return works && the.works(c);
    };
    the.files.write("tls.crt", two.certificate);
    CHECK(again());
    the.files.write("tls.key", two.key.substr(0, two.key.size() / 2));
    CHECK(again());
    the.files.remove("tls.key");
    CHECK(again());
    the.files.write("ca.crt", the.ours.certificate().substr(0, 100));
    CHECK(again());
    the.files.write("ca.crt", "");
    CHECK(again());
    CHECK(server.clients() == names{"one"});
    // One line each: the key does not fit, is cut, is missing (and so does the old one not fit), the authority is cut, is empty.
    CHECK(the.warnings.size() >= 5);
    const auto logged = the.warnings.size();
    CHECK(again());
    CHECK(the.warnings.size() == logged);
    for (const auto& w : the.warnings) CHECK(w.find("PRIVATE") == w.npos);
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write("tls.key", two.key);
    CHECK(again());
    CHECK(server.clients() == names{"one", "two"});
}

TEST_CASE("rotation: the authority and the token of a pod follow their files", "[client][rotation]")
{
    rotating the;
    const authority theirs("theirs");
    byte_server server(server_tls{the.ours.issue("server", {"IP:127.0.0.1"})});
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write("token", "t1");
    auto env = system_environment();
    env.service_account_dir = the.files.path();
    env.variable = [&](const std::string& name) -> std::optional<std::string> {
        if (name == "KUBERNETES_SERVICE_HOST") return "127.0.0.1";
        if (name == "KUBERNETES_SERVICE_PORT") return std::to_string(server.port());
        return std::nullopt;
    };
    auto config = load_in_cluster_config(env);
    REQUIRE(config);
    CHECK(config->ca_file == the.files.at("ca.crt"));
    const auto c = the.connect(server, std::move(*config));
    CHECK(the.works(c));
    server.use(server_tls{theirs.issue("server", {"IP:127.0.0.1"})});
    the.files.write("ca.crt", theirs.certificate());
    the.files.write("token", "t2");
    the.time->advance(50s);
    CHECK(the.works(c));
    CHECK(server.accepted() == 2);
    CHECK(server.requests().back().find("Bearer t2\r\n") != std::string::npos);
}

TEST_CASE("rotation: a text takes precedence over a file", "[client][rotation]")
{
    rotating the;
    byte_server server(the.tls(the.ours));
    the.files.write("ca.crt", authority("theirs").certificate());
    the.files.write(the.me("of the file"));
    const auto self = the.me("of the text");
    cluster_config c;
    c.ca_file = the.files.at("ca.crt");
    c.client_certificate_file = the.files.at("tls.crt");
    c.client_key_file = the.files.at("tls.key");
    c.ca = the.ours.certificate();
    c.client_certificate = self.certificate;
    c.client_key = self.key;
    CHECK(the.works(the.connect(server, std::move(c))));
    CHECK(server.clients() == names{"of the text"});
}

TEST_CASE("rotation: what a program clears or replaces in a kubeconfig's settings does not come back",
          "[client][rotation]")
{
    rotating the;
    byte_server server(server_tls{the.ours.issue("server", {"IP:127.0.0.1"})});
    the.files.write("ca.crt", the.ours.certificate());
    the.files.write("config", "clusters: [{name: c, cluster: {server: '" + server.url() +
                                  "', certificate-authority: ca.crt}}]\ncurrent-context: x\n"
                                  "contexts: [{name: x, context: {cluster: c}}]\n");
    const auto loaded = load_kubeconfig({.path = the.files.at("config")});
    REQUIRE(loaded);
    CHECK(the.works(the.connect(server, *loaded)));
    auto cleared = *loaded;
    cleared.ca_file.clear();
    CHECK_FALSE(the.works(the.connect(server, cleared)));
    auto replaced = *loaded;
    replaced.ca = authority("theirs").certificate();
    CHECK_FALSE(the.works(the.connect(server, replaced)));
}

TEST_CASE("rotation: files that cannot be used at first are reported by create()", "[client][rotation]")
{
    rotating the;
    const auto complaint = [&] {
        cluster_config c;
        c.server = "https://127.0.0.1:1";
        c.ca_file = the.files.at("ca.crt");
        c.client_certificate_file = the.files.at("tls.crt");
        c.client_key_file = the.files.at("tls.key");
        const auto made = client::create(the.io.get_executor(), c);
        REQUIRE_FALSE(made);
        CHECK(made.error() == cond::misconfigured);
        return made.error().message();
    };
    CHECK_THAT(complaint(), Catch::Contains("certificate-authority: ") && Catch::Contains("ca.crt: No such file"));
    the.files.write("ca.crt", the.ours.certificate());
    CHECK_THAT(complaint(), Catch::Contains("client-certificate: ") && Catch::Contains("tls.crt: No such file"));
    the.files.write(the.me("one"));
    the.files.write("tls.key", "");
    CHECK_THAT(complaint(), Catch::Contains("client-key: ") && Catch::Contains("tls.key is empty"));
    the.files.write("tls.key", the.me("two").key);
    CHECK_THAT(complaint(), Catch::Contains("client-key (") && Catch::Contains("tls.key): does not match"));
    the.files.write("tls.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
    CHECK_THAT(complaint(),
               Catch::Contains("tls.key): cannot be used: the key is encrypted") && Catch::Contains("openssl pkey"));
    the.files.write("tls.key",
                    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n");
    CHECK_THAT(complaint(), Catch::Contains("the key is encrypted"));
}

TEST_CASE("rotation: authorities and the pair are replaced independently, each when it is whole", "[client][rotation]")
{
    const authority one("one"), two("two");
    const auto a = one.issue("a", {}), b = one.issue("b", {});
    using detail::tls_files;
    detail::tls_files_core core({one.certificate(), a.certificate, a.key});
    const auto read = [&](tls_files now) { return core.on_read(now); };
    const auto same = read({one.certificate(), a.certificate, a.key});
    CHECK_FALSE(same.new_authorities);
    CHECK_FALSE(same.new_pair);

    // A bundle that is cut after its first certificate would lose the second one.
    const auto bundle = one.certificate() + two.certificate();
    const auto cut = read({bundle.substr(0, bundle.size() - 40), b.certificate, b.key});
    CHECK_FALSE(cut.new_authorities);
    CHECK(cut.new_pair);
    REQUIRE(cut.problems.size() == 1);
    CHECK_THAT(cut.problems[0], Catch::Contains("cut off"));
    CHECK(core.current().ca == one.certificate());
    CHECK(core.current().key == b.key);

    const auto torn = read({bundle, a.certificate, b.key});
    CHECK(torn.new_authorities);
    CHECK_FALSE(torn.new_pair);
    CHECK(core.current().ca == bundle);
    CHECK(core.current().certificate == b.certificate);
    REQUIRE(torn.problems.size() == 1);
    CHECK_THAT(torn.problems[0], Catch::Contains("does not belong"));
    CHECK(read({bundle, a.certificate, b.key}).problems.empty());

    // A pair that only TLS refuses.
    const auto weak = one.issue_weak("weak");
    const auto refused = read({one.certificate(), weak.certificate, weak.key});
    CHECK(refused.new_authorities);
    CHECK_FALSE(refused.new_pair);
    REQUIRE(refused.problems.size() == 1);
    CHECK_THAT(refused.problems[0], Catch::Contains("key too small"));
    CHECK(read({bundle, weak.certificate, weak.key}).problems.empty());

    // Solved, and torn again: reported again.
    CHECK(read({bundle, b.certificate, b.key}).problems.empty());
    CHECK(read({bundle, a.certificate, b.key}).problems.size() == 1);
    const auto gone = read({std::nullopt, std::nullopt, std::nullopt, "no such file"});
    CHECK_FALSE(gone.new_authorities);
    CHECK(gone.problems == std::vector<std::string>{"no such file"});
    CHECK(core.current().ca == bundle);
}
