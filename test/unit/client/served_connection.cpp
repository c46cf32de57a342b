#include "served_connection.hpp"

#include "connect/socket_connector.hpp"
#include "connect/socket_stream.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace kubecoro::test {

namespace asio = boost::asio;
using namespace std::string_literals;

namespace {

failure lost() { return failure(cond::unreachable, "the connection was reset"); }

/// The request at the beginning of the bytes, which are removed; false if it is not complete.
bool take_request(std::string& bytes, request& out)
{
    const auto end = bytes.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    out = request();
    out.accept.clear();
    std::size_t length = 0;
    for (std::size_t at = bytes.find("\r\n") + 2; at < end + 2;) {
        const auto line_end = bytes.find("\r\n", at);
        const auto colon = bytes.find(": ", at);
        const auto name = bytes.substr(at, colon - at);
        const auto value = bytes.substr(colon + 2, line_end - colon - 2);
        if (name == "Content-Length") length = std::strtoul(value.c_str(), nullptr, 10);
        if (name == "Accept") out.accept = value;
        if (name == "Content-Type") out.content_type = value;
        at = line_end + 2;
    }
    if (bytes.size() < end + 4 + length) return false;
    const auto space = bytes.find(' ');
    out.method = bytes.substr(0, space);
    out.target = bytes.substr(space + 1, bytes.find(' ', space + 1) - space - 1);
    out.body = bytes.substr(end + 4, length);
    bytes.erase(0, end + 4 + length);
    return true;
}

std::string head_text(const answer_head& head)
{
    std::string out = "HTTP/1.1 " + std::to_string(head.status) + " X\r\n";
    for (const auto& [name, value] : head.headers)
        if (name != "content-length" && name != "transfer-encoding") out += name + ": " + value + "\r\n";
    return out + "transfer-encoding: chunked\r\n\r\n";
}

std::string chunk(std::string_view bytes)
{
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return size + std::string(bytes) + "\r\n";
}

/// The server's end: HTTP in bytes, or a proxy's part before it.
class served_stream final : public detail::byte_stream
{
public:
    explicit served_stream(std::shared_ptr<served_wire> wire) : wire_(std::move(wire)) {}

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        received_.append(bytes);
        return serve();
    }

    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        if (to_read_.empty()) {
            auto filled = co_await fill();
            if (!filled) co_return filled.error();
        }
        const auto n = std::min(size, to_read_.size());
        to_read_.copy(data, n);
        to_read_.erase(0, n);
        co_return n;
    }

    void set_patience(duration) noexcept override {}
    bool quiet() noexcept override { return to_read_.empty() && !answer_; }

private:
    /// The proxy's side of SOCKS5 without a login: a greeting, and the name of the server.
    void serve_socks()
    {
        const bool greeted = received_.size() == 3;
        received_.clear();
        to_read_ = greeted ? "\x05\x00"s : "\x05\x00\x00\x01\x7f\x00\x00\x01\x12\x34"s;
    }

    asio::awaitable<result<>> serve()
    {
        if (received_.starts_with('\x05')) {
            serve_socks();
            co_return result<>{};
        }
        request r;
        if (!take_request(received_, r)) co_return result<>{};
        if (r.method == "CONNECT") {
            to_read_ = "HTTP/1.1 200 Connection established\r\n\r\n";
            co_return result<>{};
        }
        if (r.method != "GET") wire_->changes.push_back(r.method + " " + r.target + " " + r.body);
        auto got = co_await wire_->server->send(std::move(r));
        if (!got) co_return got.error();
        answer_ = std::move(*got);
        to_read_ = head_text(answer_->head());
        co_return result<>{};
    }

    /// The next bytes of the answer.
    asio::awaitable<result<>> fill()
    {
        if (!answer_) co_return co_await wire_->never.wait();
        const auto got = co_await answer_->read_some();
        if (!got) co_return got.error();
        to_read_ = chunk(*got);
        if (got->empty()) answer_.reset();
        co_return result<>{};
    }

    std::shared_ptr<served_wire> wire_;
    std::string received_;
    std::string to_read_;
    std::unique_ptr<answer> answer_;
};

/// The server's end with TLS around it.
class tls_served_stream final : public detail::byte_stream
{
public:
    tls_served_stream(std::unique_ptr<byte_stream> under, SSL_CTX* context) : under_(std::move(under)), peer_(context)
    {
    }

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        const auto text = peer_.take(bytes);
        if (text.empty()) co_return result<>{};
        co_return co_await under_->write(text);
    }

    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        if (peer_.output().empty()) {
            std::string text(size, '\0');
            const auto n = co_await under_->read_some(text.data(), text.size());
            if (!n) co_return n.error();
            peer_.seal(std::string_view(text).substr(0, *n));
        }
        const auto n = std::min(size, peer_.output().size());
        peer_.output().copy(data, n);
        peer_.output().erase(0, n);
        co_return n;
    }

    void set_patience(duration) noexcept override {}
    bool quiet() noexcept override { return peer_.output().empty() && under_->quiet(); }

