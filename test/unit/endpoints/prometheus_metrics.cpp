#include <kubecoro/endpoints/prometheus_metrics.hpp>

#include "metrics/known_metrics.hpp"

#include <kubecoro/test/catch.hpp>

#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <algorithm>

using namespace kubecoro;

namespace {

bool shows(const prometheus_metrics& m, const std::string& line)
{
    return ("\n" + m.text()).find("\n" + line + "\n") != std::string::npos;
}

} // namespace

TEST_CASE("prometheus_metrics: series have the help text of their name", "[endpoints]")
{
    prometheus_metrics m({.process = false});
    m.make_counter("workqueue_adds_total", {{"name", "pods"}})->add(3);
    m.make_gauge("workqueue_depth", {{"name", "pods"}})->set(2.5);
    CHECK(shows(m, "# HELP workqueue_adds_total Keys added to the queue."));
    CHECK(shows(m, "# TYPE workqueue_adds_total counter"));
    CHECK(shows(m, "workqueue_adds_total{name=\"pods\"} 3"));
    CHECK(shows(m, "workqueue_depth{name=\"pods\"} 2.5"));
    CHECK(shows(m, "kubecoro_metrics_dropped_series_total 0"));
}

TEST_CASE("prometheus_metrics: handles of the same labels share one series", "[endpoints]")
{
    prometheus_metrics m({.process = false});
    m.make_counter("a_total", {{"x", "1"}, {"y", "2"}})->add(1);
    m.make_counter("a_total", {{"y", "2"}, {"x", "1"}})->add(1);
    CHECK(shows(m, "a_total{x=\"1\",y=\"2\"} 2"));
}

TEST_CASE("prometheus_metrics: histograms have the buckets of their name, of a description, or the usual ones",
          "[endpoints]")
{
    prometheus_metrics m({.process = false});
    m.make_histogram("controller_runtime_reconcile_time_seconds", {})->observe(0.04);
    CHECK(shows(m, "controller_runtime_reconcile_time_seconds_bucket{le=\"0.025\"} 0"));
    CHECK(shows(m, "controller_runtime_reconcile_time_seconds_bucket{le=\"0.05\"} 1"));
    REQUIRE(m.describe("own_bytes", {.help = "Mine.", .buckets = {1, 10}}));
    m.make_histogram("own_bytes", {})->observe(5);
    CHECK(shows(m, "# HELP own_bytes Mine."));
    CHECK(shows(m, "own_bytes_bucket{le=\"10\"} 1"));
    m.make_histogram("other_seconds", {})->observe(100);
    CHECK(shows(m, "other_seconds_bucket{le=\"60\"} 0"));
    CHECK(shows(m, "other_seconds_count 1"));
}

TEST_CASE("prometheus_metrics: a description comes before the first use, with rising buckets", "[endpoints]")
{
    prometheus_metrics m({.process = false});
    CHECK(m.describe("h", {.buckets = {1, 1}}).error() == cond::invalid);
    CHECK(m.describe("h", {.buckets = {2, 1}}).error() == cond::invalid);
    (void)m.make_gauge("g", {});
    CHECK(m.describe("g", {.help = "late"}).error() == cond::already_exists);
}

TEST_CASE("prometheus_metrics: label values are escaped", "[endpoints]")
{
    prometheus_metrics m({.process = false});
    m.make_counter("a_total", {{"x", "1\"} 9\nb_total 7\\"}})->add();
    CHECK(shows(m, R"(a_total{x="1\"} 9\nb_total 7\\"} 1)"));
}

TEST_CASE("prometheus_metrics: series beyond a limit are dropped and counted", "[endpoints]")
{
    prometheus_metrics m({.max_series = 20, .process = false}); // two of a name
    for (const char* x : {"1", "2", "3"}) m.make_counter("a_total", {{"x", x}})->add();
    CHECK(m.dropped_series() == 1);
    m.make_counter("a_total", {{"x", "1"}})->add(); // one that exists
    CHECK(shows(m, "a_total{x=\"1\"} 2"));
    m.make_gauge("b", {{"x", std::string(257, 'x')}})->set(1);
    CHECK(m.dropped_series() == 2);
    for (const char* x : {"1", "2"}) m.make_histogram("c", {{"x", x}})->observe(1);
    m.make_gauge("b", {{"x", std::string(256, 'x')}})->set(1);
    for (int n = 0; n < 15; ++n) m.make_gauge("e" + std::to_string(n), {})->set(1);
    CHECK(m.dropped_series() == 2);
    m.make_gauge("d", {})->set(1); // one more than 20
    CHECK(m.dropped_series() == 3);
    CHECK(shows(m, "kubecoro_metrics_dropped_series_total 3"));
    CHECK(m.text().find("\nd ") == std::string::npos);
}

