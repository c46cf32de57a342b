#include "connect/socket_reader.hpp"
#include "connect/socket_stream.hpp"
#include "connect/tls_context.hpp"
#include "connect/tls_engine.hpp"

#include <kubecoro/base/context_bound.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto as_values = asio::as_tuple(asio::use_awaitable);
// Bytes received at once in bulk.
constexpr std::size_t bulk_room = 2 * socket_reader::batch;
// Bytes encrypted at once.
constexpr std::size_t longest_write = 16 * 1024;

class tls_stream final : public byte_stream
{
public:
    tls_stream(tcp::socket s, std::shared_ptr<time_source> time, std::shared_ptr<asio::ssl::context> context,
               std::string name, std::string peer)
        : context_(std::move(context)),
          engine_(context_->native_handle()),
          kept_(s.get_executor(), std::move(s)),
          socket_(*kept_.get()),
          reader_(socket_, std::move(time)),
          name_(std::move(name)),
          peer_(std::move(peer))
    {
    }

    asio::awaitable<result<>> handshake()
    {
        if (auto named = expect_server(engine_.native_handle(), name_); !named) co_return named;
        for (;;) {
            const auto step = engine_.handshake();
            // A failed step still has to send its alert; the outcome of that is not used.
            auto exchanging = exchange(step, "TLS handshake with ");
            auto exchanged = co_await std::move(exchanging);
            if (step == tls_engine::step::failed)
                co_return handshake_failure(engine_.native_handle(), name_, engine_.error());
            if (!exchanged || step == tls_engine::step::done) co_return exchanged;
        }
    }

    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        for (;;) {
            std::size_t n = 0;
            const auto step = engine_.read({data, size}, n);
            if (n != 0 && engine_.output().empty()) co_return n;
            if (step == tls_engine::step::closed) co_return std::size_t{0};
            // The connection is closed: the peer does not need the alert to notice.
            if (step == tls_engine::step::failed) co_return failure(engine_.error(), "read from " + peer_);
            auto exchanging = exchange(step, "read from ");
            auto exchanged = co_await std::move(exchanging);
            // Decrypted bytes count, whether or not the peer still receives.
            if (n != 0) co_return n;
            if (!exchanged) co_return exchanged.error();
        }
    }

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        while (!bytes.empty()) {
            const auto part = bytes.substr(0, longest_write);
            const auto step = engine_.write(part);
            if (step == tls_engine::step::failed) co_return failure(engine_.error(), "write to " + peer_);
            if (step == tls_engine::step::closed) co_return failure(cond::unreachable, peer_ + " ended TLS");
            auto exchanging = exchange(step, "write to ");
            auto exchanged = co_await std::move(exchanging);
            if (!exchanged) co_return exchanged;
            if (step == tls_engine::step::done) bytes.remove_prefix(part.size());
        }
        co_return result<>{};
    }

    void set_patience(duration unacknowledged) noexcept override
    {
        if (kept_.get()) detail::set_patience(socket_, unacknowledged);
    }
    void set_bulk(bool on) noexcept override
    {
        if (!kept_.get()) return;
        reader_.set_bulk(on);
        if (!on) engine_.rest();
    }
    // Tickets and key updates count as noise too: a new connection costs less than a request on a dead one.
    bool quiet() noexcept override { return kept_.get() && engine_.is_quiet() && is_quiet(socket_); }

private:
    /// Sends what the engine has to send, and receives if the step needs it.
    asio::awaitable<result<>> exchange(tls_engine::step step, const char* doing)
    {
        if (const auto out = engine_.output(); !out.empty()) {
            auto [ec, n] = co_await asio::async_write(socket_, asio::buffer(out.data(), out.size()), as_values);
            // After a failure nothing can be sent, but a response that came before it can be read.
            engine_.sent();
            if (ec) co_return failure(ec, doing + peer_);
        }
        if (step != tls_engine::step::input) co_return result<>{};
        const auto room = engine_.room(reader_.is_bulk() ? bulk_room : 0);
        auto receiving = reader_.receive(room.data(), room.size());
        const auto got = co_await std::move(receiving);
        // An end without close_notify may come from an attacker: it never completes a response.
        if (got.error == asio::error::eof)
            co_return failure(cond::unreachable, doing + peer_ + ": it closed the connection without ending TLS");
        if (got.error) co_return failure(got.error, doing + peer_);
        engine_.received(got.size);
        co_return result<>{};
    }

    std::shared_ptr<asio::ssl::context> context_;
    tls_engine engine_;
    /// Owns the socket: an idle connection may outlive its context.
    context_bound<tcp::socket> kept_;
    /// For operations, which do not outlive the context.
    tcp::socket& socket_;
    socket_reader reader_;
    std::string name_;
    std::string peer_;
};

} // namespace

asio::awaitable<result<std::unique_ptr<byte_stream>>> make_tls_stream(tcp::socket socket,
                                                                      std::shared_ptr<time_source> time,
                                                                      std::shared_ptr<asio::ssl::context> context,
                                                                      std::string server_name, std::string peer)
{
    auto stream = std::make_unique<tls_stream>(std::move(socket), std::move(time), std::move(context),
                                               std::move(server_name), std::move(peer));
    auto shaking = stream->handshake();
    auto ready = co_await std::move(shaking);
    if (!ready) co_return ready.error();
    co_return result<std::unique_ptr<byte_stream>>(std::move(stream));
}

} // namespace kubecoro::detail
