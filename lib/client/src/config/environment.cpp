#include <kubecoro/client/kubeconfig.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace kubecoro {

namespace {

std::optional<std::string> variable(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    if (!value) return std::nullopt;
    return std::string(value);
}

/// At most one byte more than the limit. Files are read again for each connection, and few are as long as the limit.
std::string beginning_of(std::istream& in, std::size_t limit)
{
    constexpr std::size_t first = 16 * 1024;
    std::string content;
    while (in && content.size() <= limit) {
        const auto before = content.size();
        content.resize(std::min(before + std::max(before, first), limit + 1));
        in.read(content.data() + before, static_cast<std::streamsize>(content.size() - before));
        content.resize(before + static_cast<std::size_t>(in.gcount()));
    }
    return content;
}

result<std::string> read_file(const std::string& path, std::size_t limit)
{
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        const int why = errno;
        return failure(why == ENOENT || why == ENOTDIR ? cond::not_found : cond::misconfigured,
                       path + ": " + std::generic_category().message(why));
    }
    auto content = beginning_of(in, limit);
    // A directory can be opened but not read.
    if (in.bad() || (content.empty() && !in.eof())) return failure(cond::misconfigured, path + ": cannot be read");
    if (content.size() > limit)
        return failure(cond::misconfigured, path + ": longer than " + std::to_string(limit) + " bytes");
    content.shrink_to_fit();
    return content;
}

} // namespace

environment system_environment()
{
    environment e;
    e.variable = variable;
    e.read_file = read_file;
    return e;
}

} // namespace kubecoro
