#include "operator/operator_endpoints.hpp"

#include "operator/state_pages.hpp"

#include <kubecoro/endpoints/ready_checks.hpp>
#include <kubecoro/program/guarded_endpoint.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

bool is_off(const std::string& address) { return address.empty() || address == "0"; }

result<> is_started(const manager& m)
{
    const auto phase = m.phase();
    if (phase == manager_phase::standby || phase == manager_phase::running) return {};
    if (phase == manager_phase::syncing && m.serves_for_lists()) return {};
    return failure(cond::retry_later, "the manager is " + std::string(to_string(phase)));
}

/// Why a cluster is not ready, or not up to date.
std::string why(const cluster_stats& c)
{
    const auto& last = c.trouble ? c.trouble : c.last_failure;
    const std::string state(c.state == cluster_state::ready ? "not updated" : to_string(c.state));
    return state + (last ? " (" + std::string(to_string(last->condition())) + ")" : "");
}

} // namespace

health_checks checks_of(const operator_options& o, manager& m, const std::shared_ptr<prometheus_metrics>& numbers)
{
    health_checks checks({.metrics = numbers, .time = m.time(), .log = m.log()});
    // Names that differ: adding them cannot fail.
    (void)checks.add_live("leadership", [&m] { return m.healthy(); });
    (void)checks.add_ready("manager", [&m] { return is_started(m); });
    // Informers that list by conversions of this program wait for the Service, which leads to programs that are ready.
    if (!m.serves_for_lists()) (void)checks.add_ready("informers", informers_synced(m.informers()));
    (void)checks.add_ready("servers", [&m]() -> result<> {
        if (m.serves()) return {};
        return failure(cond::retry_later, "webhooks are not served yet");
    });
    (void)checks.add_ready_detail("clusters", [&m] { return clusters_in_short(m.stats().clusters); });
    if (o.checks) o.checks(m, checks);
    return checks;
}

namespace {

std::shared_ptr<manager> member_of(const manager& m, const std::string& cluster)
{
    for (auto& member : m.members())
        if (member->cluster() == cluster) return std::move(member);
    return nullptr;
}

debug_page page_of_manager(const manager& m)
{
    auto out = manager_page([&m] { return m.describe(); }, [&m] { return m.stats(); });
    out.of_cluster = [&m](const std::string& cluster) {
        const auto member = member_of(m, cluster);
        return manager_page([member] { return member ? member->describe() : "nothing runs there\n"; },
                            [member] { return member ? member->stats() : manager_stats(); });
    };
    return out;
}

/// Adds what `of` lists of a manager: of the program's own first, then of those of its clusters.
template<class T>
std::vector<in_cluster<T>> in_all(manager& m, const std::function<std::vector<T>(manager&)>& of)
{
    std::vector<in_cluster<T>> out;
    const auto add = [&](manager& from) {
        for (auto& one : of(from)) out.push_back({.cluster = from.cluster(), .value = std::move(one)});
    };
    add(m);
    for (const auto& member : m.members()) add(*member);
    return out;
}

std::vector<shared_informer<object>> informers_of(manager& m) { return m.informers().informers(); }
std::vector<controller_stats> controllers_of(manager& m) { return m.controllers(); }
std::vector<workqueue_stats> queues_of(manager& m)
{
    std::vector<workqueue_stats> out;
    for (auto& c : m.controllers()) out.push_back(std::move(c.queue));
    return out;
}

debug_pages pages_of(const operator_options& o, manager& m)
{
    debug_pages pages;
    (void)pages.add("manager", page_of_manager(m));
    (void)pages.add("informers", informers_page([&m] { return in_all<shared_informer<object>>(m, informers_of); }));
    (void)pages.add("controllers", controllers_page([&m] { return in_all<controller_stats>(m, controllers_of); }));
    (void)pages.add("clusters", clusters_page([&m] { return m.stats().clusters; }));
    (void)pages.add("queues", queues_page([&m] { return in_all<workqueue_stats>(m, queues_of); }));
    (void)pages.add("tasks", tasks_page([&m] { return m.tasks(); }));
    (void)pages.add("config", settings_page(o, m.client().server(), m.namespaces(), m.log()));
    return pages;
}

access_filter filter_of(const manager& m)
{
    access_filter_options how;
    how.metrics = m.metrics();
    how.time = m.time();
    how.log = m.log();
    return access_filter(m.client(), std::move(how));
}

} // namespace

