#pragma once
// The definitions in golden/crds, and the code in golden/expected.

#include <kubecoro/client/manifests.hpp>

#include <boost/json/value.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace golden_test {

namespace fs = std::filesystem;

inline const fs::path golden = fs::path(KUBECORO_TEST_DATA) / "golden";

inline std::string text_of(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// All files below a folder, in order.
inline std::set<std::string> files_in(const fs::path& folder)
{
    std::set<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename() != ".clang-format")
            out.insert(fs::relative(entry.path(), folder).string());
    return out;
}

inline std::vector<boost::json::value> definitions()
{
    std::vector<boost::json::value> out;
    for (const auto& name : files_in(golden / "crds"))
        for (auto& document : kubecoro::load_manifests(text_of(golden / "crds" / name), name).value())
            out.push_back(std::move(document));
    return out;
}

} // namespace golden_test
