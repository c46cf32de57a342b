#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/recording.hpp>

using kubecoro::log_level;
using namespace kubecoro::testing;

TEST_CASE("recording logger: records log lines", "[testing][recording]")
{
    recording_logger rec;
    const auto log = rec.handle();
    log.debug("listed", {{"objects", 3}});
    log.error("broken");
    rec.handle(log_level::error).info("below the threshold");
    CHECK(rec.lines() == std::vector<std::string>{"debug listed objects=3", "error broken"});
    CHECK(rec.count(log_level::error) == 1);
    CHECK(rec.count("objects=") == 1);
    rec.clear();
    CHECK(rec.lines().empty());
}

TEST_CASE("recording metrics: records sums and last values by name and labels", "[testing][recording]")
{
    recording_metrics rec;
    kubecoro::metrics& m = rec;
    m.make_counter("lists", {{"resource", "pods"}})->add();
    m.make_counter("lists", {{"resource", "pods"}})->add(2);
    m.make_counter("lists", {{"resource", "nodes"}})->add();
    m.make_gauge("objects", {})->set(5);
    m.make_gauge("objects", {})->set(4);
    const auto h = m.make_histogram("seconds", {});
    h->observe(0.5);
    h->observe(1);
    CHECK(rec.value("lists", {{"resource", "pods"}}) == 3);
    CHECK(rec.value("lists") == 4);
    CHECK(rec.value("objects") == 4);
    CHECK(rec.value("seconds") == 1.5);
    CHECK(rec.updates("seconds") == 2);
    CHECK(rec.value("nothing") == 0);
    CHECK(rec.names() == std::vector<std::string>{"lists", "objects", "seconds"});
}

TEST_CASE("recording metrics: the order of labels does not count", "[testing][recording]")
{
    recording_metrics rec;
    kubecoro::metrics& m = rec;
    m.make_counter("lists", {{"resource", "pods"}, {"cluster", "eu"}})->add();
    m.make_counter("lists", {{"cluster", "eu"}, {"resource", "pods"}})->add(2);
    CHECK(rec.value("lists", {{"resource", "pods"}, {"cluster", "eu"}}) == 3);
    CHECK(rec.value("lists", {{"cluster", "eu"}, {"resource", "pods"}}) == 3);
    CHECK(rec.value("lists", {{"resource", "pods"}}) == 0); // a part of the labels is another series
}
