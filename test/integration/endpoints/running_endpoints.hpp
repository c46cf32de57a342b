// An endpoint_server that runs on a thread of its own, for blocking tests.
#pragma once

#include "raw_client.hpp"

#include <kubecoro/endpoints/endpoint_server.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/virtual_clock.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <future>
#include <thread>

namespace kubecoro {

class running_endpoints
{
public:
    /// Listens on a free port of the loopback interface.
    explicit running_endpoints(endpoint_options options = {});
    ~running_endpoints();

    [[nodiscard]] apiserver::embedded_server::endpoint at() const { return {"127.0.0.1", server_->port(), tls_}; }
    [[nodiscard]] apiserver::raw_client client() const { return apiserver::raw_client(at()); }
    [[nodiscard]] endpoint_server& server() noexcept { return *server_; }
    [[nodiscard]] const testing::recording_logger& log() const noexcept { return log_; }
    /// Once for a test that expects a failure: the destructor stops, and expects none, only if nothing has stopped it.
    result<> stop();

private:
    testing::recording_logger log_;
    bool tls_ = false;
    bool stopped_ = false;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
    std::unique_ptr<endpoint_server> server_;
    std::thread thread_;
};

/// Lets the clock go on, step by step, until the future has its value. @return how much it went on.
template<class T>
duration advance_until(testing::virtual_clock& clock, std::future<T>& value,
                       duration step = std::chrono::milliseconds{100})
{
    duration out{};
    for (; value.wait_for(std::chrono::milliseconds{5}) != std::future_status::ready; out += step) clock.advance(step);
    return out;
}

} // namespace kubecoro
