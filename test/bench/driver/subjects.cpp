#include "subjects.hpp"

#include <unistd.h>

namespace kubecoro::bench {

namespace {

/// The same without metadata.managedFields, a common deployment: a line of its own, compared only with its like.
subject stripped(const std::string& name, const std::string& program, std::vector<std::string> flags)
{
    flags.emplace_back("--strip-managed-fields");
    return {.name = name + "-stripped", .program = program, .flags = std::move(flags), .part = share::brief};
}

subject our_main_subject(const std::string& mark, const std::string& programs)
{
    return {.name = "kubecoro/plain" + mark,
            .program = programs + "/kubecoro_bench_subject",
            .flags = {"--mode", "plain"},
            .tails = true,
            .custom = true,
            .namespaces = true};
}

std::vector<subject> our_subjects(const std::string& program)
{
    return {
        {.name = "kubecoro/compressed",
         .program = program,
         .flags = {"--mode", "compressed"},
         .custom = true,
         .namespaces = true},
        {.name = "kubecoro/json",
         .program = program,
         .flags = {"--mode", "plain", "--form", "json"},
         .part = share::brief},
        {.name = "kubecoro/controller",
         .program = program,
         .flags = {"--mode", "controller"},
         .part = share::controller},
        {.name = "kubecoro/metadata", .program = program, .flags = {"--mode", "metadata"}, .part = share::brief},
        stripped("kubecoro/plain", program, {"--mode", "plain"}),
        stripped("kubecoro/compressed", program, {"--mode", "compressed"}),
    };
}

std::vector<subject> go_subjects(const std::string& program)
{
    const std::vector<std::string> protobuf{"--mode", "typed-protobuf"};
    return {
        {.name = "client-go/protobuf", .program = program, .flags = protobuf, .tails = true},
        {.name = "client-go/protobuf-gogc50",
         .program = program,
         .flags = protobuf,
         .environment = {{"GOGC", "50"}},
         .part = share::brief},
        {.name = "client-go/protobuf-gogc400",
         .program = program,
         .flags = protobuf,
         .environment = {{"GOGC", "400"}},
         .part = share::brief},
        stripped("client-go/protobuf", program, protobuf),
        {.name = "client-go/json", .program = program, .flags = {"--mode", "typed-json"}, .custom = true},
        {.name = "client-go/dynamic",
         .program = program,
         .flags = {"--mode", "dynamic"},
         .part = share::brief,
         .custom = true},
    };
}

std::vector<subject> rust_subjects(const std::string& standard, const std::string& best)
{
    return {
        {.name = "kube-rs/default", .program = standard, .flags = {"--mode", "reflector"}, .custom = true},
        {.name = "kube-rs/best", .program = best, .flags = {"--mode", "reflector"}, .tails = true, .custom = true},
        stripped("kube-rs/best", best, {"--mode", "reflector"}),
        {.name = "kube-rs/controller", .program = best, .flags = {"--mode", "controller"}, .part = share::controller},
    };
}

} // namespace

std::vector<subject> all_subjects(const std::string& programs, const std::string& peers, const std::string& before)
{
    std::vector<subject> all{our_main_subject({}, programs)};
    if (!before.empty()) all.push_back(our_main_subject(std::string(before_mark), before));
    for (auto& s : our_subjects(programs + "/kubecoro_bench_subject")) all.push_back(std::move(s));
    all.push_back({.name = "floor", .program = programs + "/kubecoro_bench_floor", .flags = {}, .part = share::floor});
    for (auto& s : go_subjects(peers + "/go_subject")) all.push_back(std::move(s));
    const auto runtime = peers + "/go_controller_runtime";
    all.push_back({.name = "controller-runtime/controller",
                   .program = runtime,
                   .flags = {"--mode", "controller"},
                   .part = share::controller});
    all.push_back({.name = "controller-runtime/queue",
                   .program = runtime,
                   .flags = {"--queue", "priority"},
                   .part = share::queue});
    for (auto& s : rust_subjects(peers + "/rust_subject_default", peers + "/rust_subject_best"))
        all.push_back(std::move(s));
    return all;
}

bool is_chosen(std::string_view subject, std::string_view choice)
{
    if (choice.ends_with('/')) choice.remove_suffix(1);
    if (subject.ends_with(before_mark)) subject.remove_suffix(before_mark.size());
    return subject == choice || (subject.starts_with(choice) && subject.substr(choice.size()).starts_with('/'));
}

void find_missing(std::vector<subject>& subjects)
{
    for (auto& s : subjects)
        if (access(s.program.c_str(), X_OK) != 0) s.missing = "not built here";
}

} // namespace kubecoro::bench
