#include "session.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>

namespace kubecoro::bench {

using namespace std::chrono_literals;

namespace {

/// "ns-0,ns-1"; empty when the subject lists all together.
std::string namespace_names(const data_set& data)
{
    std::string names;
    for (unsigned i = 0; i < data.namespaces(); ++i) names += (i ? ",ns-" : "ns-") + std::to_string(i);
    return names;
}

} // namespace

session::session(const session_plan& plan, const subject& who, replay_server& server, const bench_options& options,
                 sample_book& book, child_process process)
    : plan_(plan), who_(who), server_(server), options_(options), book_(book), process_(std::move(process))
{
}

result<session> session::open(const session_plan& plan, const subject& who, replay_server& server,
                              const bench_options& options, sample_book& book, const std::string& log_file)
{
    command_line command{.words = {who.program, "--server", server.url(), "--resource", plan.data.resource()},
                         .environment = who.environment,
                         .cores = plan.cores == 1 ? std::vector<int>{1} : std::vector<int>{0, 1}};
    command.words.insert(command.words.end(), who.flags.begin(), who.flags.end());
    if (const auto names = namespace_names(plan.data); !names.empty())
        command.words.insert(command.words.end(), {"--namespaces", names});
    auto process = child_process::start(command, log_file);
    if (!process) return process.error();
    return session(plan, who, server, options, book, std::move(*process));
}

cell session::cell_of(std::string_view metric, std::string_view unit) const
{
    return {.workload = plan_.label(workload_),
            .subject = who_.name,
            .data = plan_.data.name,
            .objects = plan_.data.objects,
            .metric = std::string(metric),
            .unit = std::string(unit)};
}

void session::add(std::string_view metric, std::string_view unit, double value)
{
    if (asked_) book_.add(cell_of(metric, unit), value);
}

void session::missing(std::string_view metric, std::string reason)
{
    if (asked_) book_.missing(cell_of(metric, "-"), std::move(reason));
}

result<boost::json::object> session::answer()
{
    auto said = process_.read_answer(limit());
    if (said && said->contains("error")) return failure(cond::corrupt, boost::json::serialize(*said));
    return said;
}

result<boost::json::object> session::ask(std::string_view command)
{
    if (auto written = process_.write_line(command); !written) return written.error();
    return answer();
}

result<> session::change(std::uint64_t count, std::uint64_t rate)
{
    return server_.events(count, rate, limit() + std::chrono::seconds(rate ? count / rate : 0));
}

result<usage> session::used() { return usage_of(process_.pid()); }

result<> session::wait_until_idle()
{
    constexpr int quiet_enough = 3;
    auto last = used();
    for (int quiet = 0, waited = 0; last && quiet < quiet_enough; ++waited) {
        if (waited == 600) return failure(cond::timed_out, who_.name + " is never idle");
        if (auto silent = process_.stay_silent(100ms); !silent) return silent;
        auto now = used();
        quiet = now && now->cpu_s - last->cpu_s < 0.002 ? quiet + 1 : 0;
        last = now;
    }
    if (!last) return last.error();
    return {};
}

result<> session::begin_peak()
{
    auto before = peak();
    if (!before) return before.error();
    peak_before_ = *before;
    return reset_peak(process_.pid());
}

result<std::uint64_t> session::peak()
{
    auto now = used();
    if (!now) return now.error();
    return std::max(peak_before_, now->peak_bytes);
}

result<double> number_in(const boost::json::object& answer, std::string_view name)
{
    const auto* value = answer.if_contains(name);
    if (!value || !value->is_number())
        return failure(cond::corrupt, "the answer lacks the number " + std::string(name));
    return value->to_number<double>();
}

} // namespace kubecoro::bench
