// An in-memory server with one administrator, and captured exchanges of a kube-apiserver for comparison.
#pragma once

#include <kubecoro/apiserver/detail/request_handler.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::test {

namespace json = boost::json;

inline constexpr std::string_view json_type = "application/json";
inline constexpr std::string_view merge_type = "application/merge-patch+json";

struct server
{
    explicit server(apiserver::cluster_options options = {});

    wall_time now = std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + std::chrono::hours{6};
    apiserver::access_control access;
    apiserver::cluster_state_core state;
    apiserver::request_handler handler;
    std::string token = "admin";

    using headers = std::vector<std::pair<std::string, std::string>>;
    apiserver::http_response ask(std::string method, std::string target, std::string body = {}, headers extra = {});
    apiserver::http_response get(std::string target) { return ask("GET", std::move(target)); }
    /// Performs a request, requires the status, and returns the body.
    json::value expect(int status, std::string method, std::string target, std::string body = {}, headers extra = {});
    json::value patch(std::string target, std::string body, std::string_view type = merge_type);

    void add_namespace(const std::string& name);
    void add_config_map(const std::string& ns, const std::string& name, const std::string& metadata = {});
    std::unique_ptr<apiserver::watch_body> watch(std::string target);
};

/// Returns the lines of a watch's output, one per event, without newlines.
std::vector<std::string> lines(apiserver::watch_output out);
/// Formats an event as "ADDED a@5".
std::string brief(const std::string& line);
std::vector<std::string> brief(const std::vector<std::string>& all);

/// One captured exchange, from a file in data/.
struct captured
{
    std::string file;
    std::string method;
    std::string target;
    server::headers request_headers;
    std::string request_body;
    int status = 0;
    std::string content_type;
    std::vector<std::string> warnings;
    std::string body;
};
captured load_capture(const std::string& file);

/// Masks the parts of JSON that differ between runs: replaces uids, versions and times, drops managedFields.
std::string masked(std::string_view text);

} // namespace kubecoro::test