private:
    std::unique_ptr<byte_stream> under_;
    tls_peer peer_;
};

/// The client's end: pieces, and the failure.
class faulty_stream final : public detail::byte_stream
{
public:
    faulty_stream(std::shared_ptr<served_wire> wire, std::unique_ptr<byte_stream> under)
        : wire_(std::move(wire)), under_(std::move(under))
    {
        ++wire_->open;
    }
    ~faulty_stream() override { --wire_->open; }
    faulty_stream(const faulty_stream&) = delete;
    faulty_stream& operator=(const faulty_stream&) = delete;

    asio::awaitable<result<>> write(std::string_view bytes) override
    {
        if (!under_) co_return lost();
        const bool fails = wire_->fails_now();
        if (fails && wire_->how == io_failure::silent) co_return co_await wire_->never.wait();
        if (fails && wire_->how == io_failure::broken) co_return die();
        if (fails && wire_->how == io_failure::half) bytes = bytes.substr(0, bytes.size() / 2);
        if (!fails || wire_->how != io_failure::ended) {
            auto written = co_await under_->write(bytes);
            if (!written) co_return written;
        }
        if (!fails) co_return result<>{};
        const auto why = die();
        ended_ = wire_->how == io_failure::ended;
        if (wire_->how == io_failure::half) co_return why;
        co_return result<>{};
    }

    asio::awaitable<result<std::size_t>> read_some(char* data, std::size_t size) override
    {
        if (ended_) co_return std::size_t{0};
        if (!under_) co_return lost();
        const bool fails = wire_->fails_now();
        if (fails && wire_->how == io_failure::silent) co_return (co_await wire_->never.wait()).error();
        if (fails && wire_->how == io_failure::broken) co_return die();
        ended_ = fails && wire_->how == io_failure::ended;
        if (ended_) {
            die();
            co_return std::size_t{0};
        }
        auto got = co_await under_->read_some(data, std::min(size, wire_->piece));
        if (!got) co_return got;
        if (fails && wire_->how == io_failure::half) *got = (*got + 1) / 2;
        if (fails && wire_->how == io_failure::odd) std::fill_n(data, *got, '\xff');
        if (fails) die();
        co_return got;
    }

    void set_patience(duration) noexcept override {}
    bool quiet() noexcept override { return under_ && under_->quiet(); }

private:
    failure die()
    {
        under_.reset();
        return lost();
    }

    std::shared_ptr<served_wire> wire_;
    /// Null: the connection is broken.
    std::unique_ptr<byte_stream> under_;
    bool ended_ = false;
};

class served_connector final : public detail::connector
{
public:
    explicit served_connector(std::shared_ptr<served_wire> wire) : wire_(std::move(wire)) {}

    asio::awaitable<result<std::unique_ptr<detail::byte_stream>>> connect() override
    {
        const bool fails = wire_->fails_now();
        if (fails && wire_->how == io_failure::silent) {
            const auto stopped = co_await wire_->never.wait();
            co_return stopped.error();
        }
        if (fails) co_return failure(cond::unreachable, "the connection was refused");
        std::unique_ptr<detail::byte_stream> end = std::make_unique<served_stream>(wire_);
        if (wire_->tls) end = std::make_unique<tls_served_stream>(std::move(end), wire_->tls->server());
        std::unique_ptr<detail::byte_stream> opened = std::make_unique<faulty_stream>(wire_, std::move(end));
        if (wire_->tls) {
            co_return co_await detail::make_tls_stream(std::move(opened), wire_->tls->client(), "server", "h:1");
        }
        if (!wire_->tunnel) co_return opened;
        const auto passed = co_await pass_proxy(*opened);
        if (!passed) co_return passed.error();
        co_return opened;
    }

private:
    /// The answers of the proxy come a byte at a time.
    asio::awaitable<result<>> pass_proxy(detail::byte_stream& opened)
    {
        const auto piece = std::exchange(wire_->piece, 1);
        const auto conversation = wire_->tunnel();
        const std::string proxy = "the proxy p";
        auto passed = co_await detail::open_tunnel(opened, *conversation, proxy);
        wire_->piece = piece;
        co_return passed;
    }

    std::shared_ptr<served_wire> wire_;
};

} // namespace

std::shared_ptr<detail::connector> make_served_connector(std::shared_ptr<served_wire> wire)
{
    return std::make_shared<served_connector>(std::move(wire));
}

} // namespace kubecoro::test
