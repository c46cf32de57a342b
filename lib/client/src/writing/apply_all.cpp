// Applies the objects of manifests, and finds the resources of their kinds.
#include "rest/client_state.hpp"

#include <kubecoro/api/detail/schema.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/discovery.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace kubecoro {

namespace asio = boost::asio;
namespace schemas = detail::builtin_schemas;
namespace json = boost::json;

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
    KUBECORO_TRY(const auto found, co_await discover(std::move(c)));
    for (const auto& r : found.resources)
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

namespace {

constexpr auto establishment_limit = std::chrono::seconds{30};
constexpr auto discovery_limit = std::chrono::seconds{10};
constexpr auto between_looks = std::chrono::milliseconds{200};

std::string text_at(const json::object& o, std::initializer_list<std::string_view> path)
{
    const auto* text = find_field(o, path);
    return text && text->is_string() ? std::string(text->get_string()) : std::string();
}

std::string described(const json::value& wanted)
{
    if (!wanted.is_object()) return "a manifest that is no object";
    const auto& o = wanted.get_object();
    const object_key key(text_at(o, {"metadata", "namespace"}), text_at(o, {"metadata", "name"}));
    return printable(text_at(o, {"kind"})) + " \"" + printable(to_string(key)) + "\"";
}

bool is_definition(const object& o)
{
    return o.kind() == "CustomResourceDefinition" && o.api_version().starts_with("apiextensions.k8s.io/");
}

asio::awaitable<result<>> look_until_established(client c, resource_type definitions, std::string name)
{
    for (;;) {
        KUBECORO_TRY(const auto seen, co_await c.get(definitions, "", name));
        if (find_condition(seen, "Established")["status"].as_string() == "True") co_return result<>{};
        KUBECORO_TRY(co_await sleep_for(c.time(), between_looks));
    }
}

/// A server that has established a definition may take a while until its discovery says so.
asio::awaitable<result<resource_type>> look_until_served(client c, std::string api_version, std::string kind)
{
    for (;;) {
        auto found = co_await c.resource_of(api_version, kind);
        if (found || found.error() != cond::not_found) co_return found;
        KUBECORO_TRY(co_await sleep_for(c.time(), between_looks));
    }
}

asio::awaitable<result<resource_type>> resource_for(client c, const json::object& o, bool may_be_new)
{
    auto found = co_await c.resource_of(text_at(o, {"apiVersion"}), text_at(o, {"kind"}));
    if (found || found.error() != cond::not_found || !may_be_new) co_return found;
    auto served = co_await with_timeout(c.time(), discovery_limit, "find the kind",
                                        look_until_served(c, text_at(o, {"apiVersion"}), text_at(o, {"kind"})));
    if (!served && served.error() == cond::timed_out) co_return found;
    co_return served;
}

bool is_named(const json::object& o)
{
    return !text_at(o, {"kind"}).empty() && !text_at(o, {"apiVersion"}).empty() &&
           !text_at(o, {"metadata", "name"}).empty();
}

/// @param type        Set as soon as it is known.
/// @param may_be_new  A definition was applied just before.
asio::awaitable<result<object>> apply_one(client c, const json::value& wanted, resource_type& type, write_options how,
                                          std::string ns, bool may_be_new)
{
    const auto* o = wanted.if_object();
    if (!o || !is_named(*o))
        co_return failure(cond::invalid, "an object to apply needs kind, apiVersion and metadata.name");
    KUBECORO_TRY(type, co_await resource_for(c, *o, may_be_new));
    std::string target = type.namespaced ? text_at(*o, {"metadata", "namespace"}) : std::string();
    if (type.namespaced && target.empty()) target = std::move(ns);
    KUBECORO_TRY(auto stored, co_await c.apply(type, target, text_at(*o, {"metadata", "name"}), wanted, how));
    if (is_definition(stored) && !how.dry_run) {
        KUBECORO_TRY(co_await with_timeout(c.time(), establishment_limit, "establish the definition",
                                           look_until_established(c, type, std::string(stored.name()))));
    }
    co_return stored;
}

asio::awaitable<result<>> apply_in_order(client c, std::vector<json::value> objects, write_options how, std::string ns,
                                         std::function<bool(const applied_manifest&)> done)
{
    if (ns.empty()) ns = c.default_namespace();
    order_manifests(objects);
    bool has_definitions = false;
    for (const auto& o : objects) {
        resource_type type;
        const auto stored = co_await apply_one(c, o, type, how, ns, has_definitions);
        if (!stored && stored.error() == cond::cancelled) co_return stored.error();
        // A dry run creates no kinds that could appear.
        has_definitions |= stored && !how.dry_run && is_definition(*stored);
        if (!done(applied_manifest{o, type, stored})) break;
    }
    co_return result<>{};
}

asio::awaitable<result<std::vector<object>>> apply_until_failure(client c, std::vector<json::value> objects,
                                                                 write_options how, std::string ns)
{
    std::vector<object> stored;
    std::optional<failure> wrong;
    const std::function<bool(const applied_manifest&)> keep = [&](const applied_manifest& one) {
        if (one.stored)
            stored.push_back(*one.stored);
        else
            wrong = one.stored.error().because("cannot apply " + described(one.wanted));
        return !wrong;
    };
    KUBECORO_TRY(co_await apply_in_order(std::move(c), std::move(objects), std::move(how), std::move(ns), keep));
    if (wrong) co_return *wrong;
    co_return stored;
}

} // namespace

asio::awaitable<result<std::vector<object>>> apply_all(client c, std::vector<json::value> objects, write_options how,
                                                       kept_text ns)
{
    return catch_failure(apply_until_failure(std::move(c), std::move(objects), std::move(how), std::move(ns)));
}

asio::awaitable<result<>> apply_each(client c, std::vector<json::value> objects, write_options how, kept_text ns,
                                     std::function<bool(const applied_manifest&)> done)
{
    return catch_failure(
        apply_in_order(std::move(c), std::move(objects), std::move(how), std::move(ns), std::move(done)));
}

} // namespace kubecoro
