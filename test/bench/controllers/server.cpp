#include "server.hpp"

#include "driver/files.hpp"

#include <chrono>
#include <filesystem>

namespace kubecoro::bench::controllers {

namespace {

using namespace std::chrono_literals;
constexpr int pods = 30;

} // namespace

std::string served_objects(std::uint64_t config_maps)
{
    std::string out;
    for (std::uint64_t n = 0; n < config_maps; ++n) {
        const auto number = std::to_string(n);
        out += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: map-" + number +
               ", namespace: default}\ndata: {key: \"" + std::string(500 - number.size(), '0') + number + "\"}\n";
    }
    for (int n = 0; n < pods; ++n)
        out += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: pod-" + std::to_string(n) +
               ", namespace: default, labels: {app: web}}\nspec: {nodeName: node-1, containers: [{name: main, image: "
               "registry.example/web:1.2.3, ports: [{containerPort: 80}]}]}\n";
    return out;
}

result<api_server> api_server::start(const std::string& programs, const std::string& work, std::uint64_t config_maps,
                                     int core)
{
    const auto objects = work + "/objects.yaml";
    const auto kubeconfig = work + "/kubeconfig";
    std::filesystem::remove(kubeconfig);
    if (auto written = write_file(objects, served_objects(config_maps)); !written) return written.error();
    const command_line command{
        .words = {programs + "/kubecoro", "serve", "--kubeconfig-out", kubeconfig, "--load", objects}, .cores = {core}};
    auto process = child_process::start(command, work + "/server.log");
    if (!process) return process.error();
    // It prints lines, which are no JSON, when it has written the kubeconfig and listens.
    const auto begun = process->read_answer(2min);
    if (!begun && begun.error() != cond::corrupt) return begun.error();
    if (text_of(kubeconfig).empty()) return failure(cond::misconfigured, "no kubeconfig: see " + work + "/server.log");
    return api_server(std::move(*process), kubeconfig, config_maps);
}

} // namespace kubecoro::bench::controllers
