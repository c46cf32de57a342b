// Reading in bulk: bytes gather before a read completes, and TLS hands out all that has arrived.
#include "certificates.hpp"

#include "connect/socket_stream.hpp"
#include "connect/tls_engine.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <openssl/bio.h>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::test;
using kubecoro::testing::virtual_clock;
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// A reader of one end of a connection, whose other end is written by hand; its time is virtual.
struct gathering
{
    asio::io_context io{1};
    std::shared_ptr<virtual_clock> time = std::make_shared<virtual_clock>();
    tcp::socket ours{io};
    tcp::socket theirs{io};
    socket_reader reader{ours, time};
    std::string buffer = std::string(4 * socket_reader::batch, '\0');

    gathering()
    {
        tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        ours.connect(acceptor.local_endpoint());
        theirs = acceptor.accept();
    }

    void send(std::size_t bytes) { asio::write(theirs, asio::buffer(std::string(bytes, 'x'))); }

    auto receive()
    {
        auto out = std::make_shared<std::optional<socket_reader::received>>();
        asio::co_spawn(io, reader.receive(buffer.data(), buffer.size()),
                       [out](std::exception_ptr e, socket_reader::received r) {
                           REQUIRE_FALSE(e);
                           *out = r;
                       });
        return out;
    }
    void settle()
    {
        io.restart();
        while (io.poll() != 0) {
        }
    }
};

} // namespace

TEST_CASE("bulk: a read completes at once without it", "[client][bulk]")
{
    gathering the;
    const auto got = the.receive();
    the.send(100);
    the.io.run();
    REQUIRE(*got);
    CHECK((*got)->size == 100);
}

TEST_CASE("bulk: few bytes wait for more until the patience ends", "[client][bulk]")
{
    gathering the;
    the.reader.set_bulk(true);
    the.send(100);
    const auto got = the.receive();
    the.settle();
    CHECK_FALSE(*got);
    the.send(200);
    the.settle();
    CHECK_FALSE(*got);
    the.time->advance(socket_reader::patience);
    the.io.run();
    REQUIRE(*got);
    CHECK((*got)->size == 300);
}

TEST_CASE("bulk: a batch completes the read without waiting", "[client][bulk]")
{
    gathering the;
    the.reader.set_bulk(true);
    const auto got = the.receive();
    the.settle();
    CHECK_FALSE(*got);
    the.send(socket_reader::batch);
    the.io.run();
    REQUIRE(*got);
    CHECK((*got)->size >= socket_reader::batch);
}

TEST_CASE("bulk: the first bytes after a pause are not kept waiting", "[client][bulk]")
{
    gathering the;
    the.reader.set_bulk(true);
    const auto got = the.receive();
    the.settle();
    the.time->advance(socket_reader::patience);
    the.settle();
    CHECK_FALSE(*got);
    the.send(10);
    the.io.run();
    REQUIRE(*got);
    CHECK((*got)->size == 10);
    // The next ones gather again.
    the.send(10);
    const auto next = the.receive();
    the.settle();
    CHECK_FALSE(*next);
}

TEST_CASE("bulk: a report of bytes that have been read does not count as bytes", "[client][bulk]")
{
    gathering the;
    the.reader.set_bulk(true);
    the.ours.non_blocking(true);
    the.send(socket_reader::batch + 1);
    // Before the context sees that the socket is readable, everything is read.
    std::shared_ptr<std::optional<socket_reader::received>> got;
    asio::post(the.io, [&] {
        boost::system::error_code ec;
        while (the.ours.read_some(asio::buffer(the.buffer), ec) != 0) {
        }
        REQUIRE(ec == asio::error::would_block);
        got = the.receive();
    });
    the.settle();
    CHECK_FALSE(*got);
    the.time->advance(socket_reader::patience);
    the.settle();
    the.send(10);
    the.io.run();
    REQUIRE(*got);
    CHECK((*got)->size == 10);
}

TEST_CASE("bulk: the end of the stream and the end of bulk complete reads", "[client][bulk]")
{
    gathering the;
    the.reader.set_bulk(true);
    const auto got = the.receive();
    the.settle();
    the.theirs.close();
    the.io.run();
    REQUIRE(*got);
    CHECK((*got)->error == asio::error::eof);

    gathering other;
    other.reader.set_bulk(true);
    other.reader.set_bulk(false);
    const auto soon = other.receive();
    other.send(1);
    other.io.run();
    REQUIRE(*soon);
    CHECK((*soon)->size == 1);
}

namespace {

/// A TLS server made of OpenSSL's own memory buffers, connected to the engine by hand.
class connected_engine
{
public:
    connected_engine()
    {
        static const authority ours("ours");
        static const identity id = ours.issue("server", {"DNS:server"});
        server_context_.use_certificate_chain(asio::buffer(id.certificate));
        server_context_.use_private_key(asio::buffer(id.key), asio::ssl::context::pem);
        client_context_.set_verify_mode(asio::ssl::verify_none);
        server_.reset(SSL_new(server_context_.native_handle()));
        SSL_set_accept_state(server_.get());
        to_server_ = BIO_new(BIO_s_mem());
        from_server_ = BIO_new(BIO_s_mem());
        SSL_set_bio(server_.get(), to_server_, from_server_);
        engine = std::make_unique<tls_engine>(client_context_.native_handle());
    }

