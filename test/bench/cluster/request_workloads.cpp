#include "client_program.hpp"
#include "workloads.hpp"

#include <chrono>
#include <optional>

#include <poll.h>

namespace kubecoro::bench::live {

namespace {

constexpr double megabyte = 1e6;
constexpr unsigned at_once = 32;
/// Enough for every connection to be made.
constexpr unsigned first_requests = 200;
/// Changes of the watched objects that are under way together.
constexpr unsigned writers = 8;

/// CPU seconds of both sides; of the client 0 where there is none.
struct cpu_times
{
    double client = 0;
    double server = 0;
};

result<cpu_times> cpu_of(const session& s, const client_program* client)
{
    cpu_times times;
    const auto server = s.cluster.server_used();
    if (!server) return server.error();
    times.server = server->cpu_s;
    if (!client) return times;
    const auto used = client->used();
    if (!used) return used.error();
    times.client = used->cpu_s;
    return times;
}

/// CPU of both sides while `act` runs.
template<class Act>
result<cpu_times> cpu_while(const session& s, const client_program* client, Act&& act)
{
    const auto before = cpu_of(s, client);
    if (!before) return before.error();
    if (result<> done = act(); !done) return done.error();
    const auto after = cpu_of(s, client);
    if (!after) return after.error();
    return cpu_times{.client = after->client - before->client, .server = after->server - before->server};
}

/// Asks, and drops the answer.
result<> order(client_program& program, const std::string& command)
{
    auto said = program.ask(command);
    if (!said) return said.error();
    return {};
}

std::string words(std::string_view verb, std::uint64_t first, std::uint64_t second)
{
    return std::string(verb) + " " + std::to_string(first) + " " + std::to_string(second);
}

result<> measure_requests(const session& s, client_program& client, std::string_view verb, unsigned in_flight)
{
    const auto count = static_cast<double>(s.plan.objects);
    boost::json::object answer;
    const auto cpu = cpu_while(s, &client, [&]() -> result<> {
        auto said = client.ask(words(verb, in_flight, s.plan.objects));
        if (!said) return said.error();
        answer = std::move(*said);
        return {};
    });
    const auto wall = number_in(answer, "wall_s");
    const auto calls = number_in(answer, "allocations");
    const auto bytes = number_in(answer, "allocated_bytes");
    if (!cpu) return cpu.error();
    if (!wall || !calls || !bytes) return failure(cond::corrupt, "no figures: " + boost::json::serialize(answer));
    const auto suffix = "_" + std::to_string(in_flight);
    s.add("per_cpu" + suffix, "requests/s", count / cpu->client);
    s.add("rate" + suffix, "requests/s", count / *wall);
    s.add("server_cpu" + suffix, "us", cpu->server / count * 1e6);
    if (in_flight != 1) return {};
    s.add("allocations", "per request", *calls / count);
    s.add("allocated", "KB per request", *bytes / count / 1e3);
    return {};
}

} // namespace

result<> run_requests(const session& s, std::uint64_t& held)
{
    const std::string_view verb = s.plan.workload == "gets" ? "get" : "create";
    auto client = client_program::start(s.who(), s.cluster.kubeconfig(), s.plan.resource, {}, s.log(), s.limit());
    if (!client) return client.error();
    if (auto connected = order(*client, words(verb, at_once, first_requests)); !connected) return connected;
    for (const unsigned in_flight : {1U, at_once}) {
        if (auto idle = s.cluster.wait_until_idle(); !idle) return idle;
        if (auto measured = measure_requests(s, *client, verb, in_flight); !measured) return measured;
    }
    const auto used = client->used();
    if (!used) return used.error();
    held = used->peak_bytes;
    s.add("peak", "MB", static_cast<double>(held) / megabyte);
    if (verb == "create") return s.cluster.prepare_requests();
    return {};
}

namespace {

/// The programs of a session with watches.
class watch_session
{
public:
    watch_session(const session& s, client_program helper, std::optional<client_program> client)
        : s_(s), helper_(std::move(helper)), client_(std::move(client))
    {
    }

