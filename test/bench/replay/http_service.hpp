// HTTP service with one thread per connection: the bench has few connections and avoids queues.
#pragma once

#include "channel.hpp"
#include "http_request.hpp"

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace kubecoro::bench {

/** Accepts connections and passes each request to a function, one after another per connection. */
class http_service
{
public:
    /// Answers a request; false ends the connection. Called on the connection's thread.
    using answer_function = std::function<bool(channel&, const http_request&)>;

    /// @param tls  Null: plain.
    http_service(std::unique_ptr<acceptor> from, std::shared_ptr<tls_settings> tls, answer_function answer);
    /// Ends all connections and waits for their threads; `answer` may be running until then.
    ~http_service();

    [[nodiscard]] std::uint16_t port() const { return acceptor_->port(); }
    /// Refuses new connections and ends existing ones, without waiting. Any thread.
    void stop();

private:
    struct connection
    {
        std::unique_ptr<channel> link;
        std::atomic<bool> done{false};
        std::thread thread;
    };

    void accept_all();
    void serve(connection& c, int descriptor);
    void serve_requests(channel& link);

    std::unique_ptr<acceptor> acceptor_;
    std::shared_ptr<tls_settings> tls_;
    answer_function answer_;
    std::mutex mutex_;
    std::list<connection> connections_;
    bool stopping_ = false;
    std::thread accepting_;
};

/// Writes a whole answer with its Content-Length. false = the peer is gone.
[[nodiscard]] bool write_answer(channel& to, int code, std::string_view type, std::string_view body);

} // namespace kubecoro::bench
