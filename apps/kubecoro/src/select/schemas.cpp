#include "select/schemas.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/discovery.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t deepest = 200;

} // namespace

asio::awaitable<result<json::value>> fetch_schemas(client api, resource_type type)
{
    KUBECORO_TRY(auto index, co_await list_openapi(api));
    const std::string name = type.path_prefix().substr(1);
    const auto found = std::find_if(index.begin(), index.end(), [&](const auto& d) { return d.name == name; });
    if (found == index.end())
        co_return failure(cond::not_found, "the server publishes no schemas of " + printable(type.api_version()));
    KUBECORO_TRY(auto text, co_await get_openapi(api, *found));
    json::parse_options limits;
    limits.max_depth = deepest;
    boost::system::error_code ec;
    auto document = json::parse(text, ec, {}, limits);
    if (ec) co_return failure(cond::corrupt, "the schemas are not JSON").with_request("GET", found->target);
    co_return document;
}

} // namespace kubecoro::tool
