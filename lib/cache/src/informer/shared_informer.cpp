#include "informer/informer_engine.hpp"
#include "waits/await_all.hpp"

#include <kubecoro/cache/shared_informer.hpp>

#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;

const std::shared_ptr<informer_engine>& detail::engine_of(const shared_informer<object>& informer) noexcept
{
    return informer.engine_;
}

registration shared_informer<object>::add_event_handler(event_handler<object> handler, handler_options options) const
{
    return registration(engine_->add_handler(std::move(handler), std::move(options)));
}

subscription<object> shared_informer<object>::subscribe(handler_options options) const
{
    return subscription<object>(engine_->add_subscription(std::move(options)));
}

result<> shared_informer<object>::add_index(std::string name, detail::index_function f) const
{
    return engine_->add_index(std::move(name), std::move(f));
}

kubecoro::lister<object> shared_informer<object>::lister() const
{
    return kubecoro::lister<object>(engine_->content());
}
asio::awaitable<result<>> shared_informer<object>::has_synced() const { return engine_->gate().wait(); }
bool shared_informer<object>::synced() const noexcept { return engine_->gate().is_open(); }
asio::awaitable<result<>> shared_informer<object>::wait_until(kept_text resource_version, kept_text ns) const
{
    return lister().wait_until(std::move(resource_version), std::move(ns));
}
informer_state shared_informer<object>::state() const { return engine_->state(); }
std::string shared_informer<object>::last_resource_version() const { return engine_->lanes().version(); }
informer_stats shared_informer<object>::stats() const { return engine_->stats(); }
std::string shared_informer<object>::describe() const { return engine_->describe(); }
const resource_type& shared_informer<object>::resource() const noexcept { return engine_->resource(); }
const std::shared_ptr<object_share>& shared_informer<object>::share() const noexcept { return engine_->share(); }

asio::awaitable<result<>> shared_informer<object>::set_namespaces(text_list namespaces) const
{
    return engine_->set_namespaces(std::move(namespaces));
}

asio::awaitable<result<>> shared_informer<object>::add_namespace(kept_text ns) const
{
    return engine_->add_namespace(std::move(ns));
}

asio::awaitable<result<>> shared_informer<object>::remove_namespace(kept_text ns) const
{
    return engine_->remove_namespace(std::move(ns));
}

void shared_informer<object>::retry_now() const { engine_->retry_now(); }

std::vector<std::string> shared_informer<object>::namespaces() const { return engine_->lanes().namespaces(); }

asio::awaitable<result<>> wait_for_cache_sync(std::vector<shared_informer<object>> informers)
{
    std::vector<awaited> all;
    all.reserve(informers.size());
    for (const auto& i : informers) all.push_back({i.resource().display_name(), i.has_synced()});
    return await_all(std::move(all));
}

} // namespace kubecoro
