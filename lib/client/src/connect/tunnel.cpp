#include "connect/tunnel.hpp"

#include <kubecoro/base/try.hpp>

#include <array>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;

asio::awaitable<result<>> open_tunnel(byte_stream& through, tunnel_core& core, std::string proxy_name)
{
    std::array<char, 2048> buffer;
    auto text = core.begin();
    for (;;) {
        if (!text.empty()) {
            KUBECORO_TRY(co_await through.write(text));
        }
        KUBECORO_TRY(const auto n, co_await through.read_some(buffer.data(), buffer.size()));
        if (n == 0) co_return failure(cond::unreachable, proxy_name + " closed the connection without a response");
        KUBECORO_TRY(auto next, core.feed({buffer.data(), n}));
        if (next.open) co_return result<>{};
        text = std::move(next.send);
    }
}

} // namespace kubecoro::detail
