#include "tasks.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include <unistd.h>

namespace kubecoro::bench::types {

namespace {

namespace fs = std::filesystem;

bool has(const std::vector<std::string>& choice, std::string_view name)
{
    return choice.empty() || std::find(choice.begin(), choice.end(), name) != choice.end();
}

bool runs_here(const std::string& program) { return access(program.c_str(), X_OK) == 0; }

std::optional<std::string> in_path(const std::string& name)
{
    std::string_view rest = getenv("PATH") ? getenv("PATH") : "";
    while (!rest.empty()) {
        const auto end = std::min(rest.find(':'), rest.size());
        const auto program = std::string(rest.substr(0, end)) + '/' + name;
        // The compiler itself is measured, not a cache.
        if (program.find("ccache") == std::string::npos && runs_here(program)) return program;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

/// A cell without metric and unit.
cell place_of(std::string workload, std::string subject, std::string data = "-", std::uint64_t objects = 0)
{
    return {.workload = std::move(workload),
            .subject = std::move(subject),
            .data = std::move(data),
            .objects = objects,
            .metric = {},
            .unit = {}};
}

task pod_task(const task_options& options, const places& where, std::string subject, const std::string& program,
              const std::string& form)
{
    task out{.place = place_of("pods", std::move(subject), "small", options.pods),
             .run = {.words = {program, "--pods", pod_records(where, options.pods, form), "--form", form,
                               "--milliseconds", std::to_string(options.milliseconds)}},
             .prints = true};
    if (!runs_here(program)) out.missing = "not built here";
    if (form == "protobuf" && !runs_here(where.peers + "/topb"))
        out.missing = "topb, which encodes the pods, is not built here";
    return out;
}

void add_pods(std::vector<task>& out, const task_options& options, const places& where)
{
    const auto ours = where.programs + "/kubecoro_bench_typed";
    const auto go = where.peers + "/go_types";
    out.push_back(pod_task(options, where, "kubecoro/protobuf", ours, "protobuf"));
    out.push_back(pod_task(options, where, "kubecoro/json", ours, "json"));
    out.push_back(pod_task(options, where, "client-go/protobuf", go, "protobuf"));
    out.push_back(pod_task(options, where, "client-go/json", go, "json"));
    out.push_back(pod_task(options, where, "kube-rs/json", where.peers + "/rust_types", "json"));
}

task generate_task(std::string subject, const std::string& program, const std::string& out)
{
    task made{.place = place_of("generate", std::move(subject)), .run = {.words = {program}}, .output = out};
    if (!runs_here(program)) made.missing = "not built here";
    return made;
}

/// The folders of the projects, in order.
std::vector<std::string> folders_in(const fs::path& folder)
{
    std::vector<std::string> out;
    for (const auto& file : fs::directory_iterator(folder)) out.push_back(file.path());
    std::sort(out.begin(), out.end());
    return out;
}

void add_generate(std::vector<task>& out, const places& where)
{
    const auto target = where.work + "/generated";
    auto built_in = generate_task("all built-in kinds", where.kinds + "/../kubecoro_generate_kinds", target);
    for (const auto& word : {where.source + "/lib/api/schemas/kubernetes.json", target + "/include", target})
        built_in.run.words.push_back(word);
    out.push_back(std::move(built_in));
    if (!fs::is_directory(where.definitions)) {
        auto absent = generate_task("definitions of other projects", where.programs + "/kubecoro", target);
        absent.missing = "not fetched here: test/crds/fetch.sh";
        out.push_back(std::move(absent));
        return;
    }
    for (const auto& folder : folders_in(where.definitions)) {
        auto project = generate_task(fs::path(folder).filename(), where.programs + "/kubecoro", target);
        // A folder may hold other documents, too; a file must be a definition.
        for (const auto& word : {std::string("generate"), std::string("--crd"), folder, std::string("--out"), target})
            project.run.words.push_back(word);
        out.push_back(std::move(project));
    }
}

/// The operator whose files are compiled, too.
constexpr std::string_view sample_operator = "/apps/operators/website/src";

std::string source_of(const places& where, const std::string& file)
{
    const auto in = where.source + std::string(sample_operator);
    if (file == "operator") return in + "/main.cpp";
    return file == "reconciler" ? in + "/website_reconciler.cpp"
                                : where.source + "/test/bench/types/users/" + file + ".cpp";
}

task compile_task(const places& where, const std::string& compiler, const std::string& level, const std::string& file)
{
    const auto program = in_path(compiler);
    auto words = file;
    std::replace(words.begin(), words.end(), '_', ' ');
    task out{.place = place_of("compile, " + compiler + " -" + level, words),
             .run = {.words = {program.value_or(compiler), "-std=c++20", "-Wall", "-Wextra", "-" + level},
                     .environment = {{"CCACHE_DISABLE", "1"}}},
             .output = where.work + "/users_file.o"};
    for (const auto* module : {"base", "api", "client", "cache", "controller", "endpoints", "manager", "program"})
        out.run.words.push_back("-I" + where.source + "/lib/" + module + "/include");
    out.run.words.push_back("-I" + where.kinds);
    // As CMake passes them to a program of kubecoro::program.
    std::istringstream definitions(KUBECORO_PROGRAM_DEFINITIONS);
    for (std::string name; definitions >> name;) out.run.words.push_back("-D" + name);
    out.run.words.push_back("-DKUBECORO_VERSION=\"1\"");
    for (const auto& word : {std::string("-c"), source_of(where, file), std::string("-o"), out.output})
        out.run.words.push_back(word);
    if (!program) out.missing = "not installed here";
    return out;
}

void add_compile(std::vector<task>& out, const task_options& options, const places& where)
{
    for (const auto& compiler : options.compilers)
        for (const auto& level : options.levels)
            for (const auto& file : user_files())
                if (has(options.files, file)) out.push_back(compile_task(where, compiler, level, file));
}

} // namespace

const std::vector<std::string>& workload_names()
{
    static const std::vector<std::string> all{"pods", "generate", "compile"};
    return all;
}

const std::vector<std::string>& user_files()
{
    static const std::vector<std::string> all{"no_kind",   "one_kind", "ten_kinds",
                                              "all_kinds", "operator", "reconciler"};
    return all;
}

std::string pod_records(const places& where, std::uint64_t pods, std::string_view form)
{
    return where.work + "/pods-" + std::to_string(pods) + "." + std::string(form);
}

std::vector<task> make_tasks(const task_options& options, const places& where)
{
    std::vector<task> out;
    if (has(options.names, "pods")) add_pods(out, options, where);
    if (has(options.names, "generate")) add_generate(out, where);
    if (has(options.names, "compile")) add_compile(out, options, where);
    return out;
}

std::vector<const task*> tasks_of_round(const std::vector<task>& tasks, unsigned round)
{
    std::vector<const task*> out;
    for (const auto& t : tasks) out.push_back(&t);
    for (auto begin = out.begin(); begin != out.end();) {
        const auto end = std::find_if(begin, out.end(),
                                      [&](const task* t) { return t->place.workload != (*begin)->place.workload; });
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
    std::string_view workload;
    for (const auto& t : tasks) {
        if (t.place.workload != workload) text += "\n" + t.place.workload + ":";
        text += (t.place.workload == workload ? ", " : " ") + t.place.subject;
        workload = t.place.workload;
    }
    return text + '\n';
}

} // namespace kubecoro::bench::types
