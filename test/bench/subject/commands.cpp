#include "commands.hpp"

#include "command_lines.hpp"
#include "queue_times.hpp"
#include "read_times.hpp"

#include <boost/json.hpp>

#include <charconv>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>

namespace kubecoro::bench {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct words
{
    std::string_view verb;
    std::uint64_t number = 0;
};

words split(std::string_view line)
{
    const auto space = line.find(' ');
    words w{.verb = line.substr(0, space)};
    if (space != std::string_view::npos) std::from_chars(line.data() + space + 1, line.data() + line.size(), w.number);
    return w;
}

void say(const json::object& answer) { std::cout << json::serialize(answer) << '\n' << std::flush; }

void say(const result<>& outcome, const json::object& answer)
{
    if (outcome) {
        say(answer);
    } else {
        say({{"error", outcome.error().describe()}});
    }
}

json::object to_json(const pipeline_counters& c)
{
    return {{"handler_calls", c.handled}, {"reconciled", c.reconciled}, {"missing", c.missing},
            {"empty", c.empty},           {"lists", c.lists},           {"watches", c.watches}};
}

asio::awaitable<void> sync(pipeline& work)
{
    auto synced = co_await work.sync();
    say(synced, {{"synced", work.counters().reconciled}});
}

/// A line for each: the stamp and the time of the reconcile.
void write_arrivals(const std::vector<arrival>& arrivals, const std::string& file)
{
    std::ofstream out(file);
    for (const auto& a : arrivals) out << a.stamp << ' ' << a.at << '\n';
}

asio::awaitable<void> expect(pipeline& work, std::uint64_t events, const std::string& arrivals_file)
{
    const auto before = work.counters().reconciled;
    work.expect(events);
    say({{"armed", events}});
    auto over = co_await work.reached();
    if (const auto* arrivals = work.arrivals()) write_arrivals(*arrivals, arrivals_file);
    const auto& times = work.times();
    say(over, {{"done", events},
               {"reconciled", work.counters().reconciled - before},
               {"wall_s", work.stretch_s()},
               {"p50_us", times.microseconds(0.5)},
               {"p90_us", times.microseconds(0.9)},
               {"p99_us", times.microseconds(0.99)},
               {"p999_us", times.microseconds(0.999)},
               {"max_us", times.microseconds(1)}});
}

asio::awaitable<void> relist(pipeline& work, std::uint64_t events)
{
    const auto before = work.counters();
    say({{"armed", events}});
    auto listed = co_await work.relisted(before, events);
    say(listed, {{"relisted", true}, {"handler_calls", work.counters().handled - before.handled}});
}

void read(const pipeline& work)
{
    const auto t = measure_reads(work.lister(), work.paths());
    say({{"get_ns", t.get},
         {"one_field_ns", t.one_field},
         {"five_fields_ns", t.five_fields},
         {"scan_ns_per_object", t.scan},
         {"bytes", t.bytes}});
}

asio::awaitable<void> queue(asio::any_io_executor executor, std::size_t keys)
{
    const auto t = co_await measure_queue(executor, keys);
    say({{"cycle_ns", t.cycle},
         {"add_ns", t.add},
         {"get_done_ns", t.get_done},
         {"add_after_ns", t.add_after},
         {"add_after_bytes", t.add_after_bytes},
         {"contended_ns", t.contended}});
}

asio::awaitable<void> carry_out(words w, asio::any_io_executor executor, pipeline& work,
                                const std::string& arrivals_file)
{
    if (w.verb == "sync") {
        co_await sync(work);
    } else if (w.verb == "expect") {
        co_await expect(work, w.number, arrivals_file);
    } else if (w.verb == "relist") {
        co_await relist(work, w.number);
    } else if (w.verb == "counters") {
        say(to_json(work.counters()));
    } else if (w.verb == "settle") {
        malloc_trim(0);
        say({{"settled", true}});
    } else if (w.verb == "read") {
        read(work);
    } else if (w.verb == "queue") {
        co_await queue(executor, w.number);
    } else {
        say({{"error", "unknown command: " + std::string(w.verb)}});
    }
}

} // namespace

asio::awaitable<result<>> serve_commands(asio::any_io_executor executor, pipeline& work, std::string arrivals_file)
{
    if (!arrivals_file.empty()) work.keep_arrivals();
    command_lines input(executor);
    while (auto line = co_await input.next()) co_await carry_out(split(*line), executor, work, arrivals_file);
    co_return result<>();
}

} // namespace kubecoro::bench
