#include "check/manifest_files.hpp"

#include <kubecoro/client/manifests.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace kubecoro::testing::detail {
namespace {

using manifests = std::vector<boost::json::value>;

bool is_text(std::string_view source) { return source.starts_with('{') || source.find('\n') != std::string_view::npos; }

result<> add(std::string_view text, const std::string& name, manifests& out)
{
    auto got_loaded = load_manifests(text, name);
    if (!got_loaded) return got_loaded.error();
    auto loaded = std::move(*got_loaded);
    std::move(loaded.begin(), loaded.end(), std::back_inserter(out));
    return {};
}

result<> add_file(const fs::path& path, manifests& out)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) return failure(cond::invalid, "cannot read " + path.string());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    return add(text, path.string(), out);
}

result<std::vector<fs::path>> files_in(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const auto ending = entry.path().extension();
        if (ending == ".yaml" || ending == ".yml" || ending == ".json") out.push_back(entry.path());
    }
    if (failed) return failure(cond::invalid, "cannot read " + folder.string() + ": " + failed.message());
    if (out.empty()) return failure(cond::invalid, "no .yaml, .yml or .json file in " + folder.string());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

result<manifests> load_all(const std::vector<std::string>& sources)
{
    manifests out;
    for (const auto& source : sources) {
        if (is_text(source)) {
            if (auto done = add(source, "manifest", out); !done) return done.error();
            continue;
        }
        std::error_code ignored;
        if (!fs::is_directory(source, ignored)) {
            if (auto done = add_file(source, out); !done) return done.error();
            continue;
        }
        const auto files = files_in(source);
        if (!files) return files.error();
        for (const auto& file : *files)
            if (auto done = add_file(file, out); !done) return done.error();
    }
    return out;
}

} // namespace kubecoro::testing::detail
