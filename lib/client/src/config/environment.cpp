#include <kubecoro/client/kubeconfig.hpp>

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

result<std::string> read_file(const std::string& path, std::size_t limit)
{
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        const int why = errno;
        return failure(why == ENOENT || why == ENOTDIR ? cond::not_found : cond::misconfigured,
                       path + ": " + std::generic_category().message(why));
    }
    std::string content(limit + 1, '\0');
    in.read(content.data(), static_cast<std::streamsize>(content.size()));
    // A directory can be opened but not read.
    if (in.bad() || (in.gcount() == 0 && !in.eof())) return failure(cond::misconfigured, path + ": cannot be read");
    if (static_cast<std::size_t>(in.gcount()) > limit)
        return failure(cond::misconfigured, path + ": longer than " + std::to_string(limit) + " bytes");
    content.resize(static_cast<std::size_t>(in.gcount()));
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
