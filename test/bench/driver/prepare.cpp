#include "prepare.hpp"

#include "files.hpp"
#include "micro_results.hpp"
#include "process.hpp"

#include <chrono>
#include <filesystem>

namespace kubecoro::bench {

result<> run_to_end(const command_line& command, const std::string& log_file)
{
    auto process = child_process::start(command, log_file);
    if (!process) return process.error();
    auto ended = process->succeed(std::chrono::minutes(10));
    if (!ended) return ended.error();
    return {};
}

result<> run_micro(const std::string& program, unsigned repetitions, double seconds, const std::string& work,
                   sample_book& book)
{
    if (!std::filesystem::exists(program)) return failure(cond::not_found, "the micro-benchmarks are not built");
    const auto out = work + "/micro.json";
    const command_line command{.words = {program, "--benchmark_format=json", "--benchmark_out=" + out,
                                         "--benchmark_repetitions=" + std::to_string(repetitions),
                                         "--benchmark_min_time=" + std::to_string(seconds)},
                               .cores = {1}};
    if (auto ended = run_to_end(command, work + "/micro.log"); !ended) return ended;
    auto text = read_file(out);
    if (!text) return text.error();
    return add_micro_results(*text, book);
}

result<std::string> prepare_protobuf(const data_set& data, const places& where)
{
    namespace fs = std::filesystem;
    if (data.resource() == "widgets") return std::string();
    const auto encoder = where.peers + "/topb";
    if (!fs::exists(encoder)) return failure(cond::misconfigured, "topb is not built");

    // An operator's objects are the small ones of that number.
    const auto name =
        where.work + "/" + (data.namespaces() ? data.name : data.kind()) + "-" + std::to_string(data.objects);
    const auto records = name + ".pb";
    const auto replay = where.programs + "/kubecoro_replay";
    std::error_code none;
    if (fs::exists(records) && fs::last_write_time(records, none) > fs::last_write_time(replay, none)) return records;

    const auto log = where.work + "/prepare.log";
    const auto json = name + ".json";
    // Both states of every object: the listed one and the one after an event.
    command_line dump{.words = {replay, "--dump", json, "--events", std::to_string(data.objects)}};
    const auto options = data.options();
    dump.words.insert(dump.words.end(), options.begin(), options.end());
    if (auto dumped = run_to_end(dump, log); !dumped) return dumped.error();
    const auto unfinished = records + ".new";
    const command_line encode{.words = {encoder, json, unfinished}};
    if (auto encoded = run_to_end(encode, log); !encoded) return encoded.error();
    fs::remove(json, none);
    fs::rename(unfinished, records, none);
    return records;
}

} // namespace kubecoro::bench
