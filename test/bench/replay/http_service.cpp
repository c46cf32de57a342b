#include "http_service.hpp"

#include "envelope.hpp"

#include <array>
#include <string>

namespace kubecoro::bench {
namespace {

constexpr std::size_t max_head = 64 * 1024;
constexpr std::string_view head_end = "\r\n\r\n";

std::string_view phrase(int code)
{
    switch (code) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    default:
        return "Gone";
    }
}

/// Reads requests from a connection; bytes read beyond one belong to the next.
class request_reader
{
public:
    explicit request_reader(channel& from) : from_(from) {}

    /// The next head, with its body skipped; none at the end or for an invalid request.
    std::optional<result<http_request>> next()
    {
        std::size_t end = buffer_.find(head_end);
        while (end == std::string::npos) {
            if (buffer_.size() > max_head || !fill()) return std::nullopt;
            end = buffer_.find(head_end);
        }
        auto request = parse_http_request(std::string_view(buffer_).substr(0, end));
        buffer_.erase(0, end + head_end.size());
        if (request && !skip(request->content_length)) return std::nullopt;
        return request;
    }

private:
    bool fill()
    {
        std::array<char, 4096> bytes;
        const std::size_t n = from_.read_some(bytes);
        buffer_.append(bytes.data(), n);
        return n > 0;
    }

    bool skip(std::uint64_t size)
    {
        while (buffer_.size() < size) {
            size -= buffer_.size();
            buffer_.clear();
            if (!fill()) return false;
        }
        buffer_.erase(0, size);
        return true;
    }

    channel& from_;
    std::string buffer_;
};

} // namespace

http_service::http_service(std::unique_ptr<acceptor> from, std::shared_ptr<tls_settings> tls, answer_function answer)
    : acceptor_(std::move(from)), tls_(std::move(tls)), answer_(std::move(answer)), accepting_([this] { accept_all(); })
{
}

http_service::~http_service()
{
    stop();
    accepting_.join();
    for (connection& c : connections_) c.thread.join();
}

void http_service::stop()
{
    acceptor_->close();
    std::lock_guard lock(mutex_);
    stopping_ = true;
    for (connection& c : connections_)
        if (c.link) c.link->shut_down();
}

void http_service::accept_all()
{
    for (int descriptor = acceptor_->accept(); descriptor >= 0; descriptor = acceptor_->accept()) {
        std::lock_guard lock(mutex_);
        connections_.remove_if([](connection& c) {
            if (!c.done) return false;
            c.thread.join();
            return true;
        });
        connection& made = connections_.emplace_back();
        made.thread = std::thread([this, &made, descriptor] { serve(made, descriptor); });
    }
}

void http_service::serve(connection& c, int descriptor)
{
    std::unique_ptr<channel> link = tls_ ? tls_->handshake(descriptor) : std::make_unique<channel>(descriptor);
    bool refused = link == nullptr;
    {
        std::lock_guard lock(mutex_);
        refused = refused || stopping_;
        c.link = std::move(link);
    }
    if (!refused) serve_requests(*c.link);
    {
        std::lock_guard lock(mutex_);
        c.link.reset();
    }
    c.done = true;
}

void http_service::serve_requests(channel& link)
{
    request_reader requests(link);
    while (const auto request = requests.next()) {
        if (!*request) {
            const std::string body = status_json(400, "BadRequest", request->error().message());
            if (!write_answer(link, 400, "application/json", body)) return;
            return;
        }
        if (!answer_(link, **request) || !(*request)->keep_alive) return;
    }
}

bool write_answer(channel& to, int code, std::string_view type, std::string_view body)
{
    std::string head = "HTTP/1.1 " + std::to_string(code) + " ";
    head += phrase(code);
    head += "\r\nCache-Control: no-cache, private\r\nContent-Type: ";
    head += type;
    head += "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    return to.write(std::array<std::string_view, 2>{head, body});
}

} // namespace kubecoro::bench
