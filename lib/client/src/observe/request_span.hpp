#pragma once

#include <kubecoro/api/request.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/base/tracer.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <string_view>

namespace kubecoro::detail {

/** The span of a request that is made for a run of a controller, up to the head of its response, and the line of the log
    that says how it ended. Without a trace there is neither. */
class request_span
{
public:
    /// @param executor  That of the requesting coroutine. @param r  Gets `traceparent`; outlives this.
    request_span(const boost::asio::any_io_executor& executor, request& r, logger log);

    /// The request is sent once more.
    void sent_again() noexcept { ++again_; }
    /// A response arrived, of that status.
    void answered(int status);
    /// There is none. @return the same failure.
    const failure& failed(const failure& why);

private:
    void show(std::string_view message, log_field outcome) const;

    const request& request_;
    logger log_;
    trace_context run_;
    span span_;
    int again_ = 0;
};

} // namespace kubecoro::detail
