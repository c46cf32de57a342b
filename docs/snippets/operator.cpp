// Snippets of docs/guide/manager.md: an operator that copies a config map into every namespace.
#include <kubecoro/core_v1/config_map.hpp>
#include <kubecoro/core_v1/namespace_.hpp>
#include <kubecoro/kubecoro.hpp>
#include <kubecoro/program/run_operator.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using kubecoro::action;
using kubecoro::object_key;
using kubecoro::result;
using kubecoro::typed_object;
using kubecoro::core_v1::config_map;
using kubecoro::core_v1::namespace_;

namespace {

//[reconciler
class copier
{
public:
    explicit copier(kubecoro::manager& m) : cluster_(m.client()), maps_(m.lister<config_map>()) {}

    asio::awaitable<result<action>> operator()(const typed_object<namespace_>& into, kubecoro::reconcile_context&)
    {
        const auto from = maps_.get("default", "shared");
        if (!from || into.being_deleted()) co_return action::done();
        const object_key copy(into.name(), "shared");
        const auto edit = [&](config_map& m) { m.data["message"] = from->data()["message"]; };
        kubecoro::edit_options how;
        how.known = maps_.get(copy);
        KUBECORO_TRY(co_await kubecoro::create_or_update<config_map>(cluster_, copy, edit, how));
        co_return action::done();
    }

private:
    kubecoro::client cluster_;
    kubecoro::lister<config_map> maps_;
};
//]

object_key namespace_of(const typed_object<config_map>& m) { return object_key("", std::string(m.ns())); }

asio::awaitable<result<>> count(kubecoro::manager& m)
{
    for (;;) {
        m.log().info("config maps", {{"count", m.lister<config_map>().size()}});
        KUBECORO_TRY(co_await kubecoro::sleep_for(*m.time(), 1min));
    }
}

asio::awaitable<result<>> sweep(kubecoro::client cluster)
{
    KUBECORO_TRY(co_await cluster.resource<config_map>("default").remove("scratch"));
    co_return result<>();
}

//[job
/// Once an hour, in the leader.
void sweep_hourly(kubecoro::manager& m)
{
    const auto job = [cluster = m.client()] { return sweep(cluster); };
    m.run("sweep", [job] { return kubecoro::every({.name = "sweep", .period = 1h}, job); });
}
//]

//[numbers
/// The numbers of a copier. The handles are made once; recording is then one call.
struct copier_numbers
{
    explicit copier_numbers(kubecoro::metrics& to)
        : refused(to.make_counter("copier_refused_total", {{"why", "owner"}})),
          waiting(to.make_gauge("copier_waiting", {})) // without labels
    {
    }
    std::shared_ptr<kubecoro::metrics::counter> refused; // refused->add()
    std::shared_ptr<kubecoro::metrics::gauge> waiting;   // waiting->set(3)
};
//]

[[maybe_unused]] constexpr void (*job_in_the_guide)(kubecoro::manager&) = sweep_hourly;
[[maybe_unused]] const auto numbers_in_the_guide = [](kubecoro::metrics& to) { return copier_numbers(to); };

} // namespace

//[main
int main(int argc, char** argv)
{
    const auto setup = [](kubecoro::manager& m) {
        m.control<namespace_>(copier{m})
            .watches<config_map>(namespace_of)
            .writes<config_map>({"get", "create", "update", "patch"});
        m.run("count", [&m] { return count(m); }, {.needs_leadership = false, .retry = kubecoro::backoff_policy{}});
    };
    return kubecoro::run_operator(
        {.name = "copier", .leader_election = {.lease = "copier"}, .metrics = ":8080", .health = ":8081"}, argc, argv,
        setup);
}
//]
