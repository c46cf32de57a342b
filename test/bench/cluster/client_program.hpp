#pragma once

#include "driver/process.hpp"
#include "driver/subjects.hpp"
#include "driver/usage.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::bench::live {

/** One process of a subject. */
class client_program
{
public:
    /// @param more  Further options.
    [[nodiscard]] static result<client_program> start(const subject& who, const std::string& kubeconfig,
                                                      const std::string& resource, const std::vector<std::string>& more,
                                                      const std::string& log, duration limit);

    result<> tell(std::string_view command) { return process_.write_line(command); }
    /// Errors: as child_process::read_answer; corrupt when the answer has an "error".
    result<boost::json::object> answer();
    result<boost::json::object> ask(std::string_view command);

    [[nodiscard]] result<usage> used() const { return usage_of(process_.pid()); }
    /// On its open connections, TLS included; nothing where `ss` is missing.
    [[nodiscard]] std::optional<double> received_bytes() const;
    /// Its open sockets.
    [[nodiscard]] std::size_t connections() const;

private:
    client_program(child_process process, duration limit) : process_(std::move(process)), limit_(limit) {}

    child_process process_;
    duration limit_;
};

} // namespace kubecoro::bench::live
