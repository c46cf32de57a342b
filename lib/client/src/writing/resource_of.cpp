// Resources by kind.
#include "rest/client_state.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/client/writing.hpp>

#include <string>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;
namespace schemas = detail::builtin_schemas;

namespace {

std::optional<resource_type> builtin_resource(const std::string& api_version, const std::string& kind)
{
    const auto* known = schemas::find(api_version, kind);
    if (!known || known->resource == 0) return std::nullopt;
    const auto gv = group_version::parse(api_version);
    return resource_type{gv.group, gv.version, std::string(schemas::text(known->resource)), kind, known->namespaced};
}

asio::awaitable<result<resource_type>> discover_kind(client c, std::string api_version, std::string kind)
{
    const auto gv = group_version::parse(api_version);
    KUBECORO_TRY(const auto found, co_await all_resources(std::move(c)));
    for (const auto& r : found)
        if (r.type.kind == kind && r.type.group == gv.group && r.type.version == gv.version) co_return r.type;
    co_return failure(cond::not_found, "the server has no resource for kind \"" + printable(kind) + "\" of \"" +
                                           printable(api_version) + "\"");
}

asio::awaitable<result<resource_type>> find_kind(client c, std::shared_ptr<client::state> state,
                                                 std::string api_version, std::string kind)
{
    if (auto known = builtin_resource(api_version, kind)) co_return *std::move(known);
    const auto name = api_version + " " + kind;
    if (auto known = state->known_resource(name)) co_return *std::move(known);
    auto found = co_await discover_kind(std::move(c), std::move(api_version), std::move(kind));
    state->note_resource(name, found);
    co_return found;
}

} // namespace

asio::awaitable<result<resource_type>> client::resource_of(kept_text api_version, kept_text kind) const
{
    return catch_failure(find_kind(*this, state_, std::move(api_version), std::move(kind)));
}

} // namespace kubecoro
