#include "server/endpoint_meters.hpp"

namespace kubecoro::detail {

endpoint_meters::endpoint_meters(std::shared_ptr<metrics> sink) : sink_(std::move(sink))
{
    if (!sink_) sink_ = null_metrics();
    repeated_ = sink_->make_counter("kubecoro_endpoints_repeated_pages_total", {});
    open_gauge_ = sink_->make_gauge("kubecoro_endpoints_open_connections", {});
}

void endpoint_meters::on_request(std::string_view endpoint, int status)
{
    ++requests_;
    auto& counter = requests_by_[{std::string(endpoint), status}];
    if (!counter)
        counter = sink_->make_counter("kubecoro_endpoints_requests_total",
                                      {{"endpoint", std::string(endpoint)}, {"code", std::to_string(status)}});
    counter->add();
}

void endpoint_meters::on_connection(const char* outcome)
{
    const std::string_view name = outcome;
    if (name == "accepted") ++connections_;
    if (name.starts_with("closed_")) ++closed_;
    auto at = connections_by_.find(name);
    if (at == connections_by_.end())
        at = connections_by_
                 .emplace(name,
                          sink_->make_counter("kubecoro_endpoints_connections_total", {{"outcome", std::string(name)}}))
                 .first;
    at->second->add();
}

void endpoint_meters::on_repeated_page() { repeated_->add(); }

void endpoint_meters::on_open_connections(std::size_t n)
{
    open_ = n;
    open_gauge_->set(static_cast<double>(n));
}

endpoint_stats endpoint_meters::stats() const
{
    endpoint_stats out;
    out.connections = connections_;
    out.open_connections = open_;
    out.closed_by_server = closed_;
    out.requests = requests_;
    out.answer_bytes = answer_bytes_;
    return out;
}

} // namespace kubecoro::detail
