// An embedded server on threads of its own, for blocking tests.
#pragma once

#include <kubecoro/apiserver/server.hpp>

#include <memory>
#include <string>

namespace kubecoro::apiserver {

inline constexpr const char* admin_token = "admin-token";
inline constexpr const char* admin_header = "Authorization: Bearer admin-token\r\n";

/// Two threads, an admin's token, and a user `reader` with the token `reader-token` who may look at config maps.
class running_server
{
public:
    explicit running_server(endpoint_options endpoint = {}, server_options options = {});
    ~running_server();

    [[nodiscard]] const bound_endpoint& at() const;
    [[nodiscard]] embedded_server& server();
    /// Runs an awaitable of the server to its end.
    result<std::string> execute(std::string method, std::string target, std::string body = {});
    result<bound_endpoint> listen(endpoint_options endpoint);
    void stop();
    void compact();
    /// Waits until the counters say so, for at most five seconds.
    bool eventually(bool (*reached)(const server_counters&));

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Made once per program: keys take a while under sanitizers.
[[nodiscard]] const tls_identity& test_identity();
[[nodiscard]] endpoint_options with_tls();
[[nodiscard]] std::string config_map(const std::string& name, const std::string& value = "1");

} // namespace kubecoro::apiserver
