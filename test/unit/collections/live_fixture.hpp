#pragma once
// Collections over scripted informers of pods and nodes, in virtual time.

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/collections/derive.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/scripted_informers.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/recording.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace collections_test {

using namespace std::chrono_literals;
using kubecoro::look;
using kubecoro::object;
namespace kt = kubecoro::testing;
namespace untyped = kubecoro::untyped;

struct node_load
{
    std::string node;
    std::vector<std::string> pods = {};
    friend bool operator==(const node_load&, const node_load&) = default;
};

inline std::string text_of(const node_load& l)
{
    std::string out = l.node + ":";
    for (const auto& p : l.pods) out += " " + p;
    return out;
}

struct live_base
{
    kt::runner run;
    kt::recording_logger log;
};

struct live_fixture : live_base, kubecoro::test::scripted_informers
{
    kubecoro::shared_informer<> pods;
    kubecoro::shared_informer<> nodes;
    kt::scripted_watch pods_watch, nodes_watch;
    std::unique_ptr<kubecoro::live_queries> live;
    int version = 100;

    live_fixture()
        : scripted_informers(run), pods(informers->get<untyped::pod>()), nodes(informers->get<untyped::node>())
    {
        CHECK(pods.add_index("node", [](const object& o) {
            return std::vector<std::string>{std::string(o["spec"]["nodeName"].as_string())};
        }));
        live = std::make_unique<kubecoro::live_queries>(
            run.executor(), kubecoro::live_queries_options{.time = run.shared_clock(), .log = log.handle()});
    }
    ~live_fixture()
    {
        if (live) CHECK(run.run(live->stop()));
        CHECK(run.run(informers->stop()));
    }
    live_fixture(const live_fixture&) = delete;
    live_fixture& operator=(const live_fixture&) = delete;

    kt::scripted_source& source_of(const kubecoro::resource_type& r) { return source(r); }
    void list_nodes(const std::vector<std::string>& names)
    {
        std::vector<object> all;
        for (const auto& n : names)
            all.push_back(kt::make_object({.kind = "Node", .name = n, .resource_version = "1"}));
        source(untyped::node::resource()).on_list(kt::make_page(std::move(all), "50"));
        nodes_watch = source(untyped::node::resource()).on_watch();
    }
    void list_pods(std::vector<object> all, const std::string& at = "50")
    {
        source(untyped::pod::resource()).on_list(kt::make_page(std::move(all), at));
        pods_watch = source(untyped::pod::resource()).on_watch();
    }
    void start()
    {
        informers->start();
        run.run_until_idle();
    }
    /// A pod with a newer version each time.
    object pod(const std::string& name, const std::string& node)
    {
        return kt::make_pod("web", name, std::to_string(++version), node);
    }

    kubecoro::collection<node_load> loads(kubecoro::collection_options<node_load> options = {})
    {
        return kubecoro::derive<node_load>(
            *live, nodes,
            [pods = pods](const object& n, const look& look) {
                node_load out{.node = std::string(n.name())};
                for (const auto& p : look.by_index(pods, "node", n.name())) out.pods.emplace_back(p.name());
                return out;
            },
            std::move(options));
    }
};

template<class T>
std::vector<std::string> texts(const kubecoro::collection<T>& c)
{
    std::vector<std::string> out;
    for (const auto& e : c.list()) {
        if constexpr (kubecoro::detail::is_handle<T>)
            out.emplace_back(e.name());
        else if constexpr (std::is_same_v<T, node_load>)
            out.push_back(text_of(*e));
        else
            out.push_back(*e);
    }
    return out;
}

using lines = std::vector<std::string>;

} // namespace collections_test
