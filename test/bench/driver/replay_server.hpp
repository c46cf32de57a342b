#pragma once

#include "process.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kubecoro::bench {

/// The objects of the replay server.
struct data_set
{
    /// "small", "large", "low" or "custom"; "operator": small ones in the number typical of an operator; "split": small
    /// ones in four namespaces.
    std::string name;
    std::uint64_t objects = 0;
    /// "pods" or "widgets".
    [[nodiscard]] std::string resource() const { return name == "custom" ? "widgets" : "pods"; }
    /// The server's name for the data.
    [[nodiscard]] std::string kind() const { return name == "operator" || name == "split" ? "small" : name; }
    /// The number of namespaces, "ns-0" first, each listed and watched by itself; 0 = all objects are listed together.
    [[nodiscard]] unsigned namespaces() const { return name == "split" ? 4 : 0; }
    /// The server's options for the data.
    [[nodiscard]] std::vector<std::string> options() const
    {
        return {"--data", kind(), "--objects", std::to_string(objects), "--namespaces", std::to_string(namespaces())};
    }
    friend bool operator==(const data_set&, const data_set&) = default;
};

/** A running replay server: prepared bytes on one port, commands on another.

    Commands return when they have been carried out. Errors: unreachable, timed_out, corrupt. */
class replay_server
{
public:
    /// @param protobuf  Prepared protobuf records, empty for a server with JSON only.
    [[nodiscard]] static result<replay_server> start(const std::string& program, const data_set& data,
                                                     const std::string& protobuf, std::vector<int> cores,
                                                     const std::string& log_file);

    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] pid_t pid() const noexcept { return process_.pid(); }

    /// Writes `count` changes to every open watch, `rate` a second; 0 = as fast as they are read.
    result<> events(std::uint64_t count, std::uint64_t rate, duration patience);
    /// Changes this percentage of the objects, then ends every watch with 410.
    result<> expire(unsigned percent);

private:
    replay_server(child_process p, std::uint16_t port, std::uint16_t control)
        : process_(std::move(p)), port_(port), control_(control)
    {
    }
    result<boost::json::object> order(const std::string& method, const std::string& path, duration patience);

    child_process process_;
    std::uint16_t port_;
    std::uint16_t control_;
};

} // namespace kubecoro::bench