std::string clusters_in_short(const std::vector<cluster_stats>& all)
{
    if (all.empty()) return {};
    std::map<std::string, std::size_t> others;
    std::size_t ready = 0;
    for (const auto& c : all) {
        if (c.state == cluster_state::ready && !c.trouble)
            ++ready;
        else
            ++others[why(c)];
    }
    std::string out = std::to_string(ready) + " of " + std::to_string(all.size()) + " ready";
    for (const auto& [what, clusters] : others) out += "; " + std::to_string(clusters) + " " + what;
    return out;
}

bool is_loopback(std::string_view address)
{
    const auto colon = address.rfind(':');
    if (colon == std::string_view::npos) return true; // a port alone
    const auto host = address.substr(0, colon);
    const bool ipv4 = host.find_first_not_of("0123456789.") == std::string_view::npos;
    return host == "localhost" || host == "[::1]" || (ipv4 && host.substr(0, 4) == "127.");
}

result<std::shared_ptr<prometheus_metrics>> operator_metrics(operator_options& o)
{
    if (is_off(o.metrics)) return std::shared_ptr<prometheus_metrics>();
    if (!o.connection.metrics) o.connection.metrics = std::make_shared<prometheus_metrics>();
    auto out = std::dynamic_pointer_cast<prometheus_metrics>(o.connection.metrics);
    if (!out)
        return failure(cond::misconfigured,
                       "an address for metrics is set, but the metrics are not prometheus_metrics");
    return out;
}

operator_endpoints::operator_endpoints(const asio::any_io_executor& executor, const operator_options& o,
                                       std::shared_ptr<prometheus_metrics> numbers, manager& m)
{
    std::vector<endpoint_options> wanted;
    if (!is_off(o.metrics)) {
        auto& first = wanted.emplace_back(guarded_endpoint(o, m, o.metrics));
        first.prometheus = numbers;
        if (o.protect || is_loopback(o.metrics)) first.debug = pages_of(o, m);
    }
    if (!is_off(o.health)) {
        if (wanted.empty() || o.health != o.metrics) {
            auto& open = wanted.emplace_back();
            open.address = o.health;
            open.metrics = m.metrics();
            open.time = m.time();
            open.log = m.log();
        }
        wanted.back().health = checks_of(o, m, numbers);
    }
    for (auto& w : wanted) servers_.push_back(std::make_unique<endpoint_server>(executor, std::move(w)));
}

result<> operator_endpoints::start()
{
    for (const auto& s : servers_)
        if (auto started = s->start(); !started) return started;
    return {};
}

asio::awaitable<result<>> operator_endpoints::stop()
{
    result<> outcome;
    for (const auto& s : servers_) {
        const auto ended = co_await s->stop();
        if (!ended && outcome) outcome = ended;
    }
    co_return outcome;
}

} // namespace kubecoro::detail

namespace kubecoro {

endpoint_options guarded_endpoint(const operator_options& o, manager& m, std::string address)
{
    if (o.protect && o.metrics_tls.certificate_file.empty() && !detail::is_loopback(address))
        m.log().warning("tokens for metrics arrive unencrypted: there is no certificate", {{"address", address}});
    endpoint_options out;
    out.address = std::move(address);
    out.tls = o.metrics_tls;
    if (o.protect) out.protect = detail::filter_of(m);
    out.metrics = m.metrics();
    out.time = m.time();
    out.log = m.log();
    return out;
}

} // namespace kubecoro
