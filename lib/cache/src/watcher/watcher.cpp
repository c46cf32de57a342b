#include "watcher/watcher_engine.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <cstdint>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;
namespace {

/// Objects in a page of a list, unless the options say otherwise.
constexpr std::uint32_t default_page_size = 500;

template<class Source>
std::shared_ptr<watcher_engine> make_engine(Source&& source, const resource_type& resource, reflector_options&& o)
{
    if (o.policy.page_size == 0) o.policy.page_size = default_page_size;
    auto how = set_up(std::forward<Source>(source), resource, std::move(o));
    how.delivery = list_delivery::pages;
    return watcher_engine::make(std::move(how));
}

constexpr auto moved_from = "a moved-from watcher was used";

asio::awaitable<result<watcher_batch<>>> no_batch() { co_return failure(cond::misconfigured, moved_from); }
asio::awaitable<result<>> nothing_to_stop() { co_return result<>{}; }

} // namespace

std::string_view to_string(watcher_event_type t) noexcept
{
    switch (t) {
    case watcher_event_type::init_begins:
        return "init_begins";
    case watcher_event_type::listed:
        return "listed";
    case watcher_event_type::init_done:
        return "init_done";
    case watcher_event_type::applied:
        return "applied";
    case watcher_event_type::deleted:
        return "deleted";
    }
    return "unknown";
}

watcher<object>::watcher(std::shared_ptr<source_provider> provider, const resource_type& resource,
                         reflector_options options)
    : engine_(make_engine(std::move(provider), resource, std::move(options)))
{
}

watcher<object>::watcher(std::shared_ptr<list_watch_source> source, const resource_type& resource,
                         reflector_options options)
    : engine_(make_engine(std::move(source), resource, std::move(options)))
{
}

watcher<object>::~watcher()
{
    if (!engine_) return;
    engine_->close();
    reflector_engine::abandon(std::move(engine_));
}

watcher<object>& watcher<object>::operator=(watcher&& other) noexcept
{
    const watcher ended(std::move(*this));
    engine_ = std::move(other.engine_);
    return *this;
}

asio::awaitable<result<watcher_batch<>>> watcher<object>::next()
{
    return engine_ ? catch_failure(watcher_engine::next(engine_)) : no_batch();
}

void watcher<object>::close()
{
    if (engine_) engine_->close();
}

asio::awaitable<result<>> watcher<object>::stop()
{
    return engine_ ? catch_failure(watcher_engine::stop(engine_)) : nothing_to_stop();
}

void watcher<object>::retry_now() const
{
    if (engine_) reflector_engine::retry_now(engine_);
}

informer_state watcher<object>::state() const { return engine_ ? engine_->state() : informer_state::stopped; }
reflector_stats watcher<object>::stats() const { return engine_ ? engine_->stats() : reflector_stats(); }

} // namespace kubecoro
