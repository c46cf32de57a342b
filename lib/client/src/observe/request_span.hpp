#pragma once

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/failure.hpp>
#include <kubecoro/base/tracer.hpp>

#include <boost/asio/any_io_executor.hpp>

namespace kubecoro::detail {

/** The span of a request that is made for a run of a controller, up to the head of its response. Without a trace it is
    empty. */
class request_span
{
public:
    /// @param executor  That of the requesting coroutine. @param r  Gets `traceparent`.
    request_span(const boost::asio::any_io_executor& executor, request& r);

    /// The request is sent once more.
    void sent_again() noexcept { ++again_; }
    /// A response arrived, of that status.
    void answered(int status);
    /// There is none. @return the same failure.
    const failure& failed(const failure& why);

private:
    span span_;
    int again_ = 0;
};

} // namespace kubecoro::detail
