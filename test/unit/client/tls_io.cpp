// A connection in TLS whose server's bytes end, or are damaged, at each byte, and records that a server should not send: the text
// that arrives is a beginning of what was sent, and then comes the proper end or one failure.
#include "certificates.hpp"
#include "connect/socket_stream.hpp"
#include "files/tls_pem.hpp"
#include "tls_peer.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/test/allocations.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

using namespace kubecoro;
using namespace kubecoro::test;
namespace asio = boost::asio;
using namespace std::string_literals;

namespace {

const std::string text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

/// The behaviour of the server.
struct server_script
{
    /// After the client's request: what the server says with its peer, and in plain bytes.
    std::function<void(tls_peer&)> says = [](tls_peer& p) {
        p.seal(text);
        p.seal({});
    };
    /// Bytes of the server that arrive; then the connection ends.
    std::size_t arrive = std::string::npos;
    /// The number of the byte that is damaged.
    std::size_t damaged = std::string::npos;
    /// Sent in place of everything.
    std::optional<std::string> instead = {};
};

/// The socket.
class peer_stream final : public detail::byte_stream
{
public:
    peer_stream(const tls_ends& ends, server_script script) : script_(std::move(script)), peer_(ends.server())
    {
        if (script_.instead) peer_.output() = *script_.instead;
    }

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        if (script_.instead) co_return result<>{};
        asked_ += peer_.take(bytes);
        if (asked_ == "GET") {
            asked_ += " done";
            script_.says(peer_);
        }
        co_return result<>{};
    }

    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        auto& all = peer_.output();
        const auto n = std::min({size, all.size(), script_.arrive - passed_});
        all.copy(data, n);
        all.erase(0, n);
        if (script_.damaged - passed_ < n) data[script_.damaged - passed_] ^= '\x01';
        passed_ += n;
        co_return n;
    }

    std::optional<asio::awaitable<result<>>> pause() override
    {
        if (!peer_.output().empty()) return {};
        return nothing();
    }
    void set_patience(duration) noexcept override {}
    bool quiet() noexcept override { return true; }
    tls_peer& peer() noexcept { return peer_; }

private:
    static asio::awaitable<result<>> nothing() { co_return result<>{}; }

    server_script script_;
    tls_peer peer_;
    std::string asked_;
    std::size_t passed_ = 0;
};

struct heard
{
    std::string received;
    /// None: the server ended TLS.
    std::optional<failure> why;
    bool secured = false;
};

asio::awaitable<result<heard>> converse(const tls_ends& ends, server_script script, std::string name = "server")
{
    heard out;
    std::unique_ptr<detail::byte_stream> socket = std::make_unique<peer_stream>(ends, std::move(script));
    auto stream = co_await detail::make_tls_stream(std::move(socket), ends.client(), std::move(name), "h:1");
    if (!stream) {
        out.why = stream.error();
        co_return out;
    }
    out.secured = true;
    const auto asked = co_await (*stream)->write("GET");
    if (!asked) {
        out.why = asked.error();
        co_return out;
    }
    std::string part(10, '\0');
    for (int reads = 0; reads < 1000; ++reads) {
        const auto n = co_await (*stream)->read_some(part.data(), part.size());
        if (!n) {
            out.why = n.error();
            // A failure is final.
            const auto again = co_await (*stream)->read_some(part.data(), part.size());
            CHECK_FALSE(again);
            co_return out;
        }
        if (*n == 0) co_return out;
        out.received.append(part, 0, *n);
    }
    out.why = failure(cond::internal, "reads without an end");
    co_return out;
}

heard talk(const tls_ends& ends, server_script script = {})
{
    testing::runner run;
    auto done = run.run(converse(ends, std::move(script)));
    REQUIRE(done);
    if (done->why) {
        INFO(done->why->describe());
        CHECK(done->why == cond::unreachable);
        CHECK_THAT(done->why->message(),
                   Catch::Contains("h:1") || Catch::Contains("with server") || Catch::Contains("for \"server\""));
    }
    CHECK(text.starts_with(done->received));
    return *done;
}

heard talk(const tls_ends& ends, const std::function<void(tls_peer&)>& says)
{
    server_script script;
    script.says = says;
    return talk(ends, std::move(script));
}

constexpr int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

