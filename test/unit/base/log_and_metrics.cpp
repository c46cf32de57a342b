#include "log_environment.hpp"

#include <kubecoro/base/log.hpp>
#include <kubecoro/base/metrics.hpp>
#include <kubecoro/test/catch.hpp>

#include <chrono>
#include <stdexcept>

using kubecoro::log_level;
using kubecoro::log_record;
using kubecoro::logger;
using namespace std::chrono_literals;

TEST_CASE("logger: a silent one drops everything", "[base][log]")
{
    const logger log = logger::silent();
    CHECK_FALSE(log.enabled(log_level::error));
    log.error("dropped", {{"n", 1}});
    CHECK_FALSE(logger().enabled(log_level::error)); // KUBECORO_LOG is "off" in tests
}

TEST_CASE("logger: standard error receives warnings and errors unless KUBECORO_LOG sets another threshold",
          "[base][log]")
{
    using kubecoro::standard_threshold;
    CHECK(standard_threshold(nullptr) == log_level::warning);
    CHECK(standard_threshold("") == log_level::warning);
    CHECK(standard_threshold("loud") == log_level::warning);
    CHECK(standard_threshold("warning") == log_level::warning);
    CHECK(standard_threshold("trace") == log_level::trace);
    CHECK(standard_threshold("debug") == log_level::debug);
    CHECK(standard_threshold("info") == log_level::info);
    CHECK(standard_threshold("error") == log_level::error);
    CHECK_FALSE(standard_threshold("off"));
}

TEST_CASE("log format: a line of standard error begins with a UTC timestamp", "[base][log]")
{
    using namespace std::chrono;
    const std::vector<kubecoro::log_record::field> fields{{"object", "web/a"}};
    const log_record record{log_level::warning, "slow\nvery", fields.data(), fields.size()};
    const system_clock::time_point leap_day = sys_days(year(2024) / 2 / 29) + 23h + 59min + 58s + 7ms;
    CHECK(format(record, leap_day) == "2024-02-29T23:59:58.007Z warning slow\\nvery object=web/a");
    CHECK(format(record, system_clock::time_point(-1ms)) ==
          "1969-12-31T23:59:59.999Z warning slow\\nvery object=web/a");
}

TEST_CASE("logger: the threshold filters, and copies share the sink", "[base][log]")
{
    std::vector<std::string> lines;
    const logger log([&](const log_record& r) { lines.push_back(format(r)); }, log_level::info);
    const logger copy = log;
    CHECK_FALSE(copy.enabled(log_level::debug));
    CHECK(copy.enabled(log_level::info));
    copy.debug("no");
    copy.info("listed", {{"resource", "pods"}, {"objects", 42}, {"seconds", 0.5}, {"first", true}});
    log.warning("slow");
    log.error("failed");
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "info listed resource=pods objects=42 seconds=0.5 first=true");
    CHECK(lines[1] == "warning slow");
    CHECK(lines[2] == "error failed");
}

TEST_CASE("logger: its own fields are added to every line", "[base][log]")
{
    std::vector<std::string> lines;
    const logger log([&](const log_record& r) { lines.push_back(format(r)); }, log_level::info);
    const logger named = log.with({{"controller", "shop"}}).with({{"object", "web/a"}});
    named.debug("no");
    named.info("yes", {{"n", 1}});
    log.info("plain");
    CHECK(lines == std::vector<std::string>{"info yes n=1 object=web/a controller=shop", "info plain"});
    CHECK_FALSE(logger::silent().with({{"a", "b"}}).enabled(log_level::error));
}

TEST_CASE("logger: a sink that throws does no harm", "[base][log]")
{
    int calls = 0;
    const logger log([&](const log_record&) {
        ++calls;
        throw std::runtime_error("disk full");
    });
    log.error("one");
    log.error("two");
    CHECK(calls == 2);
}

TEST_CASE("log format: values are quoted where needed and stay on one line", "[base][log]")
{
    std::string line;
    const logger log([&](const log_record& r) { line = format(r); });
    log.info("it said \"no\"\nand left",
             {{"a", "with space"}, {"b", "quote\"back\\"}, {"c", ""}, {"d", "x=y\n\t\r\x01"}});
    CHECK(line == "info it said \"no\"\\nand left a=\"with space\" b=\"quote\\\"back\\\\\" c=\"\" "
                  "d=\"x=y\\n\\t\\r\\x01\"");
    log.info("a\xc2\x9b"
             "31mred",
             {{"a", "\xe2\x80\xae"
                    "b"},
              {"c", "\xff"},
              {"d", "\xc3\xa4"},
              {"e", "C:\\"}});
    CHECK(line == "info a\\xc2\\x9b"
                  "31mred a=\"\\xe2\\x80\\xaeb\" c=\"\\xff\" d=\xc3\xa4 e=\"C:\\\\\"");
    const std::string owned = "text";
    log.info("m", {{"s", owned}, {"u", std::uint64_t{7}}, {"f", false}, {"v", std::string_view("w")}});
    CHECK(line == "info m s=text u=7 f=false v=w");
}

TEST_CASE("metrics: the null sink returns usable instruments", "[base][metrics]")
{
    const auto m = kubecoro::null_metrics();
    REQUIRE(m);
    const auto counter = m->make_counter("kubecoro_lists_total", {{"resource", "pods"}});
    const auto gauge = m->make_gauge("kubecoro_objects", {});
    const auto histogram = m->make_histogram("kubecoro_list_seconds", {});
    REQUIRE(counter);
    REQUIRE(gauge);
    REQUIRE(histogram);
    counter->add();
    gauge->set(1);
    histogram->observe(0.1);
    CHECK(kubecoro::null_metrics() == m);
}