    /// Carries bytes both ways, `piece` at a time, until both have nothing more to say.
    void carry(std::size_t piece)
    {
        for (bool moved = true; moved;) {
            moved = !engine->output().empty();
            BIO_write(to_server_, engine->output().data(), static_cast<int>(engine->output().size()));
            engine->sent();
            (void)SSL_do_handshake(server_.get());
            std::string bytes(piece, '\0');
            const int n = BIO_read(from_server_, bytes.data(), static_cast<int>(piece));
            if (n <= 0) continue;
            moved = true;
            feed(std::string_view(bytes).substr(0, static_cast<std::size_t>(n)));
            // Session tickets follow the handshake.
            if (SSL_is_init_finished(engine->native_handle()))
                CHECK(read().empty());
            else
                (void)engine->handshake();
        }
    }
    void shake_hands(std::size_t piece)
    {
        REQUIRE(engine->handshake() == tls_engine::step::input);
        carry(piece);
        REQUIRE(SSL_is_init_finished(engine->native_handle()));
        CHECK(read().empty());
        REQUIRE(last == tls_engine::step::input);
    }
    void feed(std::string_view bytes)
    {
        const auto room = engine->room(2 * socket_reader::batch);
        REQUIRE(bytes.size() <= room.size());
        std::ranges::copy(bytes, room.begin());
        engine->received(bytes.size());
    }
    /// Encrypted by the server, a record per text.
    std::string records(const std::vector<std::string>& texts)
    {
        for (const auto& t : texts) REQUIRE(SSL_write(server_.get(), t.data(), static_cast<int>(t.size())) > 0);
        return taken();
    }
    std::string end()
    {
        (void)SSL_shutdown(server_.get());
        return taken();
    }
    std::string read()
    {
        std::size_t n = 0;
        last = engine->read(buffer_, n);
        return buffer_.substr(0, n);
    }

    std::unique_ptr<tls_engine> engine;
    tls_engine::step last = tls_engine::step::done;

private:
    std::string taken()
    {
        std::string out(BIO_ctrl_pending(from_server_), '\0');
        REQUIRE(BIO_read(from_server_, out.data(), static_cast<int>(out.size())) == static_cast<int>(out.size()));
        return out;
    }

    struct freed
    {
        void operator()(SSL* s) const noexcept { SSL_free(s); }
    };
    asio::ssl::context client_context_{asio::ssl::context::tls_client};
    asio::ssl::context server_context_{asio::ssl::context::tls_server};
    std::unique_ptr<SSL, freed> server_;
    BIO* to_server_ = nullptr;
    BIO* from_server_ = nullptr;
    std::string buffer_ = std::string(std::size_t{64} * 1024, '\0');
};

} // namespace

TEST_CASE("tls engine: one read returns all records that have arrived", "[client][bulk]")
{
    connected_engine the;
    the.shake_hands(1000);
    const std::string first(3000, 'a');
    const std::string second(4000, 'b');
    the.feed(the.records({first, second, "c"}));
    CHECK(the.read() == first + second + "c");
    CHECK(the.last == tls_engine::step::done);
    CHECK(the.read().empty());
    CHECK(the.last == tls_engine::step::input);
}

TEST_CASE("tls engine: records may be cut anywhere", "[client][bulk]")
{
    connected_engine the;
    the.shake_hands(7);
    std::string all;
    for (const char c : the.records({"one", "two"})) {
        the.feed(std::string_view(&c, 1));
        all += the.read();
    }
    CHECK(all == "onetwo");
}

TEST_CASE("tls engine: what it has read comes before the end, and before a failure", "[client][bulk]")
{
    connected_engine the;
    the.shake_hands(1000);
    const auto text = the.records({"last"});
    the.feed(text + the.end());
    CHECK(the.read() == "last");
    CHECK(the.last == tls_engine::step::done);
    CHECK(the.read().empty());
    CHECK(the.last == tls_engine::step::closed);

    connected_engine other;
    other.shake_hands(1000);
    const auto sound = other.records({"last"});
    auto damaged = other.records({"never"});
    damaged.back() = static_cast<char>(damaged.back() ^ 1);
    other.feed(sound + damaged);
    CHECK(other.read() == "last");
    CHECK(other.last == tls_engine::step::done);
    for (int i = 0; i < 2; ++i) {
        CHECK(other.read().empty());
        CHECK(other.last == tls_engine::step::failed);
        CHECK(other.engine->error());
    }
}

TEST_CASE("tls engine: its room is a record, or as large as wanted, and can be released", "[client][bulk]")
{
    connected_engine the;
    the.shake_hands(1000);
    CHECK(the.engine->room(0).size() >= 16 * 1024 + 256);
    CHECK(the.engine->room(128 * 1024).size() == 128 * 1024);
    the.feed(the.records({"kept"}));
    the.engine->rest();
    CHECK(the.read() == "kept");
    the.engine->rest();
    the.feed(the.records({"more"}));
    CHECK(the.read() == "more");
}

TEST_CASE("tls engine: it is quiet until the peer says something or ends the connection", "[client][bulk]")
{
    connected_engine the;
    the.shake_hands(1000);
    CHECK(the.engine->is_quiet());
    the.feed(the.records({"early"}));
    CHECK_FALSE(the.engine->is_quiet());
    CHECK(the.read() == "early");
    CHECK(the.engine->is_quiet());
    // The end is read along with the last bytes of a response.
    const auto last = the.records({"last"});
    the.feed(last + the.end());
    CHECK(the.read() == "last");
    CHECK_FALSE(the.engine->is_quiet());
}
