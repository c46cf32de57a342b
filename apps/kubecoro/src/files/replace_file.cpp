#include "files/replace_file.hpp"

#include "files/manifest_files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kubecoro::tool {

namespace {

failure system_failure(const std::string& doing)
{
    return failure(cond::misconfigured, "cannot " + doing + ": " + std::strerror(errno));
}

/// A file whose existence tells others to wait.
class file_lock
{
public:
    file_lock() = default;
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;
    ~file_lock()
    {
        if (!path_.empty()) ::unlink(path_.c_str());
    }

    [[nodiscard]] result<> take(const std::string& path)
    {
        const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0 && errno == EEXIST)
            return failure(cond::misconfigured,
                           path + " exists: another program changes the file. Remove it if none does");
        if (fd < 0) return system_failure("make " + path);
        ::close(fd);
        path_ = path;
        return {};
    }

private:
    std::string path_;
};

bool write_all(int fd, std::string_view text)
{
    while (!text.empty()) {
        const auto n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return ::fsync(fd) == 0;
}

/// Writes the text to a new file beside `path`, which then takes its place.
result<> put(const std::string& path, const std::string& text, const struct stat& like)
{
    std::string scratch = path + ".XXXXXX";
    const int fd = ::mkostemp(scratch.data(), O_CLOEXEC);
    if (fd < 0) return system_failure("make a file beside " + path);
    // Only root may keep another owner's file; everyone else owns it already.
    if (::fchown(fd, like.st_uid, like.st_gid) != 0) errno = 0;
    const bool written = ::fchmod(fd, like.st_mode & 07777) == 0 && write_all(fd, text);
    const bool closed = ::close(fd) == 0;
    if (written && closed && std::rename(scratch.c_str(), path.c_str()) == 0) return {};
    auto why = system_failure("write " + path);
    ::unlink(scratch.c_str());
    return why;
}

} // namespace

result<> replace_file(const std::string& path,
                      const std::function<result<std::string>(const std::string& text)>& change)
{
    std::error_code ec;
    const auto real = std::filesystem::canonical(path, ec).string();
    if (ec) return failure(cond::misconfigured, "cannot read " + path + ": " + ec.message());
    file_lock lock;
    if (auto taken = lock.take(path + ".lock"); !taken) return taken;
    struct stat like
    {
    };
    if (::stat(real.c_str(), &like) != 0) return system_failure("read " + path);
    auto before = read_files({.names = {real}});
    if (!before) return before.error();
    auto after = change(before->front().text);
    if (!after) return after.error();
    if (*after == before->front().text) return {};
    return put(real, *after, like);
}

} // namespace kubecoro::tool
