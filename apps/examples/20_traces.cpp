// One trace from an event to the requests of its run. The sink is the place for an exporter.
#include "example.hpp"

#include <kubecoro/base/latch.hpp>
#include <kubecoro/core_v1/config_map.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace asio = boost::asio;
using kubecoro::action;
using kubecoro::reconcile_context;
using kubecoro::span_data;
using kubecoro::typed_object;
using kubecoro::core_v1::config_map;

namespace {

/// Keeps the spans and prints them as a tree; an exporter would send them, or otlp_file() writes them for a collector.
class span_tree final : public kubecoro::span_sink
{
public:
    void ended(const span_data& s) override
    {
        std::lock_guard lock(mutex_); // spans end on any thread
        parts_[s.parent].push_back(s);
    }
    void print(std::uint64_t parent = 0, const std::string& indent = {})
    {
        auto& parts = parts_[parent];
        std::ranges::stable_sort(parts, {}, &span_data::start);
        for (const auto& s : parts) {
            std::cout << indent << s.name << (s.error.empty() ? "" : ", failed: " + s.error) << '\n';
            print(s.context.span, indent + "  ");
        }
    }

private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::vector<span_data>> parts_;
};

/// Answers each greeting in its data.
struct answering
{
    kubecoro::client cluster;
    kubecoro::latch answered;

    asio::awaitable<kubecoro::result<action>> operator()(const typed_object<config_map>& found,
                                                         reconcile_context& context)
    {
        if (!found->data()["answer"].empty()) {
            answered.settle({});
            co_return action::done();
        }
        const auto thinking = context.span("think"); // a part of the run; ends with its scope
        const auto edit = [](config_map& m) { m.data["answer"] = "hello to you"; };
        KUBECORO_TRY(co_await kubecoro::create_or_update<config_map>(cluster, kubecoro::object_key(found.key()), edit));
        co_return action::done();
    }
};

asio::awaitable<kubecoro::result<>> greet(kubecoro::client cluster)
{
    const config_map hello{.metadata = {.name = "greeting"}, .data = {{"text", "hello"}}};
    auto greetings = cluster.resource<config_map>("default");
    KUBECORO_TRY(co_await greetings.create(hello));
    co_return kubecoro::result<>();
}

} // namespace

asio::awaitable<kubecoro::result<>> run(kubecoro::client client)
{
    const auto executor = co_await asio::this_coro::executor;
    const auto spans = std::make_shared<span_tree>();
    kubecoro::latch answered;
    kubecoro::informer_factory informers(client);
    auto maps = informers.get<config_map>({.namespaces = {"default"}, .name = "greeting"});
    kubecoro::controller controller(executor, maps, answering{client, answered},
                                    {.name = "greetings", .traces = {.tracer = kubecoro::tracer(spans)}});
    informers.start();
    controller.start();
    auto outcome = co_await controller.ready();
    if (outcome) outcome = co_await greet(client);
    if (outcome) outcome = co_await answered.wait();
    auto stopped = co_await controller.stop();
    auto informers_ended = co_await informers.stop();
    if (outcome) spans->print();
    if (!outcome) co_return outcome;
    co_return stopped ? informers_ended : stopped;
}
