#include "micro_results.hpp"
#include "results.hpp"
#include "statistics.hpp"
#include "table.hpp"
#include "usage.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro::bench;

namespace {

cell cell_of(std::string workload, std::string subject, std::string metric, std::string unit = "us")
{
    return {.workload = std::move(workload),
            .subject = std::move(subject),
            .data = "small",
            .objects = 20'000,
            .metric = std::move(metric),
            .unit = std::move(unit)};
}

} // namespace

TEST_CASE("statistics: median, minimum and maximum of any number of rounds")
{
    CHECK(summarise({}) == spread{});
    CHECK(summarise({3}) == spread{.median = 3, .min = 3, .max = 3, .rounds = 1});
    CHECK(summarise({5, 1, 9}) == spread{.median = 5, .min = 1, .max = 9, .rounds = 3});
    CHECK(summarise({4, 1, 9, 2}) == spread{.median = 3, .min = 1, .max = 9, .rounds = 4});
}

TEST_CASE("results: samples become rows in the order of their first sample")
{
    sample_book book;
    book.add(cell_of("sync", "b", "cpu"), 2);
    book.add(cell_of("sync", "a", "cpu"), 7);
    book.add(cell_of("sync", "b", "cpu"), 4);
    const auto rows = book.rows();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].what.subject == "b");
    CHECK(rows[0].value == spread{.median = 3, .min = 2, .max = 4, .rounds = 2});
    CHECK(rows[1].value.rounds == 1);
}

TEST_CASE("results: a reason is shown only without a number")
{
    sample_book book;
    book.missing(cell_of("sync", "a", "cpu"), "not built");
    book.add(cell_of("sync", "b", "cpu"), 1);
    book.missing(cell_of("sync", "b", "cpu"), "crashed once");
    const auto rows = book.rows();
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].missing == "not built");
    CHECK(rows[1].missing.empty());
    CHECK(find_row(rows, cell_of("sync", "a", "cpu")) == nullptr);
    CHECK(find_row(rows, cell_of("sync", "b", "cpu", "another unit")) == &rows[1]);
}

TEST_CASE("results: the JSON reads back as it was written")
{
    sample_book book;
    book.add(cell_of("sync", "kubecoro/plain", "cpu"), 5.25);
    book.add(cell_of("sync", "kubecoro/plain", "cpu"), 6.5);
    book.missing(cell_of("sync", "kube-rs/best", "all", "-"), "not \"built\"");
    const auto rows = book.rows();
    const auto text = to_json_text(rows);
    const auto again = parse_rows(text);
    REQUIRE(again);
    CHECK(*again == rows);
    CHECK(parse_rows(to_json_text({})).value().empty());
}

TEST_CASE("results: JSON other than a list of rows is refused")
{
    for (const char* text : {"", "{}", "[1]", "[{}]", R"([{"workload":"sync"}])"}) {
        INFO(text);
        const auto rows = parse_rows(text);
        REQUIRE_FALSE(rows);
        CHECK(rows.error() == kubecoro::cond::corrupt);
    }
}

TEST_CASE("results: a later run replaces its measurements and keeps the rest")
{
    const row old_a{.what = cell_of("sync", "a", "cpu"), .value = summarise({1})};
    const row old_b{.what = cell_of("sync", "b", "cpu"), .value = summarise({2})};
    const row new_b{.what = cell_of("sync", "b", "cpu"), .value = summarise({3})};
    const row new_c{.what = cell_of("sync", "c", "cpu"), .value = summarise({4})};
    CHECK(merge_rows({old_a, old_b}, {new_b, new_c}) == std::vector<row>{old_a, new_b, new_c});
}

TEST_CASE("results: numbers replace a failure, whichever comes first")
{
    const row failed{.what = cell_of("sync", "a", "all", "-"), .value = {}, .missing = "failed: it broke"};
    const row cpu{.what = cell_of("sync", "a", "cpu"), .value = summarise({1})};
    const row rss{.what = cell_of("sync", "a", "rss", "MB"), .value = summarise({2})};
    CHECK(merge_rows({failed}, {cpu}) == std::vector<row>{cpu});
    CHECK(merge_rows({cpu}, {failed}) == std::vector<row>{cpu});
    CHECK(merge_rows({cpu, rss}, {rss, failed}) == std::vector<row>{rss, failed});
    CHECK(merge_rows({}, {failed}) == std::vector<row>{failed});
}

