#include "subjects.hpp"

namespace kubecoro::bench::live {

namespace {

/// client-go streams its lists unless this says otherwise.
const std::pair<std::string, std::string> client_go_lists{"KUBE_FEATURE_WatchListClient", "false"};

std::vector<subject> ours(const std::string& program)
{
    const std::vector<std::string> json{"--form", "json"};
    const std::vector<std::string> list{"--list", "paged"};
    return {
        {.name = "kubecoro/protobuf", .program = program, .flags = {}, .namespaces = true},
        {.name = "kubecoro/protobuf-list", .program = program, .flags = list},
        {.name = "kubecoro/json", .program = program, .flags = json, .custom = true, .namespaces = true},
        {.name = "kubecoro/json-stream",
         .program = program,
         .flags = {"--form", "json", "--list", "streamed"},
         .custom = true},
        {.name = "kubecoro/compressed", .program = program, .flags = {"--mode", "compressed"}},
    };
}

std::vector<subject> theirs(const std::string& go)
{
    const std::vector<std::string> protobuf{"--mode", "typed-protobuf"};
    const std::vector<std::string> dynamic{"--mode", "dynamic"};
    return {
        {.name = "client-go/protobuf", .program = go, .flags = protobuf, .namespaces = true},
        {.name = "client-go/protobuf-list", .program = go, .flags = protobuf, .environment = {client_go_lists}},
        {.name = "client-go/json",
         .program = go,
         .flags = {"--mode", "typed-json"},
         .custom = true,
         .namespaces = true},
        {.name = "client-go/dynamic", .program = go, .flags = dynamic, .custom = true},
        {.name = "client-go/dynamic-list",
         .program = go,
         .flags = dynamic,
         .environment = {client_go_lists},
         .custom = true},
    };
}

} // namespace

std::vector<subject> all_subjects(const std::string& programs, const std::string& peers)
{
    auto all = ours(programs + "/kubecoro_bench_subject");
    for (auto& s : theirs(peers + "/go_subject")) all.push_back(std::move(s));
    all.push_back({.name = "controller-runtime/cache",
                   .program = peers + "/go_controller_runtime",
                   .flags = {"--mode", "controller"}});
    for (const std::string build : {"best", "default"})
        all.push_back({.name = "kube-rs/" + build,
                       .program = peers + "/rust_subject_" + build,
                       .flags = {"--mode", "reflector"},
                       .custom = true,
                       .namespaces = build == "best"});
    // No informers at all: what the updates cost the server by themselves.
    all.push_back({.name = "no informer", .program = peers + "/load", .flags = {}, .part = share::floor});
    return all;
}

} // namespace kubecoro::bench::live
