#include "raw_client.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <boost/system/system_error.hpp>

#include <array>
#include <chrono>
#include <optional>

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace kubecoro::apiserver {

// How long to wait for a silent server.
constexpr std::chrono::seconds patience{10};

struct raw_client::state
{
    asio::io_context context;
    asio::ssl::context tls{asio::ssl::context::tls_client};
    /// Constructed once its context is configured: assigning a stream leaks the old one in Boost 1.81.
    std::optional<asio::ssl::stream<asio::ip::tcp::socket>> stream;
    bool encrypted = false;
    bool ended = false;
    std::string input;
    std::optional<http::response_parser<http::string_body>> parser;

    /// Runs the pending operation; closes the socket when it does not end in time. Socket timeouts have no effect,
    /// since Asio polls before it reads.
    void finish()
    {
        context.restart();
        context.run_for(patience);
        if (context.stopped()) return;
        boost::system::error_code ignored;
        stream->next_layer().close(ignored);
        context.run();
    }

    bool fill()
    {
        if (ended) return false;
        std::array<char, 16384> buffer;
        boost::system::error_code error;
        std::size_t n = 0;
        const auto done = [&](const boost::system::error_code& e, std::size_t read) {
            error = e;
            n = read;
        };
        if (encrypted)
            stream->async_read_some(asio::buffer(buffer), done);
        else
            stream->next_layer().async_read_some(asio::buffer(buffer), done);
        finish();
        input.append(buffer.data(), n);
        ended = error.failed();
        return n > 0;
    }

    void parse()
    {
        while (!input.empty() && !parser->is_done()) {
            boost::system::error_code error;
            const std::size_t n = parser->put(asio::const_buffer(input.data(), input.size()), error);
            input.erase(0, n);
            if (error || n == 0) break;
        }
    }

    received_answer so_far()
    {
        received_answer out;
        if (!parser->is_header_done()) return out;
        const auto& m = parser->get();
        out.status = static_cast<int>(m.result_int());
        for (const auto& field : m) {
            std::string name(field.name_string());
            for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            out.headers[name] = std::string(field.value());
        }
        out.body = m.body();
        return out;
    }
};

raw_client::raw_client(const embedded_server::endpoint& at, const raw_tls& tls) : state_(std::make_unique<state>())
{
    state& s = *state_;
    s.encrypted = at.tls;
    if (!tls.ca.empty()) s.tls.add_certificate_authority(asio::buffer(tls.ca));
    if (!tls.certificate.empty()) {
        s.tls.use_certificate_chain(asio::buffer(tls.certificate));
        s.tls.use_private_key(asio::buffer(tls.key), asio::ssl::context::pem);
    }
    s.stream.emplace(s.context, s.tls);
    s.stream->set_verify_mode(asio::ssl::verify_peer);
    s.stream->set_verify_callback(asio::ssl::host_name_verification(tls.host));
    auto& socket = s.stream->next_layer();
    if (!tls.from.empty()) {
        socket.open(asio::ip::tcp::v4());
        socket.bind({asio::ip::make_address(tls.from), 0});
    }
    socket.connect({asio::ip::make_address(at.address), at.port});
    if (!s.encrypted) return;
    boost::system::error_code error;
    s.stream->async_handshake(asio::ssl::stream_base::client, [&](const boost::system::error_code& e) { error = e; });
    s.finish();
    if (error) throw boost::system::system_error(error, "handshake");
}

raw_client::~raw_client() = default;

bool raw_client::send(std::string_view bytes)
{
    state& s = *state_;
    boost::system::error_code error;
    while (!bytes.empty() && !error) {
        const auto buffer = asio::buffer(bytes.data(), bytes.size());
        bytes.remove_prefix(s.encrypted ? s.stream->write_some(buffer, error)
                                        : s.stream->next_layer().write_some(buffer, error));
    }
    return !error;
}

std::string raw_client::receive()
{
    if (state_->input.empty()) state_->fill();
    return std::exchange(state_->input, {});
}

received_answer raw_client::head()
{
    state& s = *state_;
    s.parser.emplace();
    s.parser->body_limit(boost::none);
    do s.parse();
    while (!s.parser->is_header_done() && s.fill());
    received_answer out = s.so_far();
    out.broken = !s.parser->is_header_done();
    return out;
}

received_answer raw_client::answer()
{
    state& s = *state_;
    received_answer out = head();
    if (out.broken) return out;
    while (!s.parser->is_done()) {
        s.parse();
        if (s.parser->is_done() || !s.fill()) break;
    }
    s.parse();
    out = s.so_far();
    boost::system::error_code error;
    if (!s.parser->is_done()) s.parser->put_eof(error);
    out.broken = !s.parser->is_done();
    return out;
}

std::string raw_client::body_until(std::string_view text)
{
    state& s = *state_;
    do s.parse();
    while (s.parser->get().body().find(text) == std::string::npos && !s.parser->is_done() && s.fill());
    return s.parser->get().body();
}

bool raw_client::body_ended()
{
    state& s = *state_;
    do s.parse();
    while (!s.parser->is_done() && s.fill());
    return s.parser->is_done();
}

bool raw_client::closed_by_server()
{
    // An end after the whole time limit was caused by the client, not by the server.
    const auto begun = std::chrono::steady_clock::now();
    while (state_->fill()) state_->input.clear();
    return std::chrono::steady_clock::now() - begun < std::chrono::seconds{9};
}

received_answer raw_client::request(std::string_view method, std::string_view target, std::string_view headers,
                                    std::string_view body)
{
    std::string text = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n";
    text += headers;
    if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    text += "\r\n";
    text += body;
    send(text);
    return answer();
}

received_answer raw_client::get(std::string_view target, std::string_view headers)
{
    return request("GET", target, headers);
}

} // namespace kubecoro::apiserver
