#include "metrics/process_metrics.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro::detail;

TEST_CASE("process_metrics: a stat line is read behind the program's name, whatever that is", "[endpoints]")
{
    const process_units units{100, 4096, 1'000'000};
    const auto n = read_stat_line("7 (a) (b c) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 3 0 5000 8192000 500 "
                                  "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n",
                                  units);
    REQUIRE(n);
    CHECK(n->cpu_seconds == 3);
    CHECK(n->threads == 3);
    CHECK(n->start_time_seconds == 1'000'050);
    CHECK(n->virtual_bytes == 8192000);
    CHECK(n->resident_bytes == 500 * 4096);
}

TEST_CASE("process_metrics: what is no stat line gives nothing", "[endpoints]")
{
    CHECK_FALSE(read_stat_line("", {}));
    CHECK_FALSE(read_stat_line("7 (a", {}));
    CHECK_FALSE(read_stat_line("7 (a) S 1 2 3", {}));
}

TEST_CASE("process_metrics: this process has a size", "[endpoints]")
{
    const auto all = process_metrics().Collect();
    REQUIRE(all.size() == 7);
    for (const auto& family : all) {
        INFO(family.name);
        CHECK_FALSE(family.help.empty());
    }
    CHECK(all[3].name == "process_resident_memory_bytes");
    CHECK(all[3].metric.at(0).gauge.value > 1e6);
}
