// A program with a dashboard to look at: numbers that are made up.
// usage: dashboard_program PORT [hostile|protected|clusters]
#include <kubecoro/endpoints/endpoint_server.hpp>
#include <kubecoro/program/run_program.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;

namespace {

constexpr const char* markup = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>";

/// Numbers that grow with each snapshot.
struct made_up
{
    bool hostile = false;
    /// The last one of each is in another cluster.
    bool many = false;
    std::uint64_t looks = 0;

    std::string name(const char* plain) const { return hostile ? markup + std::string(plain) : plain; }

    controller_stats one(const char* plain, std::uint64_t pace, std::uint64_t failed) const
    {
        controller_stats out;
        out.phase = controller_phase::running;
        out.workers = 4;
        out.active = failed == 0 ? 1 : 3;
        out.succeeded = 1200 + pace * looks;
        out.failed = failed;
        out.run_time = 11ms * (out.succeeded + failed);
        out.longest_run = 1480ms;
        out.sources.push_back({.name = name("pods"), .state = source_state::synced, .events = out.succeeded});
        out.queue.name = name(plain);
        out.queue.ready = failed * 3;
        out.queue.processing = out.active;
        out.queue.delayed = failed;
        out.queue.keys = 400;
        out.queue.bytes = 61'000;
        out.queue.adds = out.succeeded + 31;
        out.queue.retries = failed;
        out.queue.in_work = {name("shop/checkout-7d9f"), name("shop/cart-5c44")};
        out.queue.running_for = {1480ms, 20ms};
        if (out.queue.ready != 0) {
            out.queue.oldest_age = 3200ms;
            out.queue.oldest = name("jobs/report-2b7c");
            out.queue.largest_classes = {{name("jobs"), 5}, {name("shop"), 1}};
        }
        return out;
    }
    std::vector<in_cluster<controller_stats>> controllers() const
    {
        return {{{}, one("website", 37, 0)},
                {many ? name("eu-west") : "", one(many ? "website" : "config-reloader", 4, 2)}};
    }
    std::vector<in_cluster<workqueue_stats>> queues() const
    {
        std::vector<in_cluster<workqueue_stats>> out;
        for (auto& c : controllers()) out.push_back({c.cluster, std::move(c.value.queue)});
        return out;
    }
};

/// As informers_page() writes it.
std::string informers(std::uint64_t looks)
{
    std::string out;
    for (const auto& [name, objects] : {std::pair{"pods", 240}, {"configmaps", 241}, {"namespaces", 4}})
        out += std::string(out.empty() ? "[" : ",") + R"({"resource":")" + name +
               R"(","state":"watching","synced":true,"objects":)" + std::to_string(objects) + R"(,"bytes":)" +
               std::to_string(objects * 640) + R"(,"silent_seconds":0.4,"added":)" + std::to_string(objects) +
               R"(,"updated":)" + std::to_string(looks * 3) +
               R"(,"deleted":0,"pending":0,"handlers":[],"reflector":{"relists":0,"failures":0,"last_failure":null}})";
    return out + "]";
}

asio::awaitable<result<>> show(program_context context, std::string port, std::string mode)
{
    const logger log = logger::silent();
    made_up program;
    program.hostile = mode == "hostile";
    program.many = mode == "hostile" || mode == "clusters";
    endpoint_options serving;
    serving.address = "127.0.0.1:" + port;
    serving.debug = debug_pages();
    serving.log = log;
    serving.limits.snapshot_period = 500ms;
    if (mode == "protected")
        serving.protect = access_filter([](const std::string& token, const std::string&) {
            return [](bool good) -> asio::awaitable<result<access_verdict>> {
                co_return good ? access_verdict::allowed : access_verdict::unauthenticated;
            }(token == "good-token");
        });
    const auto& pages = *serving.debug;
    (void)pages.add("informers", {[] { return std::string(); }, [&] { return informers(program.looks); }});
    (void)pages.add("controllers", controllers_page([&] { return ++program.looks, program.controllers(); }));
    (void)pages.add("queues", queues_page([&] { return program.queues(); }));
    (void)pages.add("tasks", tasks_page([&] {
                        return std::vector{program.name("informer: pods"), program.name("controller: website")};
                    }));
    (void)pages.add("config", config_page([&] {
                        return std::vector<std::pair<std::string, std::string>>{{"name", program.name("shop-operator")},
                                                                                {"namespaces", "shop,jobs"}};
                    }));
    endpoint_server endpoints(context.executor, std::move(serving));
    if (const auto started = endpoints.start(); !started) co_return started;
    std::cout << endpoints.url() << std::endl;
    (void)co_await context.stop.wait();
    co_return co_await endpoints.stop();
}

} // namespace

int main(int argc, char** argv)
{
    const std::string port = argc > 1 ? argv[1] : "0", mode = argc > 2 ? argv[2] : "";
    return run_program([&](program_context context) { return show(std::move(context), port, mode); },
                       "dashboard_program");
}
