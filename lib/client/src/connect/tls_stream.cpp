#include "connect/socket_stream.hpp"
#include "connect/tls_context.hpp"

#include <kubecoro/base/context_bound.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

/// Passes every kind of cancellation on as terminal. Asio's TLS operations ignore the others, although its documentation
/// promises partial cancellation as well.
class as_terminal
{
public:
    /// Completion token of the next operation. Precondition: the previous one has ended.
    [[nodiscard]] auto operator()(const asio::cancellation_state& caller) const
    {
        if (auto slot = caller.slot(); slot.is_connected())
            // Shared, because a coroutine destroyed while it waits does not clear the slot.
            slot.assign([signal = signal_](asio::cancellation_type how) {
                if (how != asio::cancellation_type::none) signal->emit(asio::cancellation_type::terminal);
            });
        return asio::bind_cancellation_slot(signal_->slot(), as_values);
    }
    static void ended(const asio::cancellation_state& caller)
    {
        if (auto slot = caller.slot(); slot.is_connected()) slot.clear();
    }

private:
    std::shared_ptr<asio::cancellation_signal> signal_ = std::make_shared<asio::cancellation_signal>();
};

class tls_stream final : public byte_stream
{
public:
    tls_stream(tcp::socket s, std::shared_ptr<asio::ssl::context> context, std::string name, std::string peer)
        : context_(std::move(context)),
          kept_(s.get_executor(), stream_type(std::move(s), *context_)),
          stream_(*kept_.get()),
          name_(std::move(name)),
          peer_(std::move(peer))
    {
    }

    asio::awaitable<result<>> handshake()
    {
        if (auto named = expect_server(stream_.native_handle(), name_); !named) co_return named;
        const auto caller = co_await asio::this_coro::cancellation_state;
        auto token = cancellable_(caller);
        auto [ec] = co_await stream_.async_handshake(asio::ssl::stream_base::client, std::move(token));
        as_terminal::ended(caller);
        if (ec == asio::error::operation_aborted) co_return failure(ec, "TLS handshake with " + peer_);
        if (ec) co_return handshake_failure(stream_.native_handle(), name_, ec);
        co_return result<>{};
    }

    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        const auto caller = co_await asio::this_coro::cancellation_state;
        auto token = cancellable_(caller);
        auto [ec, n] = co_await stream_.async_read_some(asio::buffer(data, size), std::move(token));
        as_terminal::ended(caller);
        if (ec == asio::error::eof) co_return std::size_t{0};
        // An end without close_notify may come from an attacker: it never completes a response.
        if (ec == asio::ssl::error::stream_truncated)
            co_return failure(cond::unreachable, peer_ + " closed the connection without ending TLS");
        if (ec) co_return failure(ec, "read from " + peer_);
        co_return n;
    }

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        // A hand-written loop: asio::async_write over TLS costs a minute of compilation under sanitizers.
        const auto caller = co_await asio::this_coro::cancellation_state;
        while (!bytes.empty()) {
            auto token = cancellable_(caller);
            auto [ec, n] =
                co_await stream_.async_write_some(asio::buffer(bytes.data(), bytes.size()), std::move(token));
            as_terminal::ended(caller);
            if (ec) co_return failure(ec, "write to " + peer_);
            bytes.remove_prefix(n);
        }
        co_return result<>{};
    }

    void set_patience(duration unacknowledged) noexcept override
    {
        if (kept_.get()) detail::set_patience(stream_.next_layer(), unacknowledged);
    }
    // Any pending data on an idle TLS connection is an alert or the end of the stream.
    bool quiet() noexcept override { return kept_.get() && is_quiet(stream_.next_layer()); }

private:
    using stream_type = asio::ssl::stream<tcp::socket>;

    std::shared_ptr<asio::ssl::context> context_;
    /// Owns the stream: an idle connection may outlive its context.
    context_bound<stream_type> kept_;
    /// For operations, which do not outlive the context.
    stream_type& stream_;
    as_terminal cancellable_;
    std::string name_;
    std::string peer_;
};

} // namespace

asio::awaitable<result<std::unique_ptr<byte_stream>>> make_tls_stream(tcp::socket socket,
                                                                      std::shared_ptr<asio::ssl::context> context,
                                                                      std::string server_name, std::string peer)
{
    auto stream =
        std::make_unique<tls_stream>(std::move(socket), std::move(context), std::move(server_name), std::move(peer));
    auto ready = co_await stream->handshake();
    if (!ready) co_return ready.error();
    co_return result<std::unique_ptr<byte_stream>>(std::move(stream));
}

} // namespace kubecoro::detail
