#include "observe/request_span.hpp"

#include "observe/request_meters.hpp"

#include <kubecoro/client/detail/request_scope.hpp>

#include <string>
#include <utility>

namespace kubecoro::detail {
namespace {

// Names of namespaces and objects have at most 253 characters each.
constexpr std::size_t longest_path = 1024;

std::string_view path_of(const request& r) noexcept
{
    // Not the query: it may hold a selector, and the values in it.
    const std::string_view target(r.target);
    return target.substr(0, target.find('?')).substr(0, longest_path);
}

} // namespace

request_span::request_span(const boost::asio::any_io_executor& executor, request& r, logger log)
    : request_(r), log_(std::move(log))
{
    const auto scope = scope_of(executor);
    if (!scope) return;
    const auto of = scope->trace();
    if (!of.run) return;
    run_ = of.run;
    const std::string method(method_label(r.method));
    span_ = of.tracer.start(method + " " + resource_label(r.target), {.parent = of.run, .kind = span_kind::client});
    span_.set("http.request.method", method);
    span_.set("url.path", path_of(r));
    if (of.propagate) r.headers.emplace_back("traceparent", span_.context().traceparent());
}

void request_span::answered(int status)
{
    if (!span_) return;
    span_.set("http.response.status_code", status);
    if (again_ != 0) span_.set("http.request.resend_count", again_);
    if (status >= 400) span_.fail(code_label(status));
    show("request answered", {"status", status});
}

const failure& request_span::failed(const failure& why)
{
    span_.fail(why.condition());
    if (span_) show("request failed", {"failure", to_string(why.condition())});
    return why;
}

void request_span::show(std::string_view message, log_field outcome) const
{
    if (!log_.enabled(log_level::debug)) return;
    log_.debug(message, {{"method", request_.method},
                         {"path", path_of(request_)},
                         outcome,
                         {"trace", run_.trace_text()},
                         {"run", run_.span_text()}});
}

} // namespace kubecoro::detail
