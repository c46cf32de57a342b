#include "scratch_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace kubecoro::tool {

scratch_file::~scratch_file()
{
    if (!path_.empty()) ::unlink(path_.c_str());
}

result<> scratch_file::write(std::string_view text)
{
    const char* dir = std::getenv("TMPDIR");
    std::string path = std::string(dir && *dir ? dir : "/tmp") + "/kubecoro-demo-XXXXXX";
    const int fd = ::mkstemp(path.data()); // creates it with mode 0600
    if (fd < 0) return failure(cond::misconfigured, "cannot create " + path + ": " + std::strerror(errno));
    path_ = path;
    const auto written = ::write(fd, text.data(), text.size());
    ::close(fd);
    if (written != static_cast<ssize_t>(text.size())) return failure(cond::misconfigured, "cannot write " + path);
    return {};
}

} // namespace kubecoro::tool
