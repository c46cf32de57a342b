#pragma once
// Peers that drop packets, without privileges: a kernel filter drops everything that arrives at a socket.

#include <cstdint>
#include <string>

namespace kubecoro::test {

/// From now on nothing that arrives is acknowledged.
void drop_whatever_arrives(int socket);

/// Listens but never completes a connection.
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
