#include "serve/certificate_keeper.hpp"

#include <kubecoro/api/bytes.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/follow_object.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace kubecoro::detail {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

resource_type secret_type() { return {"", "v1", "secrets", "Secret"}; }

std::string decoded(std::string_view base64)
{
    auto out = bytes::from_base64(base64);
    return out ? std::move(out->data) : std::string();
}

certificate_secret content_of(const object& secret)
{
    std::map<std::string, std::string> data;
    for (const auto [name, value] : secret["data"].members())
        data.emplace(std::string(name), decoded(value.as_string()));
    return certificate_secret::read(data);
}

/// Whether it has a certificate, and has never had an authority.
bool is_of_others(const object& secret)
{
    const auto data = secret["data"];
    return !data["tls.crt"].as_string().empty() && data["signer.crt"].kind() == value_kind::absent;
}

const json::value* bundle_at(const json::object& definition)
{
    return find_field(definition, "spec", "conversion", "webhook", "clientConfig", "caBundle");
}

std::string text(const json::value* base64)
{
    return base64 != nullptr && base64->is_string() ? decoded(std::string_view(base64->get_string())) : std::string();
}

/// The bundle of the first webhook of a configuration.
std::string first_bundle(const json::object& configuration)
{
    const auto* all = array_in(configuration, "webhooks");
    if (all == nullptr || all->empty()) return {};
    return text(member_in(member_in(all->front(), "clientConfig"), "caBundle"));
}

} // namespace

certificate_keeper::certificate_keeper(settings with, const hook_table& table)
    : with_(std::move(with)), table_(table), core_(with_.rules)
{
}

bool certificate_keeper::has_hooks(bool mutating) const
{
    return std::ranges::any_of(table_.hooks(), [&](const hook_entry& h) { return h.mutates == mutating; });
}

asio::awaitable<result<>> certificate_keeper::run()
{
    auto next = core_.begin();
    for (std::optional<rotation_core::identity> shown;;) {
        if (const auto* pause = std::get_if<rotation_core::wait>(&next)) {
            KUBECORO_TRY(co_await wait(pause->length));
            next = core_.begin();
        }
        next = co_await perform(std::move(next));
        if (const auto& now = core_.serving(); now && now != shown) {
            shown = now;
            with_.serve(*now);
        }
    }
}

asio::awaitable<result<>> certificate_keeper::wait(duration length)
{
    const auto until = time_after(with_.time->now(), length);
    if (last_problem_.empty()) {
        const auto is_new = [seen = secret_](const object& now) -> std::optional<result<>> {
            const bool same = now && seen ? now.resource_version() == seen.resource_version() : !now && !seen;
            return same ? std::optional<result<>>() : result<>();
        };
        const object_key key(with_.place.ns, with_.secret);
        const auto changed = co_await with_timeout(*with_.time, length, "watch the Secret of the webhooks",
                                                   follow_object(with_.cluster, secret_type(), key, is_new));
        if (changed || changed.error() == cond::cancelled) co_return changed;
    }
    // As long as it takes, also if the Secret may not be watched.
    co_return co_await sleep_for(*with_.time, until - with_.time->now());
}

asio::awaitable<rotation_core::step> certificate_keeper::perform(rotation_core::step next)
{
    result<> done;
    if (std::holds_alternative<rotation_core::read>(next)) {
        auto found = co_await catch_failure(read());
        if (!found) done = found.error();
        next = core_.have_read(found, with_.time->wall_now());
    } else if (auto* content = std::get_if<rotation_core::write>(&next)) {
        done = co_await catch_failure(store(content->content));
        if (done) with_.log.info("the Secret of the webhooks was written", {{"with", content->what}});
        next = core_.have_written(done);
    } else if (auto* bundle = std::get_if<rotation_core::publish>(&next)) {
        done = co_await catch_failure(publish(std::move(bundle->bundle)));
        next = core_.have_written(done);
    }
    auto problem = done || done.error() == cond::cancelled ? std::string() : done.error().describe();
    if (!problem.empty() && problem != last_problem_)
        with_.log.warning("the certificates of the webhooks wait", {{"problem", problem}});
    last_problem_ = std::move(problem);
    co_return next;
}

