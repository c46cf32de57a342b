// Which checks a request asks for, and the text that answers it, in the form of a kube-apiserver. Sans-io.
#pragma once

#include <kubecoro/endpoints/health_checks.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kubecoro::detail {

/// A request for the health of the program.
struct health_query
{
    health_probe probe = health_probe::live;
    /// As in the path: "livez", "healthz" or "readyz".
    std::string title = "livez";
    /// The check of a subpath; empty = all.
    std::string check = {};
    bool verbose = false;
    std::vector<std::string> excluded = {};
};

struct health_answer
{
    int status = 200;
    std::string body = {};
};

/// The checks to run, of those that exist. Empty when there is none of that name.
[[nodiscard]] std::optional<std::vector<std::string>> checks_of(const health_query& query,
                                                                const std::vector<std::string>& existing);

/// Whether the answer calls health_checks::verdict::detail.
[[nodiscard]] bool has_details(const health_query& query, const std::vector<health_checks::verdict>& outcomes);

/// The answer. Reasons of failures are withheld, because probes are not authenticated.
[[nodiscard]] health_answer answer_of(const health_query& query, const std::vector<std::string>& existing,
                                      const std::vector<health_checks::verdict>& outcomes);

} // namespace kubecoro::detail