    result<> open()
    {
        const auto before = memory();
        if (!before) return before.error();
        const auto cpu = cpu_while(s_, client(), [&]() -> result<> {
            return client_ ? order(*client_, "watch " + std::to_string(s_.plan.watches())) : result<>();
        });
        const auto after = memory();
        if (!cpu || !after) return cpu ? after.error() : cpu.error();
        add_cpu("open", *cpu, 1e3, "ms");
        if (client_) {
            s_.add("rss", "MB", after->client / megabyte);
            s_.add("watches_rss", "MB", (after->client - before->client) / megabyte);
            s_.add("connections", "open", static_cast<double>(client_->connections()));
        }
        s_.add("server_memory", "MB", (after->server - before->server) / megabyte);
        return {};
    }

    result<> hold()
    {
        const auto seconds = s_.options.hold_s;
        const auto cpu = cpu_while(s_, client(), [&]() -> result<> {
            poll(nullptr, 0, static_cast<int>(seconds * 1000)); // the time in which idle watches are measured
            return {};
        });
        if (!cpu) return cpu.error();
        add_cpu("hold", *cpu, 1e3 / seconds, "ms/s");
        return {};
    }

    result<> change()
    {
        const auto cpu = cpu_while(s_, client(), [&]() -> result<> {
            auto written = order(helper_, words("update", writers, s_.plan.objects));
            if (!written || !client_) return written;
            return order(*client_, "events " + std::to_string(s_.plan.objects));
        });
        if (!cpu) return cpu.error();
        add_cpu("event", *cpu, 1e6 / static_cast<double>(s_.plan.objects), "us");
        return {};
    }

    [[nodiscard]] std::uint64_t peak() const
    {
        if (!client_) return 0;
        const auto used = client_->used();
        return used ? used->peak_bytes : 0;
    }

private:
    struct bytes
    {
        double client = 0;
        double server = 0;
    };

    [[nodiscard]] const client_program* client() const { return client_ ? &*client_ : nullptr; }

    /// Resident on the client's side, in use on the server's; then waits until the server is idle.
    result<bytes> memory()
    {
        bytes now;
        auto said = helper_.ask("server-memory");
        if (!said) return said.error();
        const auto server = number_in(*said, "bytes");
        if (!server) return server.error();
        now.server = *server;
        if (client_) {
            if (auto settled = order(*client_, "settle"); !settled) return settled.error();
            const auto used = client_->used();
            if (!used) return used.error();
            now.client = static_cast<double>(used->rss_bytes);
        }
        if (auto idle = s_.cluster.wait_until_idle(); !idle) return idle.error();
        return now;
    }

    void add_cpu(const std::string& what, const cpu_times& cpu, double scale, std::string_view unit) const
    {
        if (client_) s_.add(what + "_cpu", unit, cpu.client * scale);
        s_.add(what + "_server", unit, cpu.server * scale);
    }

    const session& s_;
    client_program helper_;
    std::optional<client_program> client_;
};

} // namespace

result<> run_watches(const session& s, std::uint64_t& held)
{
    auto helper = s.cluster.helper();
    if (!helper) return helper.error();
    std::optional<client_program> client;
    if (s.who().part != share::requests_floor) {
        auto started = client_program::start(s.who(), s.cluster.kubeconfig(), s.plan.resource, {}, s.log(), s.limit());
        if (!started) return started.error();
        client.emplace(std::move(*started));
        if (auto connected = order(*client, words("get", 1, 1)); !connected) return connected;
    }
    watch_session watching(s, std::move(*helper), std::move(client));
    if (auto opened = watching.open(); !opened) return opened;
    if (auto idle = watching.hold(); !idle) return idle;
    if (auto changed = watching.change(); !changed) return changed;
    held = watching.peak();
    return {};
}

} // namespace kubecoro::bench::live