TEST_CASE("table: numbers have three significant digits")
{
    CHECK(number_text(0) == "0.00");
    CHECK(number_text(0.4167) == "0.42");
    CHECK(number_text(9.994) == "9.99");
    CHECK(number_text(9.996) == "10.0");
    CHECK(number_text(12.345) == "12.3");
    CHECK(number_text(99.96) == "100");
    CHECK(number_text(999.4) == "999");
    CHECK(number_text(999.6) == "1,000");
    CHECK(number_text(37'249) == "37,200");
    CHECK(number_text(1'234'567) == "1,230,000");
    CHECK(number_text(-12.345) == "-12.3");
    CHECK(count_text(0) == "0");
    CHECK(count_text(999) == "999");
    CHECK(count_text(150'000) == "150,000");
    CHECK(count_text(1'000'000) == "1,000,000");
}

TEST_CASE("table: subjects down, metrics across, reasons in place of numbers")
{
    sample_book book;
    book.missing(cell_of("sync", "kube-rs/best", "all", "-"), "not built");
    book.add(cell_of("sync", "kubecoro/plain", "cpu", "us/object"), 5);
    book.add(cell_of("sync", "kubecoro/plain", "cpu", "us/object"), 7);
    book.add(cell_of("sync", "kubecoro/plain", "rss", "MB"), 200);
    book.add(cell_of("sync", "client-go/json", "rss", "MB"), 2'320);
    book.missing(cell_of("sync", "client-go/json", "cpu", "-"), "broke");
    book.add(cell_of("events", "kubecoro/plain", "rate", "events/s"), 91'000);
    const auto tables = tables_of(book.rows()); // in the order of the plan, whatever was measured first
    REQUIRE(tables.size() == 2);
    using line = std::vector<std::string>;
    CHECK(tables[0].title == "sync, 20,000 small");
    CHECK(tables[0].header == line{"subject", "cpu us/object", "rss MB", "rounds"});
    CHECK(tables[0].lines == std::vector<line>{{"kubecoro/plain", "6.00 (5.00-7.00)", "200", "2"},
                                               {"client-go/json", "missing: broke", "2,320", "1"},
                                               {"kube-rs/best", "missing: not built", "", "0"}});
    CHECK(to_text(tables[1]) == "events, 20,000 small\n"
                                "  subject         rate events/s  rounds\n"
                                "  kubecoro/plain         91,000       1\n");
    CHECK(to_markdown(tables[1]) ==
          "**events, 20,000 small**\n\n"
          "| subject | rate events/s | rounds |\n|---|---:|---:|\n| kubecoro/plain | 91,000 | 1 |\n");
}

TEST_CASE("table: a column has its unit, also when the first line has no number")
{
    sample_book book;
    book.missing(cell_of("sync", "kubecoro/plain", "cpu", "-"), "broke");
    book.add(cell_of("sync", "client-go/json", "cpu", "us/object"), 3);
    CHECK(tables_of(book.rows())[0].header == std::vector<std::string>{"subject", "cpu us/object", "rounds"});
}

TEST_CASE("usage: faults and memory are read from the kernel's text")
{
    CHECK(minor_faults_in("42 (a b) c) S 1 2 3 4 5 4194304 1234 0 7 0 55 66") == 1234);
    CHECK_FALSE(minor_faults_in(""));
    CHECK_FALSE(minor_faults_in("42 (a) S 1 2"));
    const std::string status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t  1024 kB\nVmRSSx: 1 kB\n";
    CHECK(memory_in(status, "VmRSS") == 1024u * 1024);
    CHECK(memory_in(status, "VmHWM") == 2048u * 1024);
    CHECK_FALSE(memory_in(status, "VmSwap"));
    CHECK_FALSE(memory_in("VmRSS:", "VmRSS"));
}

TEST_CASE("micro: Google Benchmark's results without aggregates")
{
    sample_book book;
    const auto read = add_micro_results(R"({"context":{},"benchmarks":[
        {"name":"encode/0","run_type":"iteration","label":"small","real_time":4000,"items_per_second":250000,"allocs/op":2,"bytes/op":1500},
        {"name":"encode/0_mean","run_type":"aggregate","label":"small","items_per_second":1},
        {"name":"store_get","run_type":"iteration","items_per_second":5e6,"allocs/op":0,"bytes/op":0}]})",
                                        book);
    REQUIRE(read);
    const auto rows = book.rows();
    REQUIRE(rows.size() == 6);
    CHECK(rows[0].what.subject == "encode, small");
    CHECK(rows[0].value.median == 4000);
    CHECK(rows[1].what.metric == "allocations");
    CHECK(rows[2].value.median == 1500);
    CHECK(rows[3].what.subject == "store_get");
    CHECK(rows[3].value.median == 200);
    CHECK(add_micro_results("{}", book).error() == kubecoro::cond::corrupt);
    CHECK(add_micro_results("", book).error() == kubecoro::cond::corrupt);
}
