// Worlds with a bad network and users who change things: a scrape is complete at any time, and right when the network is.
#include "cluster_series.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/detail/random.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/manager/manager.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/fault_plan.hpp>
#include <kubecoro/testing/faulty_transport.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace kt = kubecoro::testing;
using namespace kubecoro;
using namespace std::chrono_literals;
using cluster_metrics::cluster_series;
using untyped::node;
using untyped::pod;

namespace {

constexpr std::array names{"a", "b", "c", "d", "e"};
constexpr std::string_view steady = "steady";

struct bad_world
{
    kt::runner run;
    apiserver::embedded_server server;
    std::shared_ptr<kt::fault_plan> faults;
    detail::random_source chance;
    client users;
    std::optional<manager> m;
    std::shared_ptr<cluster_series> series;
    std::set<std::string> there;
    int checked = 0;

    explicit bad_world(std::uint64_t seed)
        : server(run.executor(), server_options()),
          faults(std::make_shared<kt::fault_plan>(seed)),
          chance(seed),
          users(connect(false))
    {
        REQUIRE(run.run(users.create(node::resource(), "", R"({"metadata":{"name":"n1"}})")));
        put(std::string(steady));
        begin();
    }
    ~bad_world()
    {
        end();
        CHECK(run.run(server.stop()));
    }
    bad_world(const bad_world&) = delete;
    bad_world& operator=(const bad_world&) = delete;

    /// With a good network until everything is there.
    void begin()
    {
        manager_options o{.name = "cluster-metrics", .sync_timeout = duration::zero()};
        o.log = logger::silent();
        o.seed = chance();
        o.informers.policy.page_size = 2;
        m.emplace(connect(true), std::move(o));
        series = cluster_series::make(*m, {.resources = {"pods", "nodes"}}).value();
        m->start();
        REQUIRE(run.run(m->ready()));
        faults->set_chances({.refuse = 0.05,
                             .no_answer = 0.01,
                             .server_error = 0.05,
                             .too_many = 0.02,
                             .expired = 0.05,
                             .cut = 0.1,
                             .stall = 0.01,
                             .delay = 0.1});
    }
    void end()
    {
        if (m) (void)run.run(m->stop());
        series.reset();
        m.reset();
    }
    void put(const std::string& name)
    {
        const auto body = R"({"metadata":{"name":")" + name +
                          R"("},"spec":{"nodeName":"n1","containers":[{"name":"main","image":"i"}]}})";
        REQUIRE(run.run(users.create(pod::resource(), "default", body)));
        there.insert(name);
    }
    void change()
    {
        const std::string name = names[chance() % names.size()];
        if (!there.contains(name)) return put(name);
        if (chance() % 3 != 0) {
            const auto phase = chance() % 2 == 0 ? "Running" : "Failed";
            const auto body = R"({"status":{"phase":")" + std::string(phase) + "\"}}";
            REQUIRE(run.run(users.patch(pod::resource(), "default", name, patch_kind::merge, body, {}, "status")));
            return;
        }
        delete_options at_once;
        at_once.grace_period = std::chrono::seconds{0};
        REQUIRE(run.run(users.remove(pod::resource(), "default", name, at_once)));
        there.erase(name);
    }
    void step()
    {
        const auto n = chance() % 10;
        if (n < 6) change();
        if (n == 6) faults->cut_open();
        if (n == 7 && chance() % 4 == 0) {
            faults->clear();
            end();
            begin();
        }
        run.advance(std::chrono::milliseconds(chance() % 4000));
        check_complete();
    }
    [[nodiscard]] std::string scrape() const
    {
        std::string out;
        auto parts = series->page().begin();
        while (parts(out)) {
        }
        return out;
    }
    static std::size_t count(const std::string& text, const std::string& of)
    {
        std::size_t n = 0;
        for (auto at = text.find(of); at != text.npos; at = text.find(of, at + 1)) ++n;
        return n;
    }
    /// Also while the network is bad: what does not change is there, once, and each family is there once.
    void check_complete()
    {
        const auto text = scrape();
        CHECK(count(text, "\nkube_pod_info{namespace=\"default\",pod=\"" + std::string(steady) + "\"") == 1);
        CHECK(count(text, "\nkube_node_created{node=\"n1\"}") == 1);
        CHECK(count(text, "# TYPE kube_pod_info ") == 1);
        ++checked;
    }
    void check_right()
    {
        faults->clear();
        faults->cut_open();
        run.advance(5min);
        const auto text = scrape();
        CHECK(count(text, "\nkube_pod_info{") == there.size());
        for (const auto& name : there) {
            const auto now = run.run(users.get(pod::resource(), "default", name)).value();
            const auto phase = now.path("status.phase").as_string();
            CHECK(count(text, "\nkube_pod_status_phase{namespace=\"default\",pod=\"" + name + "\",uid=\"" +
                                  std::string(now.uid()) + "\",phase=\"" + std::string(phase) + "\"} 1") == 1);
        }
    }

private:
    [[nodiscard]] apiserver::server_options server_options() const
    {
        apiserver::server_options o;
        o.time = run.shared_clock();
        o.cluster.history = 50; // watches that are behind begin again
        return o;
    }
    client connect(bool faulty)
    {
        client_options how;
        how.time = run.shared_clock();
        how.log = logger::silent();
        how.seed = 1;
        std::shared_ptr<transport> carrier = std::make_shared<apiserver::in_process_transport>(server);
        if (faulty) carrier = std::make_shared<kt::faulty_transport>(carrier, faults, run.shared_clock());
        return client(run.executor(), std::move(carrier), std::move(how));
    }
};

} // namespace

TEST_CASE("cluster-metrics: with a bad network a scrape lacks nothing, and afterwards it is right",
          "[cluster_metrics][simulation]")
{
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        bad_world w(seed);
        for (int n = 0; n < 40; ++n) w.step();
        w.check_right();
        checked += w.checked;
    }
    CHECK(checked == 800);
}
