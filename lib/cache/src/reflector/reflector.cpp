#include "reflector/sink_feeder.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;

asio::awaitable<result<>> reflector_sink::vanished() { return replace({}, {}, {}); }

reflector::reflector(std::shared_ptr<source_provider> provider, const resource_type& resource,
                     reflector_options options, std::shared_ptr<reflector_sink> sink)
    : feeder_(std::make_shared<sink_feeder>(set_up(provider, resource, std::move(options)), std::move(sink)))
{
}

reflector::reflector(std::shared_ptr<list_watch_source> source, const resource_type& resource,
                     reflector_options options, std::shared_ptr<reflector_sink> sink)
    : feeder_(std::make_shared<sink_feeder>(set_up(std::move(source), resource, std::move(options)), std::move(sink)))
{
}

asio::awaitable<result<>> reflector::run() { return catch_failure(sink_feeder::run(feeder_)); }
void reflector::retry_now() const { reflector_engine::retry_now(feeder_); }
informer_state reflector::state() const { return feeder_->state(); }
std::string reflector::last_resource_version() const { return feeder_->version(); }
reflector_stats reflector::stats() const { return feeder_->stats(); }

} // namespace kubecoro
