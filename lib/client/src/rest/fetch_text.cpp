#include "rest/fetch_text.hpp"

#include "rest/client_state.hpp"

#include <kubecoro/base/try.hpp>

#include <utility>

namespace kubecoro::detail {

boost::asio::awaitable<result<std::string>> fetch_text(client c, std::string target)
{
    auto s = client_access::state_of(c);
    request r;
    r.method = "GET";
    r.target = std::move(target);
    KUBECORO_TRY(auto got, co_await s->accepted_text(r));
    auto body = co_await s->read_all(*got, s->options.limits.max_answer_bytes);
    if (!body) co_return body.error().with_request(r.method, r.target);
    co_return body;
}

} // namespace kubecoro::detail
