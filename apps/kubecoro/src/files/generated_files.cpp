#include "files/generated_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace kubecoro::tool {

namespace fs = std::filesystem;

namespace {

fs::path path_of(const std::string& folder, const codegen::generated_file& file)
{
    return fs::path(folder) / (file.is_source ? "src" : "include") / file.path;
}

bool is_equal(const fs::path& path, const std::string& text)
{
    std::ifstream in(path, std::ios::binary);
    return in && std::string(std::istreambuf_iterator<char>(in), {}) == text;
}

bool write(const fs::path& path, const std::string& text)
{
    std::error_code ignored; // a folder that cannot be made is a file that cannot be written
    fs::create_directories(path.parent_path(), ignored);
    std::ofstream out(path, std::ios::binary);
    out << text;
    return static_cast<bool>(out.flush());
}

} // namespace

result<> write_generated(const std::string& folder, const std::vector<codegen::generated_file>& files)
{
    for (const auto& file : files) {
        const auto path = path_of(folder, file);
        if (!is_equal(path, file.text) && !write(path, file.text))
            return failure(cond::misconfigured, "cannot write " + path.string());
    }
    return {};
}

std::vector<std::string> differing_files(const std::string& folder, const std::vector<codegen::generated_file>& files)
{
    std::vector<std::string> out;
    for (const auto& file : files)
        if (const auto path = path_of(folder, file); !is_equal(path, file.text)) out.push_back(path.string());
    return out;
}

} // namespace kubecoro::tool