TEST_CASE("prometheus_metrics: what Prometheus does not permit is dropped and counted", "[endpoints]")
{
    prometheus_metrics m({.process = false});
    m.make_counter("bad name", {})->add();
    m.make_counter("a_total", {{"bad-label", "x"}})->add();
    m.make_gauge("a_total", {})->set(1); // a counter already
    m.make_counter("kubecoro_metrics_dropped_series_total", {})->add(100);
    m.make_counter("__reserved", {})->add();
    CHECK(m.dropped_series() >= 4);
    CHECK(m.dropped_series() < 100);
    m.make_counter("a_total", {{"good", "x"}})->add();
    CHECK(shows(m, "a_total{good=\"x\"} 1"));
}

TEST_CASE("prometheus_metrics: a transient series ends with its last handle, and makes room", "[endpoints]")
{
    const auto m = std::make_shared<prometheus_metrics>(prometheus_options{.max_series = 10, .process = false});
    const auto shown = [&](const std::string& x) {
        return m->text().find("\nsize{x=\"" + x + "\"}") != std::string::npos;
    };
    auto one = m->make_transient_gauge("size", {{"x", "1"}});
    auto again = m->make_transient_gauge("size", {{"x", "1"}});
    one->set(2);
    one.reset();
    CHECK(shown("1"));
    again->set(3);
    CHECK(shows(*m, "size{x=\"1\"} 3"));
    auto late = m->make_transient_gauge("size", {{"x", "2"}});
    late->set(1);
    late.reset(); // it never had a series
    CHECK_FALSE(shown("2"));
    CHECK(m->dropped_series() == 1);
    again.reset();
    CHECK_FALSE(shown("1"));
    late = m->make_transient_gauge("size", {{"x", "2"}});
    late->set(4);
    CHECK(shows(*m, "size{x=\"2\"} 4"));
}

TEST_CASE("prometheus_metrics: a series with a handle that stays is not transient", "[endpoints]")
{
    prometheus_metrics m({.process = false});
    auto first = m.make_gauge("size", {});
    auto second = m.make_transient_gauge("size", {});
    second->set(1);
    second.reset();
    first->set(2);
    CHECK(shows(m, "size 2"));
    auto third = m.make_transient_gauge("other", {});
    auto fourth = m.make_gauge("other", {});
    third.reset();
    fourth->set(5);
    CHECK(shows(m, "other 5"));
    auto outlives = std::make_shared<prometheus_metrics>()->make_transient_gauge("size", {});
    outlives->set(1);
}

TEST_CASE("prometheus_metrics: handles may outlive it", "[endpoints]")
{
    std::shared_ptr<metrics::counter> kept;
    {
        prometheus_metrics m;
        kept = m.make_counter("a_total", {});
    }
    kept->add(1);
    SUCCEED();
}

TEST_CASE("prometheus_metrics: a registry of the program's own is shown while it exists", "[endpoints]")
{
    prometheus_metrics m({.process = false});
    auto own = std::make_shared<prometheus::Registry>();
    prometheus::BuildCounter().Name("own_total").Register(*own).Add({}).Increment();
    m.add(own);
    CHECK(shows(m, "own_total 1"));
    own.reset();
    CHECK(m.text().find("own_total") == std::string::npos);
}

TEST_CASE("prometheus_metrics: a server of the program's own shows it as a Collectable", "[endpoints]")
{
    std::shared_ptr<prometheus::Collectable> shown;
    {
        prometheus_metrics m({.process = false});
        auto own = std::make_shared<prometheus::Registry>();
        prometheus::BuildCounter().Name("own_total").Register(*own).Add({}).Increment();
        m.add(own);
        m.make_counter("a_total", {})->add(2);
        shown = m.collectable();
        std::vector<std::string> names;
        for (const auto& family : shown->Collect()) names.push_back(family.name);
        std::ranges::sort(names);
        CHECK(names == std::vector<std::string>{"a_total", "kubecoro_metrics_dropped_series_total", "own_total"});
    }
    // It outlives the metrics.
    CHECK(shown->Collect().size() == 2);
}

TEST_CASE("known_metrics: sorted, each once, with a sentence and rising buckets", "[endpoints]")
{
    const auto all = detail::known_metrics();
    CHECK(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name <= b.name; }));
    for (const auto& m : all) {
        INFO(m.name);
        CHECK(m.help.ends_with('.'));
        CHECK(std::is_sorted(m.buckets.begin(), m.buckets.end(), std::less_equal<>()));
    }
}
