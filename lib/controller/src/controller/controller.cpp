// The handles controller and event_source.
#include "controller/controller_engine.hpp"

#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;
namespace {

asio::awaitable<result<>> nothing_to_wait_for() { co_return result<>(); }

} // namespace

event_source::event_source(std::shared_ptr<controller_engine> engine, std::shared_ptr<controller_source> source)
    : engine_(std::move(engine)), source_(std::move(source))
{
}

void event_source::remove() const
{
    if (source_) engine_->remove(*source_);
}

asio::awaitable<result<>> event_source::removed() const
{
    remove();
    return source_ ? source_->over.wait() : nothing_to_wait_for();
}

controller_stats::source event_source::stats() const
{
    if (source_) return engine_->stats(*source_);
    controller_stats::source ended;
    ended.state = source_state::over;
    return ended;
}

controller<object>::controller(asio::any_io_executor executor, reconciler reconcile, controller_options options)
    : engine_(std::make_shared<controller_engine>(std::move(executor), std::move(reconcile), std::move(options)))
{
}

controller<object>::~controller()
{
    if (engine_) controller_engine::abandon(engine_);
}

event_source controller<object>::watch(shared_informer<object> informer, enqueue map, source_options options)
{
    return {engine_, engine_->watch(std::move(informer), std::move(map), std::move(options))};
}

void controller<object>::trigger(object_key_view key, int priority) { engine_->trigger(key, priority); }
void controller<object>::start() { engine_->start(); }
asio::awaitable<result<>> controller<object>::ready() const { return engine_->ready(); }

asio::awaitable<result<>> controller<object>::run()
{
    start();
    return controller_engine::over(engine_);
}

asio::awaitable<result<>> controller<object>::stop()
{
    request_stop();
    return controller_engine::over(engine_);
}

void controller<object>::request_stop() { engine_->request_stop(); }
void controller<object>::request_stop_at_once() { engine_->request_stop_at_once(); }
controller_stats controller<object>::stats() const { return engine_->stats(); }
std::vector<std::string> controller<object>::tasks() const { return engine_->tasks(); }
std::string controller<object>::describe() const { return kubecoro::describe(stats()); }

} // namespace kubecoro
