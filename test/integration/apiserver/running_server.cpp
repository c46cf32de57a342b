#include "running_server.hpp"

#include <kubecoro/test/eventually.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <array>
#include <future>
#include <thread>

namespace asio = boost::asio;

namespace kubecoro::apiserver {

struct running_server::state
{
    asio::io_context context;
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
    embedded_server server;
    embedded_server::endpoint at;
    std::array<std::thread, 2> threads;

    explicit state(server_options options) : server(context.get_executor(), std::move(options)) {}

    template<class T>
    result<T> run(asio::awaitable<result<T>> task)
    {
        std::promise<result<T>> promise;
        asio::co_spawn(context, std::move(task), [&](std::exception_ptr thrown, result<T> value) {
            if (thrown)
                promise.set_exception(thrown);
            else
                promise.set_value(std::move(value));
        });
        return promise.get_future().get();
    }
};

running_server::running_server(listener_options endpoint, server_options options)
{
    options.tokens.push_back({admin_token, {"admin", {"system:masters"}}});
    options.tokens.push_back({"reader-token", {"reader", {"system:authenticated"}}});
    access_rule reads;
    reads.user = "reader";
    reads.verb = "get";
    reads.resource = "configmaps";
    options.rules.push_back(reads);
    state_ = std::make_unique<state>(std::move(options));
    for (auto& t : state_->threads) t = std::thread([this] { state_->context.run(); });
    state_->at = state_->run(state_->server.listen(std::move(endpoint))).value();
}

running_server::~running_server()
{
    stop();
    state_->work.reset();
    for (auto& t : state_->threads) t.join();
}

const embedded_server::endpoint& running_server::at() const { return state_->at; }
embedded_server& running_server::server() { return state_->server; }

result<std::string> running_server::execute(std::string method, std::string target, std::string body)
{
    return state_->run(state_->server.execute(std::move(method), std::move(target), std::move(body)));
}

result<embedded_server::endpoint> running_server::listen(listener_options endpoint)
{
    return state_->run(state_->server.listen(std::move(endpoint)));
}

void running_server::stop() { state_->run(state_->server.stop()).value(); }
void running_server::compact() { state_->run(state_->server.compact()).value(); }

bool running_server::eventually(bool (*reached)(const server_counters&))
{
    return test::eventually([&] { return reached(state_->server.counters()); });
}

const tls_identity& test_identity()
{
    static const tls_identity identity = [] {
        tls_identity_options options;
        options.now = std::chrono::system_clock::now();
        options.names = {"api.example", "10.1.2.3"};
        options.client_user = "carol";
        options.client_groups = {"system:masters"};
        return tls_identity::generate(options).value();
    }();
    return identity;
}

listener_options with_tls()
{
    listener_options out;
    out.tls = test_identity();
    return out;
}

std::string config_map(const std::string& name, const std::string& value)
{
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("},"data":{"k":")" + value +
           R"("}})";
}

} // namespace kubecoro::apiserver
