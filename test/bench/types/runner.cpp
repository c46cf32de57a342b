#include "runner.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>

namespace kubecoro::bench::types {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The longest task, all kinds with optimisation, takes some minutes.
constexpr auto patience = 20min;

result<> run_program(command_line command, const std::string& log)
{
    auto process = child_process::start(command, log);
    if (!process) return process.error();
    auto ended = process->succeed(patience);
    if (!ended) return ended.error();
    return {};
}

std::size_t lines_of(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

class task_runs
{
public:
    explicit task_runs(const places& where) : where_(where) {}

    void run(const task& t)
    {
        std::error_code absent;
        if (!t.output.empty()) fs::remove_all(t.output, absent);
        auto done = t.prints ? run_printing(t) : run_costing(t);
        if (done) return;
        std::cerr << "  FAILED: " << done.error().describe() << '\n';
        missing(t, "failed: " + done.error().describe());
    }

    void missing(const task& t, const std::string& why)
    {
        auto what = t.place;
        what.metric = "all";
        what.unit = "-";
        book_.missing(what, why);
    }

    [[nodiscard]] std::vector<row> rows() const { return book_.rows(); }

private:
    [[nodiscard]] std::string log() const { return where_.work + "/types.log"; }

    void add(const task& t, std::string metric, std::string unit, double value)
    {
        auto what = t.place;
        what.metric = std::move(metric);
        what.unit = std::move(unit);
        book_.add(what, value);
    }

    result<> run_printing(const task& t)
    {
        auto process = child_process::start(t.run, log());
        if (!process) return process.error();
        const auto figures = process->read_answer(patience);
        if (!figures) return figures.error();
        std::map<std::string, double, std::less<>> values;
        for (const auto& [name, value] : *figures) {
            if (!value.is_number()) return failure(cond::corrupt, "not a number: " + std::string(name));
            values[name] = value.to_number<double>();
        }
        // All have read the same.
        const auto sum = values.extract("sum");
        if (!sum || sum.mapped() == 0 || (sum_ && *sum_ != sum.mapped()))
            return failure(cond::corrupt, "it has read other fields than the subjects before");
        sum_ = sum.mapped();
        for (const auto* metric : {"decode_1", "decode_10", "read_1", "read_10", "to_struct", "copy", "encode"})
            if (const auto found = values.find(metric); found != values.end()) add(t, metric, "ns", found->second);
        return {};
    }

    result<> run_costing(const task& t)
    {
        const auto begin = std::chrono::steady_clock::now();
        auto process = child_process::start(t.run, log());
        if (!process) return process.error();
        const auto cost = process->succeed(patience);
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
        if (!cost) return cost.error();
        add(t, "cpu", "s", cost->cpu_s);
        add(t, "wall", "s", wall.count());
        add(t, "peak", "MB", static_cast<double>(cost->peak_bytes) / 1e6);
        if (fs::is_regular_file(t.output)) add(t, "object", "KB", static_cast<double>(fs::file_size(t.output)) / 1e3);
        if (fs::is_directory(t.output)) add_written(t);
        return {};
    }

    void add_written(const task& t)
    {
        std::size_t lines = 0;
        std::size_t headers = 0;
        for (const auto& file : fs::recursive_directory_iterator(t.output)) {
            if (!file.is_regular_file()) continue;
            lines += lines_of(file.path());
            headers += file.path().extension() == ".hpp";
        }
        add(t, "headers", "files", static_cast<double>(headers));
        add(t, "written", "lines", static_cast<double>(lines));
    }

    const places& where_;
    sample_book book_;
    std::optional<double> sum_;
};

} // namespace

result<> write_pods(const places& where, std::uint64_t pods)
{
    const auto json = pod_records(where, pods, "json");
    const auto log = where.work + "/types.log";
    const auto dumped = run_program({.words = {where.programs + "/kubecoro_replay", "--dump", json, "--data", "small",
                                               "--objects", std::to_string(pods)}},
                                    log);
    const auto encoder = where.peers + "/topb";
    if (!dumped || !fs::exists(encoder)) return dumped;
    return run_program({.words = {encoder, json, pod_records(where, pods, "protobuf")}}, log);
}

void run_tasks(const std::vector<task>& tasks, unsigned rounds, const places& where, const save_rows& save)
{
    task_runs runs(where);
    for (unsigned round = 0; round < rounds; ++round) {
        for (const auto* t : tasks_of_round(tasks, round)) {
            std::cerr << "  round " << round + 1 << "/" << rounds << "  " << t->place.workload << "  "
                      << t->place.subject << std::endl;
            if (t->missing.empty())
                runs.run(*t);
            else
                runs.missing(*t, t->missing);
        }
        save(runs.rows());
    }
}

} // namespace kubecoro::bench::types
