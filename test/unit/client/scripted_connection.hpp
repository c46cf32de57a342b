#pragma once
// Scripted connections: the bytes that the server sends after each request, piece by piece, without sockets.

#include "http/byte_stream.hpp"

#include <kubecoro/base/latch.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro::test {

/// The behaviour of one connection.
struct connection_script
{
    /// Each read gives the next piece; an empty piece is the end of the stream.
    std::deque<std::string> pieces = {};
    /// After the pieces: fails with this, or waits forever.
    std::optional<failure> then = {};
    std::optional<failure> write_fails = {};
    /// Number of writes that succeed before all others fail with `then`.
    std::optional<int> writes = {};
    bool quiet = true;
};

/// A test's view of the connections opened.
struct wire
{
    std::deque<connection_script> scripts;
    std::deque<failure> refusals;
    std::vector<std::string> written;
    /// The argument of each set_patience() of any connection.
    std::vector<duration> patience;
    int opened = 0;
    int open = 0;
    /// Calls of pause() of any connection, and what each of them awaits; nothing = there are bytes.
    int pauses = 0;
    std::optional<result<>> paused = {};
};

class scripted_stream final : public detail::byte_stream
{
public:
    scripted_stream(std::shared_ptr<wire> w, connection_script s, std::size_t number)
        : wire_(std::move(w)), script_(std::move(s)), number_(number)
    {
        ++wire_->open;
    }
    ~scripted_stream() override { --wire_->open; }

    boost::asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        if (script_.pieces.empty()) {
            if (script_.then) co_return *script_.then;
            const auto stopped = co_await never_.wait();
            co_return stopped.error();
        }
        auto& next = script_.pieces.front();
        const auto n = std::min(size, next.size());
        next.copy(data, n);
        next.erase(0, n);
        if (next.empty()) script_.pieces.pop_front();
        co_return n;
    }
    std::optional<boost::asio::awaitable<result<>>> pause() override
    {
        ++wire_->pauses;
        if (!wire_->paused) return {};
        return wait();
    }
    boost::asio::awaitable<result<>> write(std::string_view bytes) override
    {
        if (script_.write_fails) co_return *script_.write_fails;
        if (script_.writes && (*script_.writes)-- <= 0) co_return *script_.then;
        wire_->written[number_].append(bytes);
        co_return result<>{};
    }
    void set_patience(duration unacknowledged) noexcept override { wire_->patience.push_back(unacknowledged); }
    bool quiet() noexcept override { return script_.quiet; }

private:
    boost::asio::awaitable<result<>> wait() { co_return *wire_->paused; }

    std::shared_ptr<wire> wire_;
    connection_script script_;
    std::size_t number_;
    latch never_;
};

class scripted_connector final : public detail::connector
{
public:
    explicit scripted_connector(std::shared_ptr<wire> w) : wire_(std::move(w)) {}

    boost::asio::awaitable<result<std::unique_ptr<detail::byte_stream>>> connect() override
    {
        if (!wire_->refusals.empty()) {
            auto refused = wire_->refusals.front();
            wire_->refusals.pop_front();
            co_return refused;
        }
        ++wire_->opened;
        wire_->written.emplace_back();
        connection_script script;
        if (!wire_->scripts.empty()) {
            script = std::move(wire_->scripts.front());
            wire_->scripts.pop_front();
        }
        std::unique_ptr<detail::byte_stream> stream =
            std::make_unique<scripted_stream>(wire_, std::move(script), wire_->written.size() - 1);
        co_return stream;
    }

private:
    std::shared_ptr<wire> wire_;
};

} // namespace kubecoro::test