/// Bytes of the server in a whole conversation, one in `step` of which was once the last.
std::size_t end_at_bytes(int version, std::size_t step)
{
    for (std::size_t at = 0; at < 10'000; at += step) {
        INFO("byte " << at);
        const tls_ends ends(version);
        server_script script;
        script.arrive = at;
        const auto h = talk(ends, std::move(script));
        if (h.secured && !h.why) return at;
    }
    return 0;
}

} // namespace

TEST_CASE("TLS I/O: a whole conversation", "[client][every_io][tls]")
{
    for (const int version : versions) {
        const auto h = talk(tls_ends(version));
        CHECK(h.received == text);
        CHECK_FALSE(h.why);
    }
}

TEST_CASE("TLS I/O: a dot at the end of the server's name is neither asked for nor compared", "[client][tls]")
{
    for (const auto& [name, secured] : std::map<std::string, bool>{{"server.", true}, {"server..", false}}) {
        INFO(name);
        testing::runner run;
        std::string asked;
        server_script script;
        script.says = [&](tls_peer& p) {
            asked = p.asked_name();
            p.seal({});
        };
        const auto done = run.run(converse(tls_ends(), std::move(script), name));
        REQUIRE(done);
        CHECK(done->secured == secured);
        if (secured) CHECK(asked == "server");
    }
    // Without a name any certificate would do.
    for (const char* name : {"", "."}) {
        testing::runner run;
        const auto done = run.run(converse(tls_ends(), {}, name));
        REQUIRE(done);
        REQUIRE(done->why);
        CHECK(done->why == cond::misconfigured);
    }
}

TEST_CASE("TLS I/O: a damaged authority does not hide those after it", "[client][tls]")
{
    const auto other = authority("other").certificate();
    const auto middle = other.size() / 2;
    const auto end = other.find("-----END");
    const std::string damaged[] = {
        other.substr(0, middle) + "!" + other.substr(middle), // not base64
        other.substr(0, middle) + "A" + other.substr(middle), // not whole
        "-----BEGIN CERTIFICATE-----\nMDEyMw==\n-----END CERTIFICATE-----\n",
        other.substr(0, end), // without an end
        other.substr(0, middle) + "\n",
        "-----BEGIN CERTIFICATE-----\n",
    };
    for (const auto& broken : damaged) {
        INFO(broken);
        const auto h = talk(tls_ends(TLS1_3_VERSION, other + broken));
        CHECK(h.received == text);
        CHECK(detail::read_certificates(other + broken + other).damaged == 1);
        CHECK(detail::check_authorities(other + broken + other));
        CHECK_FALSE(detail::check_authorities(other + broken));
    }
}

TEST_CASE("TLS I/O: the connection ends, or is damaged, at any byte of the handshake and of the records",
          "[client][every_io][tls]")
{
    for (const int version : versions) {
        // Versions differ in the handshake only: the older one is sampled.
        const auto size = end_at_bytes(version, version == TLS1_3_VERSION ? 1 : 7);
        REQUIRE(size > 500);
        int harmless = 0;
        for (std::size_t at = 0; at < size; at += 3) {
            INFO("byte " << at);
            const tls_ends ends(version);
            server_script script;
            script.damaged = at;
            const auto h = talk(ends, std::move(script));
            if (h.why) continue;
            ++harmless;
            CHECK(h.received == text);
        }
        // The version of the first record, which no one reads; bytes beyond the end, where a signature is shorter.
        CHECK(harmless <= 10);
    }
}

TEST_CASE("TLS I/O: an end without close_notify is no end", "[client][every_io][tls]")
{
    for (const int version : versions) {
        const auto h = talk(tls_ends(version), [](tls_peer& p) { p.seal(text); });
        CHECK(h.received == text);
        REQUIRE(h.why);
        CHECK_THAT(h.why->message(), Catch::Contains("without ending TLS"));
    }
}

