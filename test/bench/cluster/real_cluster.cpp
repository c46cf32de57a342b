#include "real_cluster.hpp"

#include "plan.hpp"

#include "driver/files.hpp"

#include <boost/json.hpp>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <iostream>

#include <poll.h>

namespace kubecoro::bench::live {

using namespace std::chrono_literals;

namespace {

/// A server without requests renews leases and refreshes its caches: some 3 % of a core.
constexpr double idle_cpu_s = 0.02;
constexpr int idle_window_ms = 250;
constexpr int idle_windows = 4;
constexpr int most_windows = 240;
/// The script gives each of the two servers 3 s before it kills it.
constexpr auto stop_limit = 1min;

result<> run_to_end(const command_line& command, const std::string& log)
{
    auto process = child_process::start(command, log);
    if (!process) return process.error();
    auto ended = process->succeed(15min);
    if (!ended) return ended.error();
    return {};
}

result<std::string> text_in(const boost::json::object& answer, std::string_view name)
{
    const auto* value = answer.if_contains(name);
    if (!value || !value->is_string()) return failure(cond::corrupt, "the answer lacks the text " + std::string(name));
    return std::string(value->as_string());
}

} // namespace

real_cluster::real_cluster(places where) : where_(std::move(where)), folder_(where_.work + "/cluster") {}

command_line real_cluster::script() const
{
    // The features and caches of a released server, not those that the end-to-end tests set.
    return {.words = {where_.cluster},
            .environment = {{"KUBECORO_CLUSTER_DIR", folder_},
                            {"KUBECORO_APISERVER_FLAGS",
                             "--feature-gates ShardedListAndWatch=false --watch-cache-sizes configmaps#100"}}};
}

result<> real_cluster::order(const std::string& verb) const
{
    auto command = script();
    command.words.push_back(verb);
    return run_to_end(command, log());
}

/// A session of its own, so that neither a signal to this program's group nor this program's death ends it.
result<> real_cluster::stop_at_the_end()
{
    auto command = script();
    command.words = {"setsid", "--fork", "sh", "-c", "read -r _; exec \"$0\" down", where_.cluster};
    auto waiting = child_process::start(command, log());
    if (!waiting) return waiting.error();
    stopper_.emplace(std::move(*waiting));
    return {};
}

result<real_cluster> real_cluster::start(const places& where, bool keep)
{
    real_cluster cluster(where);
    // Before the servers, which are detached as soon as they start.
    if (auto prepared = keep ? result<>() : cluster.stop_at_the_end(); !prepared) return prepared.error();
    if (auto up = cluster.order("up"); !up) return failure(cond::misconfigured, "no cluster, see cluster.log");
    return cluster;
}

void real_cluster::stop()
{
    if (!stopper_) return;
    auto stopped = stopper_->write_line("stop");
    if (stopped) {
        const auto ended = stopper_->succeed(stop_limit);
        if (!ended) stopped = ended.error();
    }
    if (!stopped) std::cerr << stopped.error().describe() << '\n';
}

result<std::string> real_cluster::records(const std::string& resource, std::uint64_t objects) const
{
    const auto file = where_.work + "/" + resource + "-" + std::to_string(objects) + ".records";
    if (std::filesystem::exists(file)) return file;
    const command_line dump{.words = {where_.programs + "/kubecoro_replay", "--data",
                                      resource == "widgets" ? "custom" : "small", "--objects", std::to_string(objects),
                                      "--dump", file + ".new"}};
    if (auto dumped = run_to_end(dump, where_.work + "/fill.log"); !dumped) return dumped.error();
    std::filesystem::rename(file + ".new", file);
    return file;
}

result<client_program> real_cluster::helper() const
{
    const subject ours{.name = "helper", .program = where_.programs + "/kubecoro_bench_requests", .flags = {}};
    return client_program::start(ours, kubeconfig(), "configmaps", {}, where_.work + "/helper.log", 5min);
}

result<> real_cluster::prepare_requests() const
{
    auto program = helper();
    if (!program) return program.error();
    if (auto cleared = program->ask("clear"); !cleared) return cleared.error();
    if (auto prepared = program->ask("prepare"); !prepared) return prepared.error();
    return {};
}

result<> real_cluster::fill(const std::string& resource, std::uint64_t objects)
{
    if (resource == config_maps) return prepare_requests();
    auto file = records(resource, objects);
    if (!file) return file.error();
    auto load =
        child_process::start({.words = {where_.peers + "/load", "fill", "--kubeconfig", kubeconfig(), "--resource",
                                        resource, "--records", *file, "--objects", std::to_string(objects)}},
                             where_.work + "/fill.log");
    if (!load) return load.error();
    auto done = load->read_answer(30min);
    if (!done) return failure(cond::misconfigured, "the cluster could not be filled, see fill.log");
    std::cerr << "  " << boost::json::serialize(*done) << '\n';
    if (auto largest = text_in(*done, "namespace"); largest && resource == "pods") largest_ = *largest;
    return {};
}

result<child_process> real_cluster::update(unsigned rate, unsigned seconds, const std::string& answers,
                                           bool past_server) const
{
    command_line update{.words = {where_.peers + "/load", "update", "--kubeconfig", kubeconfig(), "--resource", "pods",
                                  "--namespace", largest_, "--rate", std::to_string(rate), "--seconds",
                                  std::to_string(seconds), "--answers", answers}};
    if (past_server) {
        auto port = text_of(folder_ + "/run/etcd.port");
        port.resize(port.find_last_not_of('\n') + 1);
        update.words.insert(update.words.end(), {"--etcd", "http://127.0.0.1:" + port});
    }
    return child_process::start(update, where_.work + "/update.log");
}

result<> real_cluster::lose_history(unsigned changes) const
{
    if (auto ended = order("kill-apiserver"); !ended) return ended;
    auto writer = update(changes, 1, where_.work + "/answers", true);
    if (!writer) return writer.error();
    if (auto written = writer->read_answer(1min); !written) return written.error();
    if (auto compacted = order("compact"); !compacted) return compacted;
    return order("start-apiserver");
}

namespace {

/// Out of a pid file of cluster.sh.
pid_t pid_in(const std::string& file)
{
    pid_t pid = 0;
    const auto text = text_of(file);
    std::from_chars(text.data(), text.data() + text.size(), pid);
    return pid;
}

} // namespace

result<usage> real_cluster::server_used() const { return usage_of(pid_in(folder_ + "/run/kube-apiserver.pid")); }

result<> real_cluster::wait_until_idle() const
{
    auto last = server_used();
    for (int quiet = 0, waited = 0; last && quiet < idle_windows && waited < most_windows; ++waited) {
        poll(nullptr, 0, idle_window_ms); // the window in which the server's CPU is counted
        auto now = server_used();
        quiet = now && now->cpu_s - last->cpu_s < idle_cpu_s ? quiet + 1 : 0;
        last = now;
    }
    if (!last) return last.error();
    return {};
}

result<> real_cluster::settle() const
{
    if (auto compacted = order("compact"); !compacted) return compacted;
    // The server collects its garbage before it answers a heap profile with gc=1.
    const command_line collect{
        .words = {where_.kubectl, "--kubeconfig", kubeconfig(), "get", "--raw", "/debug/pprof/heap?gc=1"}};
    if (auto collected = run_to_end(collect, where_.work + "/settle.log"); !collected) return collected;
    if (auto idle = wait_until_idle(); !idle) return idle;
    return reset_peak(pid_in(folder_ + "/run/kube-apiserver.pid"));
}

} // namespace kubecoro::bench::live
