#include "tasks.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace kubecoro::bench::controllers {

namespace {

bool runs_here(const std::string& program) { return access(program.c_str(), X_OK) == 0; }

/// The program of a library for one workload.
struct program
{
    std::string subject;
    std::string path;
    std::vector<std::string> words;
    bool settles = true;
    std::string missing = {};
};

std::vector<std::string> after_kubeconfig(std::vector<std::string> words)
{
    words.insert(words.begin(), std::string(kubeconfig_word));
    return words;
}

/// Pods of the node of an agent.
constexpr std::uint64_t pods_of_node = 30;

class task_list
{
public:
    task_list(const task_options& options, const places& where) : options_(options), where_(where) {}

    void add(task like, std::vector<program> programs)
    {
        for (auto& p : programs) {
            auto t = like;
            t.place.subject = std::move(p.subject);
            t.run = {.words = {p.path}, .cores = {options_.subject_core}};
            t.run.words.insert(t.run.words.end(), p.words.begin(), p.words.end());
            t.settles = p.settles;
            t.missing = std::move(p.missing);
            if (t.missing.empty() && !runs_here(p.path)) t.missing = "not built here";
            all_.push_back(std::move(t));
        }
    }
    [[nodiscard]] program ours(const std::string& name, std::vector<std::string> words) const
    {
        return {
            .subject = "kubecoro", .path = where_.programs + '/' + name, .words = after_kubeconfig(std::move(words))};
    }
    [[nodiscard]] program go(std::vector<std::string> words, std::string subject = "controller-runtime") const
    {
        return {.subject = std::move(subject),
                .path = where_.peers + "/go_operator",
                .words = after_kubeconfig(std::move(words))};
    }
    [[nodiscard]] program rust(std::vector<std::string> words) const
    {
        return {
            .subject = "kube-rs", .path = where_.peers + "/rust_operator", .words = after_kubeconfig(std::move(words))};
    }
    [[nodiscard]] std::vector<task> take() { return std::move(all_); }

private:
    const task_options& options_;
    const places& where_;
    std::vector<task> all_;
};

task like(std::string workload, course how, std::uint64_t objects, std::uint64_t served)
{
    task t{.place = {.workload = std::move(workload),
                     .subject = {},
                     .data = "config maps",
                     .objects = objects,
                     .metric = {},
                     .unit = {}},
           .how = how};
    t.served = served;
    return t;
}

void add_reconcile(task_list& out, const task_options& options)
{
    for (const auto objects : options.objects) {
        auto t = like("reconcile", course::reconcile, objects, objects);
        t.again = objects == 0 ? 0 : (options.runs + objects - 1) / objects;
        const std::vector<std::string> words{"reconcile", std::to_string(objects), "1"};
        out.add(std::move(t), {out.ours("kubecoro_bench_reconciler", words), out.go(words), out.rust(words)});
    }
}

void add_controllers(task_list& out, const task_options& options)
{
    const std::vector<std::string> words{"reconcile", std::to_string(options.own), std::to_string(options.controllers)};
    out.add(like("controllers", course::reconcile, options.controllers, options.own),
            {out.ours("kubecoro_bench_reconciler", words), out.go(words), out.rust(words)});
}

void add_idle(task_list& out, const task_options& options)
{
    auto ours = out.ours("kubecoro_bench_idle_operator",
                         {"--metrics-address", "127.0.0.1:0", "--health-address", "127.0.0.1:0"});
    ours.words.insert(ours.words.begin(), "--kubeconfig");
    ours.settles = false;
    out.add(like("idle operator", course::rest, options.idle, options.idle),
            {std::move(ours), out.go({"idle"}), out.rust({"idle"})});
}

void add_agent(task_list& out, const task_options& options)
{
    auto t = like("node agent", course::rest, pods_of_node, options.idle);
    t.place.data = "pods";
    auto ours = out.ours("kubecoro_bench_idle_agent", {"node-1"});
    ours.settles = false;
    out.add(std::move(t), {std::move(ours), out.go({"agent", "node-1"}, "client-go"), out.rust({"agent", "node-1"})});
}

void add_failover(task_list& out, const task_options& options)
{
    for (const auto how : {course::kill, course::release}) {
        auto t = like(how == course::kill ? "failover after a kill" : "failover after a release", how, 0, options.idle);
        t.place.data = "-";
        const std::vector<std::string> words{"lead", std::string(lease_word)};
        auto rust = out.rust(words);
        rust.missing = "kube-rs has no leader election";
        out.add(std::move(t), {out.ours("kubecoro_bench_reconciler", words), out.go(words), std::move(rust)});
    }
}

} // namespace

const std::vector<std::string>& workload_names()
{
    static const std::vector<std::string> all{"reconcile", "controllers", "idle", "agent", "failover"};
    return all;
}

std::vector<task> make_tasks(const task_options& options, const places& where)
{
    task_list out(options, where);
    const auto wanted = [&](std::string_view name) {
        return options.names.empty() ||
               std::find(options.names.begin(), options.names.end(), name) != options.names.end();
    };
    if (wanted("reconcile")) add_reconcile(out, options);
    if (wanted("controllers")) add_controllers(out, options);
    if (wanted("idle")) add_idle(out, options);
    if (wanted("agent")) add_agent(out, options);
    if (wanted("failover")) add_failover(out, options);
    return out.take();
}

std::vector<const task*> tasks_of_round(const std::vector<task>& tasks, unsigned round)
{
    std::vector<const task*> out;
    for (const auto& t : tasks) out.push_back(&t);
    const auto same_table = [](const task& a, const task& b) {
        return a.place.workload == b.place.workload && a.place.objects == b.place.objects;
    };
    for (auto begin = out.begin(); begin != out.end();) {
        const auto end = std::find_if(begin, out.end(), [&](const task* t) { return !same_table(*t, **begin); });
        std::rotate(begin, begin + static_cast<std::ptrdiff_t>(round % static_cast<unsigned>(end - begin)), end);
        begin = end;
    }
    return out;
}

std::vector<task> without_finished(std::vector<task> tasks, unsigned rounds, const std::vector<row>& rows)
{
    std::erase_if(tasks, [&](const task& t) {
        return std::any_of(rows.begin(), rows.end(), [&](const row& r) {
            return r.what.workload == t.place.workload && r.what.subject == t.place.subject &&
                   r.what.objects == t.place.objects && r.value.rounds >= rounds;
        });
    });
    return tasks;
}

std::string describe_tasks(const std::vector<task>& tasks, unsigned rounds)
{
    std::string text = std::to_string(rounds) + " round(s)";
    const task* before = nullptr;
    for (const auto& t : tasks) {
        const bool same =
            before && before->place.workload == t.place.workload && before->place.objects == t.place.objects;
        if (!same) text += "\n" + t.place.workload + ", " + std::to_string(t.place.objects) + ":";
        text += (same ? ", " : " ") + t.place.subject;
        before = &t;
    }
    return text + '\n';
}

} // namespace kubecoro::bench::controllers
