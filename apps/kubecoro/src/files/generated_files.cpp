#include "files/generated_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

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

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n') + 1); }

/// Whether an ordinary file begins with this line.
bool begins_with(const fs::directory_entry& file, const std::string& line)
{
    std::error_code ec;
    if (file.symlink_status(ec).type() != fs::file_type::regular) return false;
    std::ifstream in(file.path(), std::ios::binary);
    std::string begin(line.size(), '\0');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return in && begin == line;
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

std::vector<std::string> stale_files(const std::string& folder, const std::vector<codegen::generated_file>& files)
{
    std::vector<std::string> out;
    if (files.empty()) return out;
    const auto banner = first_line(files.front().text);
    std::set<fs::path> current;
    for (const auto& file : files) current.insert(path_of(folder, file).lexically_normal());
    for (const char* part : {"include", "src"}) {
        std::error_code ec;
        auto at = fs::recursive_directory_iterator(fs::path(folder) / part, ec);
        for (; !ec && at != fs::recursive_directory_iterator(); at.increment(ec)) {
            const auto& path = at->path();
            const bool is_code = path.extension() == ".hpp" || path.extension() == ".cpp";
            if (is_code && !current.contains(path.lexically_normal()) && begins_with(*at, banner))
                out.push_back(path.string());
        }
    }
    std::ranges::sort(out);
    return out;
}

} // namespace kubecoro::tool