void certificate_keeper::note(const object& stored, std::string has,
                              const std::function<void(json::object&, const std::string&)>& settle,
                              rotation_core::picture& out)
{
    const auto is = stored ? stored.to_json().get_object() : json::object();
    const auto wanted = out.stored ? out.stored->bundle : std::string();
    auto settled = is;
    settle(settled, wanted);
    if (settled == is)
        has = wanted;
    else if (has == wanted)
        has.clear(); // something else is to be written
    out.bundles.push_back(std::move(has));
}

void certificate_keeper::settle_definition(json::object& definition, const std::string& bundle) const
{
    if (with_.install)
        field(definition, "spec", "conversion") = conversion_of(with_.place, bundle);
    else if (find_field(definition, "spec", "conversion", "webhook") != nullptr)
        field(definition, "spec", "conversion", "webhook", "clientConfig", "caBundle") = bytes(bundle).base64();
}

asio::awaitable<result<rotation_core::picture>> certificate_keeper::read()
{
    const auto& at = with_.place;
    KUBECORO_TRY(secret_, co_await get_or_none(with_.cluster, secret_type(), {at.ns, with_.secret}));
    rotation_core::picture out;
    if (secret_ && is_of_others(secret_))
        co_return failure(cond::misconfigured,
                          "the Secret " + to_string(object_key(at.ns, with_.secret)) +
                              " has a certificate of others: webhooks_options::secret must differ");
    if (secret_) out.stored = content_of(secret_);
    for (const bool mutating : {true, false}) {
        if (!has_hooks(mutating)) continue;
        KUBECORO_TRY(auto stored, co_await get_or_none(with_.cluster, configuration_type(mutating), {"", at.name}));
        if (!stored && !with_.install) continue;
        auto bundle = stored ? first_bundle(stored.to_json().get_object()) : std::string();
        const auto settle = [&](json::object& o, const std::string& b) {
            settle_configuration(o, configuration(mutating, table_.hooks(), at, b), !with_.install);
        };
        note(stored, std::move(bundle), settle, out);
    }
    for (const auto& hub : table_.converted()) {
        KUBECORO_TRY(auto stored, co_await get_or_none(with_.cluster, definition_type(), {"", definition_name(hub)}));
        if (!stored) continue; // it is applied later
        const auto settle = [&](json::object& o, const std::string& b) { settle_definition(o, b); };
        note(stored, text(bundle_at(stored.to_json().get_object())), settle, out);
    }
    co_return out;
}

asio::awaitable<result<>> certificate_keeper::store(certificate_secret content)
{
    auto body = secret_ ? secret_.to_json().get_object() : new_object(secret_type(), {with_.place.ns, with_.secret});
    if (!secret_) body["type"] = "kubernetes.io/tls";
    auto& data = body["data"];
    if (!data.is_object()) data = json::object();
    for (const auto& [name, value] : content.data()) data.get_object()[name] = bytes(value).base64();
    if (secret_) {
        KUBECORO_TRY(co_await with_.cluster.update(secret_type(), with_.place.ns, with_.secret, json::value(body)));
    } else {
        KUBECORO_TRY(co_await with_.cluster.create(secret_type(), with_.place.ns, json::value(body)));
    }
    co_return result<>();
}

asio::awaitable<result<>> certificate_keeper::publish(std::string bundle)
{
    for (const bool mutating : {true, false}) {
        if (!has_hooks(mutating)) continue;
        const auto wanted = configuration(mutating, table_.hooks(), with_.place, bundle);
        const object_key key("", with_.place.name);
        const auto settle = [&](json::object& o) { settle_configuration(o, wanted, !with_.install); };
        const auto type = configuration_type(mutating);
        auto done = with_.install ? co_await create_or_update(with_.cluster, type, key, settle)
                                  : co_await retry_on_conflict(with_.cluster, type, key, settle);
        if (!done && (with_.install || done.error() != cond::not_found)) co_return done.error();
    }
    for (const auto& hub : table_.converted()) {
        const auto settle = [&](json::object& o) { settle_definition(o, bundle); };
        auto done = co_await retry_on_conflict(with_.cluster, definition_type(), {"", definition_name(hub)}, settle);
        if (!done && done.error() != cond::not_found) co_return done.error();
    }
    co_return result<>();
}

} // namespace kubecoro::detail
