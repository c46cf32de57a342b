#include "files/kubeconfig_files.hpp"

#include "files/kubeconfig_text.hpp"
#include "files/manifest_files.hpp"

#include <algorithm>

namespace kubecoro::tool {

namespace json = boost::json;

std::vector<std::string> kubeconfig_paths(const std::string& chosen, const environment& env)
{
    if (!chosen.empty()) return {chosen};
    std::vector<std::string> out;
    std::string rest = env.variable("KUBECONFIG").value_or("");
    for (std::size_t begin = 0; begin < rest.size();) {
        const auto end = std::min(rest.find(':', begin), rest.size());
        if (end != begin) out.push_back(rest.substr(begin, end - begin));
        begin = end + 1;
    }
    if (out.empty()) out.push_back(env.variable("HOME").value_or("") + "/.kube/config");
    return out;
}

result<json::object> merged_kubeconfigs(const std::string& chosen, const environment& env)
{
    std::vector<json::object> files;
    for (const auto& path : kubeconfig_paths(chosen, env)) {
        auto text = env.read_file(path, max_file_bytes);
        if (!text && text.error() == cond::not_found && chosen.empty()) continue;
        if (!text) return text.error();
        auto file = read_kubeconfig(*text, path);
        if (!file) return file.error();
        files.push_back(std::move(*file));
    }
    return merge_kubeconfigs(files);
}

} // namespace kubecoro::tool
