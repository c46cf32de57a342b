#include "listener.hpp"
#include "server_engine.hpp"

#include <kubecoro/api/status.hpp>
#include <kubecoro/apiserver/manifests.hpp>

#include <boost/json/value.hpp>

#include <mutex>

namespace asio = boost::asio;

namespace kubecoro::apiserver {

class embedded_server::listeners
{
public:
    explicit listeners(server_engine& engine) : tasks(engine.executor(), engine.log()) {}

    std::vector<std::shared_ptr<listener>> all() const
    {
        std::lock_guard lock(mutex);
        return list;
    }

    task_group tasks;
    mutable std::mutex mutex;
    std::vector<std::shared_ptr<listener>> list;
    bool stopped = false;
};

embedded_server::embedded_server(asio::any_io_executor executor, server_options options)
    : engine_(std::make_shared<server_engine>(std::move(executor), std::move(options))),
      listeners_(std::make_unique<listeners>(*engine_))
{
}

embedded_server::~embedded_server() = default;

asio::awaitable<result<bound_endpoint>> embedded_server::listen(endpoint_options options)
{
    auto opened = listener::open(options, engine_);
    if (!opened) co_return opened.error();
    std::lock_guard lock(listeners_->mutex);
    if (listeners_->stopped || !(*opened)->start(listeners_->tasks))
        co_return failure{cond::cancelled, "the embedded server has stopped"};
    listeners_->list.push_back(*opened);
    co_return (*opened)->bound();
}

asio::awaitable<result<>> embedded_server::stop()
{
    {
        std::lock_guard lock(listeners_->mutex);
        listeners_->stopped = true;
    }
    co_await engine_->stop();
    for (const auto& l : listeners_->all()) l->stop();
    co_return co_await listeners_->tasks.join();
}

asio::awaitable<result<std::string>> embedded_server::execute(std::string method, std::string target, std::string body)
{
    http_request request{method, target};
    request.user = user_info{"system:admin", {"system:masters"}};
    request.headers.emplace_back("accept", "application/json");
    if (!body.empty())
        request.headers.emplace_back("content-type",
                                     method == "PATCH" ? "application/merge-patch+json" : "application/json");
    request.body = std::move(body);
    auto answered = co_await engine_->perform(std::move(request), wake_signal{});
    if (!answered) co_return answered.error().with_request(std::move(method), std::move(target));
    if (answered->watch)
        co_return failure{cond::invalid, "a watch needs a transport"}.with_request(std::move(method),
                                                                                   std::move(target));
    http_response& response = answered->response;
    if (response.status < 300) co_return std::move(response.body);
    co_return failure_of_answer(response.status, response.body).with_request(std::move(method), std::move(target));
}

asio::awaitable<result<std::size_t>> embedded_server::load(std::string text, std::string name)
{
    auto objects = load_manifests(text, name);
    if (!objects) co_return objects.error();
    result<std::size_t> loaded = std::size_t{0};
    co_await engine_->on_strand([&] {
        loaded = apply_manifests(engine_->state(), std::move(*objects), engine_->time().wall_now());
        engine_->changed();
    });
    co_return loaded;
}

asio::awaitable<result<>> embedded_server::compact()
{
    co_await engine_->on_strand([this] { engine_->state().compact(); });
    co_return result<>{};
}

asio::awaitable<result<std::vector<std::string>>> embedded_server::objects(std::string resource)
{
    std::vector<std::string> out;
    co_await engine_->on_strand([&] { out = engine_->state().objects(resource); });
    co_return out;
}

asio::awaitable<result<std::uint64_t>> embedded_server::resource_version()
{
    std::uint64_t out = 0;
    co_await engine_->on_strand([&] { out = engine_->state().resource_version(); });
    co_return out;
}

asio::awaitable<result<>> embedded_server::add_token(token_user user)
{
    co_await engine_->on_strand(
        [&] { engine_->access().add_token(std::move(user.token), std::move(user.user), user.expires); });
    co_return result<>{};
}

asio::awaitable<result<>> embedded_server::remove_token(std::string token)
{
    co_await engine_->on_strand([&] { engine_->access().remove_token(token); });
    co_return result<>{};
}

asio::awaitable<result<>> embedded_server::set_rules(std::vector<access_rule> rules)
{
    co_await engine_->on_strand([&] {
        engine_->access().clear_rules();
        for (access_rule& r : rules) engine_->access().add_rule(std::move(r));
    });
    co_return result<>{};
}

void embedded_server::cut_connections()
{
    for (const auto& l : listeners_->all()) l->cut_connections();
    engine_->cut();
}

void embedded_server::refuse_connections(bool refuse) { engine_->refusing = refuse; }

server_counters embedded_server::counters() const
{
    server_counters out = engine_->counters();
    for (const auto& l : listeners_->all()) l->count(out);
    return out;
}

} // namespace kubecoro::apiserver
