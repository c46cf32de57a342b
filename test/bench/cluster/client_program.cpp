#include "client_program.hpp"

#include "sockets.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace kubecoro::bench::live {

result<client_program> client_program::start(const subject& who, const std::string& kubeconfig,
                                             const std::string& resource, const std::vector<std::string>& more,
                                             const std::string& log, duration limit)
{
    command_line command{.words = {who.program, "--kubeconfig", kubeconfig, "--resource", resource},
                         .environment = who.environment};
    command.words.insert(command.words.end(), who.flags.begin(), who.flags.end());
    command.words.insert(command.words.end(), more.begin(), more.end());
    auto process = child_process::start(command, log);
    if (!process) return process.error();
    return client_program(std::move(*process), limit);
}

result<boost::json::object> client_program::answer()
{
    auto said = process_.read_answer(limit_);
    if (said && said->contains("error")) return failure(cond::corrupt, boost::json::serialize(*said));
    return said;
}

result<boost::json::object> client_program::ask(std::string_view command)
{
    if (auto told = tell(command); !told) return told.error();
    return answer();
}

std::optional<double> client_program::received_bytes() const
{
    const std::unique_ptr<FILE, int (*)(FILE*)> listing(popen("ss -tinpH 2>/dev/null", "r"), pclose);
    std::string text;
    std::array<char, 4096> part{};
    while (listing)
        if (const auto n = fread(part.data(), 1, part.size(), listing.get()); n > 0)
            text.append(part.data(), n);
        else
            break;
    const auto bytes = bytes_received(text, process_.pid());
    if (bytes == 0) return {};
    return static_cast<double>(bytes);
}

std::size_t client_program::connections() const
{
    namespace fs = std::filesystem;
    std::size_t sockets = 0;
    std::error_code gone;
    for (const auto& file : fs::directory_iterator("/proc/" + std::to_string(process_.pid()) + "/fd", gone))
        if (fs::read_symlink(file, gone).string().starts_with("socket:")) ++sockets;
    return sockets;
}

} // namespace kubecoro::bench::live
