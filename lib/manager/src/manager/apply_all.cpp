#include <kubecoro/manager/apply_all.hpp>

#include "manager/manager_engine.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Marks what an owner has made.
constexpr const char* owner_label = "app.kubernetes.io/managed-by";

/// Interval at which a deletion is looked at again that a stale result holds up: nothing tells when it is no longer stale.
constexpr auto look_again = std::chrono::seconds{10};

/// The state that the runs of one apply_all() share.
struct applying
{
    client cluster;
    desired_objects desired;
    lister<object> owned;
    apply_all_options options;

    [[nodiscard]] bool is_ours(const object& o) const { return o.labels()[owner_label].as_string() == options.owner; }
};

asio::awaitable<result<action>> remove_one(std::shared_ptr<const applying> with, const object& present)
{
    if (with->desired.stale()) co_return action::requeue_after(look_again);
    const object_key key(present.key());
    const auto gone =
        co_await with->cluster.remove(with->desired.resource, key.ns, key.name, {.uid = std::string(present.uid())});
    if (!gone && gone.error() != cond::not_found) co_return gone.error();
    co_return action::done();
}

asio::awaitable<result<action>> apply_one(std::shared_ptr<const applying> with, const object_key& key, std::string body)
{
    const auto& type = with->desired.resource;
    if (!with->owned.get(key)) {
        // The informer has what is ours alone, and may be behind.
        KUBECORO_TRY(const auto present, co_await get_or_none(with->cluster, type, key));
        if (present && !with->is_ours(present))
            co_return failure(cond::conflict, type.display_name() + " " + to_string(key) + " exists, and is not of " +
                                                  with->options.owner);
    }
    auto json = boost::json::parse(body).as_object();
    set_label(json, owner_label, with->options.owner);
    KUBECORO_TRY(co_await with->cluster.apply(type, key.ns, key.name, json_text(boost::json::serialize(json)),
                                              {.field_manager = with->options.owner, .force = with->options.force}));
    co_return action::done();
}

asio::awaitable<result<action>> reconcile_desired(std::shared_ptr<const applying> with, const object_key& key)
{
    KUBECORO_TRY(co_await with->desired.synced());
    auto body = with->desired.body(key);
    if (body) co_return co_await apply_one(with, key, *std::move(body));
    const auto present = with->owned.get(key);
    if (!present) co_return action::done();
    co_return co_await remove_one(with, present);
}

} // namespace

managed_controller apply_desired(manager& m, desired_objects what, apply_all_options options)
{
    if (options.owner.empty()) throw error(failure(cond::misconfigured, "apply_all() needs apply_all_options::owner"));
    const label_selector ours({{owner_label, label_selector::op::equals, {options.owner}}});
    const auto type = what.resource;
    const auto owned = m.informers().get(type, {.label_selector = ours.to_string()});
    m.needs(type, {"list", "watch", "get", "patch", "delete"});
    auto control = std::move(options.control);
    if (control.name.empty()) control.name = options.owner;
    const auto with = std::make_shared<const applying>(applying{
        .cluster = m.client(), .desired = std::move(what), .owned = owned.lister(), .options = std::move(options)});
    auto made = m.control_keys(
        [with](const object_key& key, reconcile_context&) { return reconcile_desired(with, key); }, std::move(control));
    made.watch(owned, enqueue_object());
    return made;
}

} // namespace kubecoro::detail