TEST_CASE("TLS I/O: bytes that are no record of this connection end it, after the text before them",
          "[client][every_io][tls]")
{
    const std::string garbage[] = {
        "HTTP/1.1 400 Bad Request\r\n\r\n",                 // plain
        "\x17\x03\x03\x00\x20"s + std::string(32, 'x'),     // not encrypted with these keys
        "\x17\x03\x03\xff\xff"s + std::string(65'535, 'x'), // too long
        "\x17\x03\x03\x00\x00"s,                            // empty
        "\x17\x03\x03\x00\x01x"s,                           // too short for its protection
        "\x16\x03\x03\x00\x04\x00\x00\x00\x00"s,            // a request for a new handshake, not encrypted
        "\x63\x03\x03\x00\x01x"s,                           // of no type
        "\x17\x02\x00\x00\x20"s + std::string(32, 'x'),     // of another version
        std::string(100'000, '\0'),
    };
    for (const int version : versions)
        for (const auto& bytes : garbage) {
            const auto after = talk(tls_ends(version), [&](tls_peer& p) {
                p.seal(text);
                p.output() += bytes;
            });
            CHECK(after.received == text);
            CHECK(after.why);
            server_script script;
            script.instead = bytes;
            const auto in_handshake = talk(tls_ends(version), std::move(script));
            CHECK_FALSE(in_handshake.secured);
            CHECK(in_handshake.why);
        }
}

TEST_CASE("TLS I/O: alerts end the handshake, and the connection", "[client][every_io][tls]")
{
    for (const int version : versions) {
        for (int description = 0; description < 256; ++description)
            for (const char level : {'\x01', '\x02'}) {
                INFO("level " << int{level} << ", description " << description);
                server_script script;
                script.instead = "\x15\x03\x03\x00\x02"s + level + static_cast<char>(description);
                const auto h = talk(tls_ends(version), std::move(script));
                REQUIRE(h.why);
                CHECK_FALSE(h.secured);
                CHECK_THAT(h.why->message(), Catch::Contains("TLS handshake with"));
            }
        // A damaged record, to which a server responds with an encrypted alert.
        const auto h = talk(tls_ends(version), [](tls_peer& p) {
            p.seal(text);
            (void)p.take("\x17\x03\x03\x00\x20"s + std::string(32, 'x'));
        });
        CHECK(h.received == text);
        REQUIRE(h.why);
        CHECK_THAT(h.why->message(), Catch::Contains("bad record mac"));
    }
}

TEST_CASE("TLS I/O: new keys are used, and a new handshake is refused", "[client][every_io][tls]")
{
    const auto updated = talk(tls_ends(TLS1_3_VERSION), [](tls_peer& p) {
        p.seal(text.substr(0, 20));
        p.update_keys();
        p.seal(text.substr(20));
        p.seal({});
    });
    CHECK(updated.received == text);
    CHECK_FALSE(updated.why);

    // As in client-go: the server's identity and the client's are settled when the connection begins.
    const tls_ends ends(TLS1_2_VERSION);
    const auto renegotiated = talk(ends, [](tls_peer& p) {
        p.seal(text.substr(0, 20));
        p.renegotiate();
    });
    CHECK(renegotiated.received == text.substr(0, 20));
    CHECK(renegotiated.why);
    CHECK((SSL_CTX_get_options(ends.client()->context()->native_handle()) & SSL_OP_NO_RENEGOTIATION) != 0);
}

TEST_CASE("TLS I/O: a stream holds no room for records while it pauses", "[client][tls]")
{
    testing::runner run;
    const tls_ends ends;
    auto socket = std::make_unique<peer_stream>(ends, server_script{.says = [](tls_peer& p) { p.seal("one"); }});
    auto& peer = socket->peer();
    auto opened = run.run(detail::make_tls_stream(std::move(socket), ends.client(), "server", "h:1"));
    REQUIRE(opened);
    auto& stream = **opened;
    REQUIRE(run.run(stream.write("GET")));
    std::string part(10, '\0');
    const auto allocates_room = [&](std::size_t size) {
        const auto before = allocations_so_far().bytes;
        REQUIRE(run.run(stream.read_some(part.data(), size)).value() != 0);
        return allocations_so_far().bytes - before >= 17 * 1024;
    };
    (void)allocates_room(10);
    peer.seal("two");
    CHECK_FALSE(stream.pause()); // there are bytes
    CHECK_FALSE(allocates_room(10));
    auto pause = stream.pause();
    REQUIRE(pause);
    CHECK(run.run(std::move(*pause)));
    peer.seal("three");
    CHECK(allocates_room(1));
    CHECK(part.front() == 't');
    CHECK_FALSE(stream.pause()); // the rest of the record
    CHECK_FALSE(allocates_room(10));
}
