#include "subjects.hpp"

namespace kubecoro::bench::live {

namespace {

/// client-go streams its lists unless this says otherwise.
const std::pair<std::string, std::string> client_go_lists{"KUBE_FEATURE_WatchListClient", "false"};

std::vector<subject> ours(const std::string& program)
{
    const std::vector<std::string> json{"--form", "json"};
    const std::vector<std::string> list{"--list", "paged"};
    std::vector<subject> all{
        {.name = "kubecoro/protobuf", .program = program, .flags = {}, .namespaces = true},
        {.name = "kubecoro/protobuf-list", .program = program, .flags = list},
        {.name = "kubecoro/json", .program = program, .flags = json, .custom = true, .namespaces = true},
        {.name = "kubecoro/json-stream",
         .program = program,
         .flags = {"--form", "json", "--list", "streamed"},
         .custom = true},
        {.name = "kubecoro/compressed", .program = program, .flags = {"--mode", "compressed"}},
    };
    // As in a program made with the library, unless its author runs the context on more.
    for (auto& s : all) s.flags.insert(s.flags.end(), {"--threads", "1"});
    return all;
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

/// Clients without an informer. kube-rs has JSON and HTTP/1.1 only.
std::vector<subject> of_requests(const std::string& programs, const std::string& peers)
{
    const auto ours = programs + "/kubecoro_bench_requests";
    const auto go = peers + "/go_requests";
    const auto part = share::requests;
    return {
        {.name = "kubecoro/protobuf", .program = ours, .flags = {}, .part = part},
        {.name = "kubecoro/json", .program = ours, .flags = {"--form", "json"}, .part = part},
        {.name = "client-go/http2", .program = go, .flags = {}, .part = part},
        {.name = "client-go/http1",
         .program = go,
         .flags = {},
         .environment = {{"DISABLE_HTTP2", "true"}},
         .part = part},
        {.name = "kube-rs/best", .program = peers + "/rust_requests", .flags = {}, .part = part},
        {.name = "no watches", .program = ours, .flags = {}, .part = share::requests_floor},
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
    for (auto& s : of_requests(programs, peers)) all.push_back(std::move(s));
    return all;
}

} // namespace kubecoro::bench::live
