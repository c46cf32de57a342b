#include "silence.hpp"

#include <stdexcept>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kubecoro::test {

namespace {

void must(bool good, const char* what)
{
    if (!good) throw std::runtime_error(what);
}

} // namespace

void drop_whatever_arrives(int socket)
{
    ::sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
    const ::sock_fprog program{1, &nothing};
    must(::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0, "SO_ATTACH_FILTER");
}

silent_listener::silent_listener(const std::string& address, std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    must(socket_ >= 0, "socket");
    ::sockaddr_in where = {};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    must(::inet_pton(AF_INET, address.c_str(), &where.sin_addr) == 1, "inet_pton");
    must(::bind(socket_, reinterpret_cast<const ::sockaddr*>(&where), sizeof where) == 0, "bind");
    must(::listen(socket_, 1) == 0, "listen");
    drop_whatever_arrives(socket_);
}

silent_listener::~silent_listener() { ::close(socket_); }

} // namespace kubecoro::test
