// Applies definitions and waits for them.
#include "helpers/definition_core.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/follow_object.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/controller/install_crds.hpp>

#include <boost/json/value.hpp>

#include <utility>

namespace asio = boost::asio;
namespace json = boost::json;

namespace kubecoro {
using namespace detail;
namespace {

/// For one definition: a server needs about a second.
constexpr duration longest_wait = std::chrono::seconds{30};

resource_type definitions_type() { return untyped::custom_resource_definition::resource(); }

result<std::string> name_of(const json::value& definition)
{
    const auto* o = definition.if_object();
    const auto* kind = detail::member_in(definition, "kind");
    const auto* name = o ? find_field(*o, "metadata", "name") : nullptr;
    if (!kind || *kind != "CustomResourceDefinition" || !name || !name->is_string())
        return failure(cond::invalid, "not a CustomResourceDefinition with a name");
    return std::string(name->get_string());
}

/// One definition that is to be ready.
struct awaited_definition
{
    client cluster;
    std::string name;
    /// As last seen.
    object last = {};
};

asio::awaitable<result<>> wait_until_ready(awaited_definition& d)
{
    return follow_object(
        d.cluster, definitions_type(), {"", d.name}, [&d](const object& seen) -> std::optional<result<>> {
            if (!seen) return failure(cond::not_found, "the definition \"" + printable(d.name) + "\" was deleted");
            d.last = seen;
            return readiness_of(seen);
        });
}

asio::awaitable<result<object>> ready_within(awaited_definition d, duration limit)
{
    const auto title = "wait for the definition \"" + printable(d.name) + "\"";
    const auto ended = co_await with_timeout(d.cluster.time(), limit, title, wait_until_ready(d));
    if (ended) co_return d.last;
    if (ended.error() == cond::timed_out && d.last) co_return ended.error().because(missing_condition(d.last));
    co_return ended.error();
}

asio::awaitable<result<>> check_all(client cluster, const std::vector<json::value>& definitions, bool allow_downgrade)
{
    for (const auto& wanted : definitions) {
        KUBECORO_TRY(auto name, name_of(wanted));
        if (allow_downgrade) continue;
        KUBECORO_TRY(const auto present,
                     co_await get_or_none(cluster, definitions_type(), object_key("", std::move(name))));
        if (!present) continue;
        KUBECORO_TRY(check_upgrade(present, wanted.get_object()));
    }
    co_return result<>{};
}

asio::awaitable<result<std::vector<object>>> install_all(client cluster, std::vector<json::value> definitions,
                                                         install_options how)
{
    KUBECORO_TRY(co_await check_all(cluster, definitions, how.allow_downgrade));
    write_options applied;
    applied.field_manager = how.field_manager.empty() ? "kubecoro" : how.field_manager;
    applied.force = true;
    std::vector<std::string> names;
    for (const auto& wanted : definitions) {
        KUBECORO_TRY(auto name, name_of(wanted));
        KUBECORO_TRY(co_await cluster.apply(definitions_type(), "", name, wanted, applied));
        names.push_back(std::move(name));
    }
    std::vector<object> ready;
    for (auto& name : names) {
        awaited_definition d{cluster, std::move(name)};
        KUBECORO_TRY(auto stored, co_await ready_within(std::move(d), longest_wait));
        ready.push_back(std::move(stored));
    }
    co_return ready;
}

} // namespace

asio::awaitable<result<std::vector<object>>> install_crds(client cluster, std::vector<json::value> definitions,
                                                          install_options how)
{
    return catch_failure(install_all(std::move(cluster), std::move(definitions), std::move(how)));
}

} // namespace kubecoro
