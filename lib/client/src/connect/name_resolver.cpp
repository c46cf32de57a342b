#include "connect/name_resolver.hpp"

#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/error.hpp>

#include <cerrno>
#include <exception>
#include <netdb.h>
#include <sys/socket.h>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

lookup_result call(const blocking_lookup& lookup, const std::string& name)
{
    try {
        return lookup(name);
    } catch (const std::exception& e) {
        return failure(cond::internal, "look up " + name + ": " + e.what());
    }
}

} // namespace

name_resolver::name_resolver(std::shared_ptr<time_source> time, blocking_lookup lookup)
    : time_(std::move(time)), lookup_(std::move(lookup))
{
}

asio::awaitable<lookup_result> name_resolver::resolve(std::string name)
{
    auto claimed = claim_result(name);
    if (claimed.known) co_return std::move(*claimed.known);
    KUBECORO_TRY(co_await claimed.wait_for->wait());
    settle(name, claimed.wait_for);
    co_return claimed.wait_for->outcome()->found;
}

name_resolver::claim name_resolver::claim_result(const std::string& name)
{
    // The waiters that began it may have left: its result is then recorded here.
    std::shared_ptr<running> before;
    {
        const std::lock_guard lock(mutex_);
        if (const auto at = running_.find(name); at != running_.end()) before = at->second;
    }
    if (before) settle(name, before);
    const std::lock_guard lock(mutex_);
    auto next = core_.ask(name, time_->now());
    if (auto* known = std::get_if<lookup_result>(&next)) return {std::move(*known), nullptr};
    if (std::holds_alternative<lookup_core::join>(next)) return {std::nullopt, running_.at(name)};
    try {
        return begin(name);
    } catch (...) {
        core_.on_no_begin(name);
        throw;
    }
}

name_resolver::claim name_resolver::begin(const std::string& name)
{
    KUBECORO_EXPECT(mutex_.held_here());
    auto begun = running::start("look up " + name, [name, lookup = lookup_, time = time_] {
        auto found = call(lookup, name);
        return outcome{std::move(found), time->now()};
    });
    if (begun) return {std::nullopt, running_[name] = *begun};
    core_.on_result(name, begun.error(), time_->now());
    return {begun.error(), nullptr};
}

void name_resolver::settle(const std::string& name, const std::shared_ptr<running>& ended)
{
    const std::lock_guard lock(mutex_);
    const auto at = running_.find(name);
    const auto done = ended->outcome();
    if (!done || at == running_.end() || at->second != ended) return;
    core_.on_result(name, done->found, done->when);
    running_.erase(at);
}

namespace {

/// More addresses than a client would ever try.
constexpr std::size_t most_addresses = 64;

failure lookup_failure(int error, const std::string& name)
{
    const auto doing = "look up " + name;
    switch (error) {
    case EAI_AGAIN:
        return {make_error_code(boost::asio::error::host_not_found_try_again), doing};
    case EAI_NONAME:
        return {make_error_code(boost::asio::error::host_not_found), doing};
    case EAI_SYSTEM:
        return {boost::system::error_code(errno, boost::system::system_category()), doing};
    default:
        return failure(cond::unreachable, doing + ": " + ::gai_strerror(error));
    }
}

lookup_result look_up(const std::string& name)
{
    ::addrinfo hints = {};
    hints.ai_socktype = SOCK_STREAM;
    ::addrinfo* first = nullptr;
    const int error = ::getaddrinfo(name.c_str(), nullptr, &hints, &first);
    if (error != 0) return lookup_failure(error, name);
    const std::unique_ptr<::addrinfo, decltype(&::freeaddrinfo)> all(first, ::freeaddrinfo);
    std::vector<std::string> addresses;
    for (const auto* one = first; one && addresses.size() < most_addresses; one = one->ai_next) {
        char text[NI_MAXHOST];
        if (::getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0)
            addresses.emplace_back(text);
    }
    return addresses;
}

} // namespace

blocking_lookup system_lookup() { return look_up; }

} // namespace kubecoro::detail
