#include "website_reconciler.hpp"

#include <kubecoro/api/typed_conditions.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/struct_edit.hpp>
#include <kubecoro/controller/finalizer.hpp>

#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

namespace kubecoro::website_operator {

namespace asio = boost::asio;

namespace {

/// Only the operator's own objects are kept in memory.
informer_options own_objects()
{
    informer_options out;
    out.label_selector = std::string(managed_by) + "=" + std::string(manager_name);
    return out;
}

object_key key_in(const typed_object<website>& site, std::string name)
{
    return object_key(site.ns(), std::move(name));
}

/// Whether the operator made the map. Its name is fixed, so a map of another owner can have it; that one is left alone.
bool is_catalogue(const core_v1::config_map& m)
{
    const auto label = m.metadata.labels.find(std::string(managed_by));
    return label != m.metadata.labels.end() && label->second == manager_name;
}

/// Names the sites whose entries others have changed or removed: the catalogue has no owner to be queued.
void name_lost_entries(const notification<object>& n, key_sink out)
{
    const auto* const change = std::get_if<updated<object>>(&n);
    if (!change && !std::holds_alternative<deleted<object>>(n)) return;
    const object& before = change ? change->before : object_of(n);
    if (before.name() != catalogue) return;
    // Sorted, as a search for each entry of a large map would take quadratic time.
    std::map<std::string_view, value_view> kept;
    const auto now = change ? change->after["data"] : value_view();
    for (const auto [site, url] : now.members()) kept.emplace(site, url);
    const auto entries = before["data"];
    for (const auto [site, url] : entries.members())
        if (const auto at = kept.find(site); at == kept.end() || at->second != url) out(before.ns(), site);
}

/// The reason that the condition Ready has for a failure that only people can end; empty for others.
std::string reason_for_people(const failure& why)
{
    if (why == cond::already_exists) return "NameTaken";
    return why == cond::invalid ? "Invalid" : "";
}

} // namespace

website_reconciler::website_reconciler(manager& m)
    : m_(&m),
      cluster_(m.client()),
      pages_(m.informer<core_v1::config_map>(own_objects()).lister()),
      deployments_(m.informer<apps_v1::deployment>(own_objects()).lister()),
      services_(m.informer<core_v1::service>(own_objects()).lister())
{
}

template<class T>
asio::awaitable<result<>> website_reconciler::bring(const typed_object<website>& site, const website& wanted,
                                                    const lister<T>& known, std::string name) const
{
    const auto key = key_in(site, std::move(name));
    edit_options how;
    how.known = known.get(key);
    const auto edit = [&](T& child) { return shape(site, wanted, child); };
    KUBECORO_TRY(co_await create_or_update<T>(cluster_, key, edit, std::move(how)));
    co_return result<>{};
}

asio::awaitable<result<>> website_reconciler::bring_all(const typed_object<website>& site, const website& wanted) const
{
    const std::string name(site.name());
    KUBECORO_TRY(check_name(name));
    KUBECORO_TRY(co_await bring(site, wanted, pages_, pages_name(name)));
    KUBECORO_TRY(co_await bring(site, wanted, deployments_, name));
    KUBECORO_TRY(co_await bring(site, wanted, services_, name));
    co_return co_await list_in_catalogue(site);
}

asio::awaitable<result<>> website_reconciler::list_in_catalogue(const typed_object<website>& site) const
{
    const auto key = key_in(site, std::string(catalogue));
    const std::string name(site.name());
    edit_options how;
    how.known = pages_.get(key);
    const auto edit = [&](core_v1::config_map& m) -> result<> {
        if (m.metadata.uid && !is_catalogue(m))
            return failure(cond::already_exists,
                           "ConfigMap " + std::string(catalogue) + " is not the operator's: rename or delete it");
        m.metadata.labels[std::string(managed_by)] = manager_name;
        m.data[name] = url_of(site.ns(), name);
        return {};
    };
    KUBECORO_TRY(co_await create_or_update<core_v1::config_map>(cluster_, key, edit, std::move(how)));
    co_return result<>{};
}

asio::awaitable<result<>> website_reconciler::report(const typed_object<website>& site, readiness now) const
{
    const auto at = m_->time()->wall_now();
    const auto edit = [&](website& s) {
        s.status.replicas = now.replicas;
        s.status.selector = pod_selector(site.name());
        s.status.url = url_of(site.ns(), site.name());
        status_condition ready{.type = "Ready", .status = now.ready ? "True" : "False"};
        ready.reason = now.reason;
        ready.message = now.message;
        ready.observed_generation = site.generation();
        set_condition(s, ready, at);
    };
    const auto written = co_await edit_status<website>(cluster_, site, edit);
    // Deleted in the meantime: nothing is left to say.
    if (!written && written.error() != cond::not_found) co_return written.error();
    co_return result<>{};
}

asio::awaitable<result<action>> website_reconciler::reconcile(const typed_object<website>& site,
                                                              reconcile_context& context) const
{
    KUBECORO_TRY(const auto wanted, read_struct<website>(site));
    const auto brought = co_await bring_all(site, wanted);
    const auto reason = brought ? std::string() : reason_for_people(brought.error());
    if (!reason.empty()) {
        // A change of the website tries again.
        const auto why = brought.error().message();
        m_->events().event(site.untyped(), event_type::warning, reason, "Reconcile", why);
        context.log().warning("a website cannot be served", {{"reason", reason}, {"why", why}});
        KUBECORO_TRY(co_await report(site, {.ready = false, .replicas = 0, .reason = reason, .message = why}));
        co_return action::requeue_after(std::chrono::minutes{1});
    }
    if (!brought) co_return brought.error();
    KUBECORO_TRY(co_await report(site, readiness_of(wanted, deployments_.get(site.key()))));
    co_return action::done();
}

asio::awaitable<result<action>> website_reconciler::clean_up(const typed_object<website>& site) const
{
    const auto key = key_in(site, std::string(catalogue));
    const std::string name(site.name());
    const auto edit = [&](core_v1::config_map& m) {
        if (is_catalogue(m)) m.data.erase(name);
    };
    const auto removed = co_await retry_on_conflict<core_v1::config_map>(cluster_, key, edit);
    if (!removed && removed.error() != cond::not_found) co_return removed.error();
    co_return action::done();
}

void add_websites(manager& m, const website_options& options)
{
    const auto kept = std::make_shared<const website_reconciler>(m);
    control_options how;
    how.name = "websites";
    how.running.workers = options.workers;
    how.running.deadline = options.deadline;
    m.control<website>(with_finalizer<website>(
                           m.client(), std::string(finalizer),
                           [kept](const auto& site, reconcile_context& c) { return kept->reconcile(site, c); },
                           [kept](const auto& site, reconcile_context&) { return kept->clean_up(site); }),
                       std::move(how))
        .owns<core_v1::config_map>()
        .owns<apps_v1::deployment>()
        .owns<core_v1::service>()
        .watches<core_v1::config_map>(enqueue(name_lost_entries))
        .writes<core_v1::config_map>({"get", "create", "update", "patch"})
        .writes<apps_v1::deployment>({"get", "create", "update", "patch"})
        .writes<core_v1::service>({"get", "create", "update", "patch"})
        .writes<website>({"get", "patch"}); // its finalizer, and reads after a conflict
    m.needs<website>({"patch"}, "status");
    m.needs<website>({"update"}, "finalizers"); // owner references that block its deletion
    (void)m.events();
}

} // namespace kubecoro::website_operator
