#include "files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace kubecoro::bench {

result<std::string> read_file(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) return failure(cond::not_found, "cannot read " + path);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string text_of(const std::string& path)
{
    auto text = read_file(path);
    return text ? std::move(*text) : std::string();
}

result<> write_file(const std::string& path, std::string_view text)
{
    std::error_code ignored;
    if (auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
        std::filesystem::create_directories(folder, ignored);
    std::ofstream out(path, std::ios::binary);
    out << text << std::flush;
    if (!out) return failure(cond::misconfigured, "cannot write " + path);
    return {};
}

} // namespace kubecoro::bench
