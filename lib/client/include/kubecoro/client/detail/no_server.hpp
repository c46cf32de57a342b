#pragma once

#include <kubecoro/client/transport.hpp>

#include <memory>

namespace kubecoro::detail {

/// For programs that only say what they need: every request fails.
class no_server final : public transport
{
public:
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request) override
    {
        co_return failure(cond::unreachable, "there is no server to ask: only rights are printed");
    }
};

} // namespace kubecoro::detail
