#pragma once
// Peers that swallow packets, without privileges: a filter of the kernel drops whatever arrives at a socket.

#include <cstdint>
#include <string>

namespace kubecoro::test {

/// Nothing that arrives is acknowledged from now on.
void drop_whatever_arrives(int socket);

/// Listens and never completes a connection.
class silent_listener
{
public:
    silent_listener(const std::string& address, std::uint16_t port);
    ~silent_listener();
    silent_listener(const silent_listener&) = delete;
    silent_listener& operator=(const silent_listener&) = delete;

private:
    int socket_;
};

} // namespace kubecoro::test
