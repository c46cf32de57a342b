#include "data_directory.hpp"

#include <kubecoro/base/clock.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kubecoro::tool {

namespace {

constexpr std::chrono::hours authority_lifetime{24 * 365 * 10};

failure system_failure(const std::string& doing)
{
    return failure(cond::misconfigured, doing + ": " + std::strerror(errno));
}

result<std::optional<std::string>> read_if_there(const std::string& path)
{
    std::error_code ec;
    if (!std::filesystem::exists(path, ec)) return std::optional<std::string>{};
    std::ifstream in(path, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in) return failure(cond::misconfigured, "cannot read " + path);
    return std::optional<std::string>(std::move(text));
}

} // namespace

result<std::unique_ptr<data_directory>> data_directory::open(std::string path)
{
    std::unique_ptr<data_directory> made{new data_directory};
    made->path_ = std::move(path);
    if (::mkdir(made->path_.c_str(), 0700) != 0 && errno != EEXIST) return system_failure("make " + made->path_);
    if (auto locked = made->lock(); !locked) return locked.error();
    if (auto kept = made->keep_authority(); !kept) return kept.error();
    auto admin = made->kept("admin.token", apiserver::random_token);
    if (!admin) return admin.error();
    made->admin_token_ = std::move(*admin);
    auto limited = made->kept("limited.token", apiserver::random_token);
    if (!limited) return limited.error();
    made->limited_token_ = std::move(*limited);
    return made;
}

data_directory::~data_directory()
{
    if (lock_ >= 0) ::close(lock_);
}

result<> data_directory::lock()
{
    const std::string file = path_ + "/lock";
    lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0) return system_failure("open " + file);
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
        return failure(cond::misconfigured, path_ + " is in use by another server");
    return {};
}

result<std::string> data_directory::kept(const char* name, result<std::string> (*make)()) const
{
    const std::string file = path_ + "/" + name;
    auto there = read_if_there(file);
    if (!there) return there.error();
    if (*there && !(*there)->empty()) return std::move(**there);
    auto made = make();
    if (!made) return made;
    auto written = apiserver::write_private_file(file, *made);
    if (!written) return written.error();
    return made;
}

// Key and certificate form one file, because they must match.
result<> data_directory::keep_authority()
{
    auto text = kept("authority.pem", [] {
        auto made = apiserver::tls_authority::generate(real_clock()->wall_now(), authority_lifetime);
        return made ? result<std::string>(made->key + made->certificate) : result<std::string>(made.error());
    });
    if (!text) return text.error();
    const auto certificate = text->find("-----BEGIN CERTIFICATE-----");
    if (certificate == std::string::npos)
        return failure(cond::misconfigured, path_ + "/authority.pem contains no certificate");
    authority_ = {text->substr(certificate), text->substr(0, certificate)};
    return {};
}

result<std::optional<std::string>> data_directory::load_state() const { return read_if_there(path_ + "/state.json"); }

result<> data_directory::save_state(std::string_view state) const
{
    return apiserver::write_private_file(path_ + "/state.json", state);
}

} // namespace kubecoro::tool
