// An embedded server that runs on its own threads, for blocking tests.
#pragma once

#include <kubecoro/apiserver/server.hpp>

#include <memory>
#include <string>

namespace kubecoro::apiserver {

inline constexpr const char* admin_token = "admin-token";
inline constexpr const char* admin_header = "Authorization: Bearer admin-token\r\n";

/// Runs on two threads, with an administrator's token and a user `reader` (`reader-token`) who may get config maps.
class running_server
{
public:
    explicit running_server(listener_options endpoint = {}, server_options options = {});
    ~running_server();

    [[nodiscard]] const embedded_server::endpoint& at() const;
    [[nodiscard]] embedded_server& server();
    /// Runs embedded_server::execute() to its end.
    result<std::string> execute(std::string method, std::string target, std::string body = {});
    result<embedded_server::endpoint> listen(listener_options endpoint);
    void stop();
    void compact();
    /// Waits until the condition on the counters holds, for at most 30 s.
    bool eventually(bool (*reached)(const server_counters&));

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Generated once per program, because generating keys is slow with sanitizers.
[[nodiscard]] const tls_identity& test_identity();
[[nodiscard]] listener_options with_tls();
[[nodiscard]] std::string config_map(const std::string& name, const std::string& value = "1");

} // namespace kubecoro::apiserver
