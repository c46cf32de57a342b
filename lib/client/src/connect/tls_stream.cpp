#include "connect/socket_stream.hpp"
#include "connect/tls_context.hpp"
#include "connect/tls_engine.hpp"
#include "connect/tls_source.hpp"

#include <kubecoro/base/try.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

// Bytes received at once in bulk.
constexpr std::size_t bulk_room = 2 * socket_reader::batch;
// Bytes encrypted at once.
constexpr std::size_t longest_write = 16 * 1024;

class tls_stream final : public byte_stream, private tls_generation::listener
{
public:
    tls_stream(std::unique_ptr<byte_stream> under, std::shared_ptr<tls_generation> generation, std::string name,
               std::string peer)
        : generation_(std::move(generation)),
          engine_(generation_->context()->native_handle()),
          under_(std::move(under)),
          name_(std::move(name)),
          peer_(std::move(peer))
    {
    }

    ~tls_stream() override { generation_->remove(*this); }

    asio::awaitable<result<>> handshake()
    {
        if (auto named = expect_server(engine_.native_handle(), name_); !named) co_return named;
        offer_session(engine_.native_handle());
        for (;;) {
            const auto step = engine_.handshake();
            // A failed step still has to send its alert; the outcome of that is not used.
            auto exchanged = co_await exchange(step, "TLS handshake with ");
            if (step == tls_engine::step::failed)
                co_return handshake_failure(engine_.native_handle(), name_, engine_.error());
            if (!exchanged) co_return exchanged;
            if (step == tls_engine::step::done) {
                secured_ = true;
                co_return exchanged;
            }
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
            auto exchanged = co_await exchange(step, "read from ");
            // Decrypted bytes count, whether or not the peer still receives.
            if (n != 0) co_return n;
            if (!exchanged) co_return exchanged.error();
        }
    }

    std::optional<asio::awaitable<result<>>> pause() override
    {
        if (!engine_.is_quiet() || !engine_.output().empty()) return {};
        auto waiting = under_->pause();
        if (waiting) engine_.rest();
        return waiting;
    }

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        while (!bytes.empty()) {
            const auto part = bytes.substr(0, longest_write);
            const auto step = engine_.write(part);
            if (step == tls_engine::step::failed) co_return failure(engine_.error(), "write to " + peer_);
            if (step == tls_engine::step::closed) co_return failure(cond::unreachable, peer_ + " ended TLS");
            KUBECORO_TRY(co_await exchange(step, "write to "));
            if (step == tls_engine::step::done) bytes.remove_prefix(part.size());
        }
        co_return result<>{};
    }

    void set_patience(duration unacknowledged) noexcept override { under_->set_patience(unacknowledged); }
    void set_bulk(bool on) noexcept override
    {
        under_->set_bulk(on);
        bulk_ = on;
        if (!on) engine_.rest();
    }
    void set_may_end(bool on) noexcept override
    {
        if (on)
            generation_->add(*this);
        else
            generation_->remove(*this);
    }
    bool retired() const noexcept override { return generation_->is_retired(); }
    bool resumed() const noexcept override { return engine_.is_resumed(); }
    void end_reads() noexcept override { under_->end_reads(); }
    // Tickets and key updates count as noise too: a new connection costs less than a request on a dead one.
    bool quiet() noexcept override { return !retired() && engine_.is_quiet() && under_->quiet(); }

private:
    void on_retired() noexcept override { under_->end_reads(); }

    /// Sends what the engine has to send, and receives if the step needs it.
    asio::awaitable<result<>> exchange(tls_engine::step step, const char* doing)
    {
        if (const auto out = engine_.output(); !out.empty()) {
            const auto sent = co_await under_->write(out);
            // After a failure nothing can be sent, but a response that came before it can be read.
            engine_.sent();
            if (!sent) co_return explained(sent.error());
        }
        if (step != tls_engine::step::input) co_return result<>{};
        const auto room = engine_.room(bulk_ ? bulk_room : 0);
        const auto n = co_await under_->read_some(room.data(), room.size());
        if (!n) co_return explained(n.error());
        // An end without close_notify may come from an attacker: it never completes a response.
        if (*n == 0)
            co_return failure(cond::unreachable, doing + peer_ + ": it closed the connection without ending TLS");
        engine_.received(*n);
        co_return result<>{};
    }

    [[nodiscard]] failure explained(const failure& of_under) const
    {
        return secured_ ? of_under : of_under.because("TLS handshake with " + peer_);
    }

    std::shared_ptr<tls_generation> generation_;
    tls_engine engine_;
    std::unique_ptr<byte_stream> under_;
    std::string name_;
    std::string peer_;
    bool bulk_ = false;
    bool secured_ = false;
};

} // namespace

asio::awaitable<result<std::unique_ptr<byte_stream>>> make_tls_stream(std::unique_ptr<byte_stream> under,
                                                                      std::shared_ptr<tls_generation> generation,
                                                                      std::string server_name, std::string peer)
{
    auto stream =
        std::make_unique<tls_stream>(std::move(under), std::move(generation), std::move(server_name), std::move(peer));
    KUBECORO_TRY(co_await stream->handshake());
    co_return result<std::unique_ptr<byte_stream>>(std::move(stream));
}

} // namespace kubecoro::detail
