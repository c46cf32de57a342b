#include <kubecoro/client/detail/manifest_files.hpp>

#include <kubecoro/client/manifests.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace kubecoro::detail {

namespace fs = std::filesystem;

namespace {

failure unreadable(const std::string& path, const std::string& why)
{
    return failure(cond::misconfigured, "cannot read " + path + ": " + why);
}

/// Reads to the end, also of pipes. An interrupted read ends with cond::cancelled.
result<std::string> read_all(int fd, const std::string& name)
{
    std::string text;
    char buffer[65536];
    for (;;) {
        const auto n = ::read(fd, buffer, sizeof buffer);
        if (n == 0) return text;
        if (n < 0 && errno == EINTR) return failure(cond::cancelled, "interrupted while reading " + name);
        if (n < 0) return unreadable(name, std::strerror(errno));
        text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > max_file_bytes) return unreadable(name, "it is longer than 64 MiB");
    }
}

result<file_text> read_file(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return unreadable(path, std::strerror(errno));
    auto text = read_all(fd, path);
    ::close(fd);
    if (!text) return text.error();
    return file_text{path, std::move(*text)};
}

bool is_manifest(const fs::path& path)
{
    const auto extension = path.extension();
    return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

template<class Iterator>
result<std::vector<std::string>> manifests_in(const std::string& path)
{
    std::vector<std::string> out;
    std::error_code ec;
    for (auto entry = Iterator(path, ec); !ec && entry != Iterator(); entry.increment(ec)) {
        std::error_code ignored;
        if (is_manifest(entry->path()) && !entry->is_directory(ignored)) out.push_back(entry->path().string());
    }
    if (ec) return unreadable(path, ec.message());
    if (out.empty()) return failure(cond::misconfigured, "no .yaml, .yml or .json file in " + path);
    std::sort(out.begin(), out.end());
    return out;
}

result<std::vector<std::string>> files_at(const std::string& path, bool recursive)
{
    std::error_code ec;
    if (path == "-" || !fs::is_directory(path, ec)) return std::vector<std::string>{path};
    return recursive ? manifests_in<fs::recursive_directory_iterator>(path)
                     : manifests_in<fs::directory_iterator>(path);
}

using text_reader = result<std::vector<boost::json::value>>(std::string_view text, std::string_view name);

result<std::vector<boost::json::value>> read_with(const file_flags& files, text_reader& read)
{
    auto texts = read_files(files);
    if (!texts) return texts.error();
    std::vector<boost::json::value> out;
    for (const auto& file : *texts) {
        auto values = read(file.text, file.name);
        if (!values) return values.error();
        out.insert(out.end(), std::make_move_iterator(values->begin()), std::make_move_iterator(values->end()));
    }
    return out;
}

} // namespace

result<std::vector<file_text>> read_files(const file_flags& files)
{
    std::vector<file_text> out;
    for (const auto& path : files.names) {
        auto found = files_at(path, files.recursive);
        if (!found) return found.error();
        for (const auto& file : *found) {
            if (file == "-") {
                auto text = read_all(STDIN_FILENO, "standard input");
                if (!text) return text.error();
                out.push_back({"standard input", std::move(*text)});
                continue;
            }
            auto one = read_file(file);
            if (!one) return one.error();
            out.push_back(std::move(*one));
        }
    }
    return out;
}

result<std::vector<boost::json::value>> read_documents(const file_flags& files)
{
    return read_with(files, parse_documents);
}

result<std::vector<boost::json::value>> read_manifests(const file_flags& files)
{
    return read_with(files, load_manifests);
}

} // namespace kubecoro::detail
