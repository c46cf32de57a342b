#include "workloads.hpp"

#include "arrivals.hpp"
#include "client_program.hpp"

#include "driver/files.hpp"
#include "driver/statistics.hpp"

#include <algorithm>
#include <chrono>

namespace kubecoro::bench::live {

using namespace std::chrono_literals;

result<double> number_in(const boost::json::object& answer, std::string_view name)
{
    const auto* value = answer.if_contains(name);
    if (!value || !value->is_number())
        return failure(cond::corrupt, "the answer lacks the number " + std::string(name));
    return value->to_number<double>();
}

namespace {

constexpr double megabyte = 1e6;
constexpr std::uint64_t objects_per_change = 100;

using programs = std::vector<client_program>;

/// CPU of all together since their starts.
result<double> cpu_of(const programs& all)
{
    double sum = 0;
    for (const auto& p : all) {
        auto used = p.used();
        if (!used) return used.error();
        sum += used->cpu_s;
    }
    return sum;
}

std::string answers_of(const session& s) { return s.where.work + "/answers"; }
std::string arrivals_of(const session& s) { return s.where.work + "/arrivals"; }

result<programs> start_all(const session& s)
{
    programs all;
    if (s.who().part == share::floor) return all;
    std::vector<std::string> more{"--namespaces", s.cluster.largest_namespace()};
    if (s.plan.workload == "latency") more.insert(more.end(), {"--arrivals", arrivals_of(s)});
    for (unsigned i = 0; i < s.plan.informers(); ++i) {
        auto one = client_program::start(s.who(), s.cluster.kubeconfig(), s.plan.resource, more, s.log(), s.limit());
        if (!one) return one.error();
        all.push_back(std::move(*one));
    }
    return all;
}

/// One informer of all objects, once it has them.
result<client_program> start_synced(const session& s)
{
    auto client = client_program::start(s.who(), s.cluster.kubeconfig(), s.plan.resource, {}, s.log(), s.limit());
    if (!client) return client.error();
    auto synced = client->ask("sync");
    if (!synced) return synced.error();
    const auto count = number_in(*synced, "synced");
    if (!count) return count.error();
    if (*count != static_cast<double>(s.plan.objects))
        return failure(cond::corrupt, "synced " + boost::json::serialize(*synced));
    return client;
}

/// A command to all, then the answer of each.
result<> ask_all(programs& all, const std::string& command)
{
    for (auto& p : all)
        if (auto told = p.tell(command); !told) return told;
    for (auto& p : all)
        if (auto said = p.answer(); !said) return said.error();
    return {};
}

/// The median of the informers' percentiles.
result<> add_latencies(programs& all, const session& s)
{
    std::vector<double> p50;
    std::vector<double> p99;
    for (auto& p : all) {
        auto done = p.answer();
        if (!done) return done.error();
        auto middle = number_in(*done, "p50_us");
        auto late = number_in(*done, "p99_us");
        if (!middle || !late) return middle ? late.error() : middle.error();
        p50.push_back(*middle);
        p99.push_back(*late);
    }
    if (all.empty()) return {};
    s.add("p50", "us", summarise(p50).median);
    s.add("p99", "us", summarise(p99).median);
    return {};
}

/// For one informer: from the answer of each write to the worker having read the object.
void add_times_after_answers(const session& s)
{
    const auto times = times_after_answers(text_of(answers_of(s)), text_of(arrivals_of(s)));
    if (times.empty()) return;
    s.add("after_answer_p50", "us", quantile_of(times, 0.5));
    s.add("after_answer_p99", "us", quantile_of(times, 0.99));
}

} // namespace

duration session::limit() const { return std::chrono::seconds(options.limit_s); }

std::string session::log() const
{
    auto name = who().name;
    for (char& c : name)
        if (c == '/') c = '-';
    return where.work + "/" + name + ".log";
}

result<> run_session(const session& s, std::uint64_t& held)
{
    if (s.plan.workload == "sync") return run_sync(s, held);
    if (s.plan.workload == "relist") return run_relist(s, held);
    if (s.plan.resource != config_maps) return run_updates(s, held);
    return s.plan.watches() ? run_watches(s, held) : run_requests(s, held);
}

result<> run_sync(const session& s, std::uint64_t& held)
{
    const auto server_before = s.cluster.server_used();
    if (!server_before) return server_before.error();
    const auto begin = std::chrono::steady_clock::now();
    auto client = start_synced(s);
    if (!client) return client.error();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const auto used = client->used();
    const auto server = s.cluster.server_used();
    if (!used || !server) return used ? server.error() : used.error();
    held = used->peak_bytes;

    s.add("wall", "s", wall.count());
    s.add("cpu", "s", used->cpu_s);
    s.add("server_cpu", "s", server->cpu_s - server_before->cpu_s);
    s.add("peak", "MB", static_cast<double>(used->peak_bytes) / megabyte);
    s.add("server_peak", "MB", static_cast<double>(server->peak_bytes) / megabyte);
    if (const auto received = client->received_bytes()) s.add("received", "MB", *received / megabyte);
    if (auto settled = client->ask("settle"); !settled) return settled.error();
    const auto rest = client->used();
    if (!rest) return rest.error();
    s.add("rss", "MB", static_cast<double>(rest->rss_bytes) / megabyte);
    return {};
}

result<> run_relist(const session& s, std::uint64_t& held)
{
    auto client = start_synced(s);
    if (!client) return client.error();
    if (auto idle = s.cluster.wait_until_idle(); !idle) return idle;
    const auto before = client->used();
    const auto changes = static_cast<unsigned>(std::max<std::uint64_t>(1, s.plan.objects / objects_per_change));
    auto armed = client->ask("relist " + std::to_string(changes));
    if (!before || !armed) return before ? armed.error() : before.error();
    if (auto lost = s.cluster.lose_history(changes); !lost) return lost;
    auto relisted = client->answer();
    if (!relisted) return relisted.error();
    const auto used = client->used();
    const auto server = s.cluster.server_used();
    const auto calls = number_in(*relisted, "handler_calls");
    if (!used || !server || !calls) return failure(cond::corrupt, "no figures at the end");
    held = used->peak_bytes;

    s.add("cpu", "s", used->cpu_s - before->cpu_s);
    s.add("server_cpu", "s", server->cpu_s);
    s.add("peak", "MB", static_cast<double>(used->peak_bytes) / megabyte);
    s.add("spurious_calls", "calls", *calls - changes);
    return {};
}

result<> run_updates(const session& s, std::uint64_t& held)
{
    auto all = start_all(s);
    if (!all) return all.error();
    if (auto synced = ask_all(*all, "sync"); !synced) return synced;
    if (auto idle = s.cluster.wait_until_idle(); !idle) return idle;
    const bool paced = s.plan.workload == "latency";
    const auto rate = paced ? s.options.paced_rate : s.options.rate;
    if (auto armed = ask_all(*all, "expect " + std::to_string(rate * s.options.seconds)); !armed) return armed;
    const auto server_before = s.cluster.server_used();
    const auto cpu_before = cpu_of(*all);
    if (!server_before || !cpu_before) return server_before ? cpu_before.error() : server_before.error();

    auto writer = s.cluster.update(rate, s.options.seconds, answers_of(s), !paced);
    if (!writer) return writer.error();
    auto written = writer->read_answer(s.limit() + std::chrono::seconds(s.options.seconds));
    if (!written) return written.error();
    if (auto added = add_latencies(*all, s); !added) return added;
    const auto server = s.cluster.server_used();
    const auto cpu = cpu_of(*all);
    const auto write = number_in(*written, "p50_us");
    const auto took = number_in(*written, "wall_s");
    if (!server || !cpu || !write || !took) return failure(cond::corrupt, "no figures at the end");

    s.add("server_cpu", "s", server->cpu_s - server_before->cpu_s);
    if (!all->empty()) s.add("cpu", "s", *cpu - *cpu_before);
    s.add("server_peak", "MB", static_cast<double>(server->peak_bytes) / megabyte);
    s.add("write_p50", "us", *write);
    s.add("rate", "writes/s", rate * s.options.seconds / *took);
    if (paced) add_times_after_answers(s);
    for (const auto& p : *all)
        if (const auto used = p.used()) held += used->peak_bytes;
    if (!all->empty()) s.add("peak", "MB", static_cast<double>(held) / megabyte);
    return {};
}

} // namespace kubecoro::bench::live
