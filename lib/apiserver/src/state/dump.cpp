// Writes the state as text and restores it, so that a server can continue after a restart.
#include "objects/stored_object.hpp"
#include "schema/defaults.hpp"
#include "state/garbage_collector.hpp"
#include "state/resource_store.hpp"
#include "state/role_aggregator.hpp"
#include "state/service_allocator.hpp"
#include "text/json_text.hpp"

#include <kubecoro/apiserver/detail/cluster_state_core.hpp>

#include <algorithm>
#include <charconv>

namespace kubecoro::apiserver {
namespace {

constexpr std::string_view format_name = "kubecoro cluster state 1";

bool is_definition(const resource_store& store) { return store.info.behaves == builtin::custom_resource_definition; }

/// The second form of events follows from the first.
bool is_mirror(const resource_store& store)
{
    return store.info.behaves == builtin::event && !store.info.group.empty();
}

std::optional<std::uint64_t> version_at(const json::value& v, std::string_view path)
{
    const auto text = text_at(v, path);
    std::uint64_t version = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (text.empty() || ec != std::errc{} || end != text.data() + text.size()) return {};
    return version;
}

bool is_established(const json::value& crd)
{
    const auto* conditions = array_at(crd, "status.conditions");
    return conditions && std::any_of(conditions->begin(), conditions->end(), [](const auto& c) {
               return text_at(c, "type") == "Established" && text_at(c, "status") == "True";
           });
}

} // namespace

std::string cluster_state_core::dump() const
{
    std::string out =
        R"({"format":)" + quote(format_name) + R"(,"resourceVersion":")" + std::to_string(*version_) + "\"}\n";
    const auto write = [&](const resource_store& store) {
        for (const auto& [key, object] : store.objects())
            out += R"({"resource":)" + quote(store.info.display_name()) + R"(,"object":)" + object->text + "}\n";
    };
    // Definitions first: they declare the resources of other objects.
    for (const auto& [key, store] : stores_)
        if (is_definition(*store)) write(*store);
    for (const auto& [key, store] : stores_)
        if (!is_definition(*store) && !is_mirror(*store)) write(*store);
    return out;
}

bool cluster_state_core::restore_object(const json::value& entry, wall_time now)
{
    const auto store = find(text_at(entry, "resource"));
    const auto* object = find_at(entry, "object");
    const auto version = object ? version_at(*object, "metadata.resourceVersion") : std::nullopt;
    if (!store || !version || text_at(*object, "metadata.name").empty()) return false;
    json::value body = *object;
    apply_defaults(store->info, body, false, true); // an earlier program may have known fewer
    take_go_form(store->info, body);
    const auto restored = make_stored(store->info, body, *version);
    store->put(restored);
    if (store->info.behaves == builtin::event) {
        const auto other = find("events.k8s.io", "events");
        other->put(event_in(*other, restored));
    }
    if (garbage_) garbage_->note(*store, nullptr, restored.get());
    aggregator_->note(*store, restored->key, restored.get());
    if (store->info.behaves == builtin::namespace_ && restored->deleting) sweeps_.push_back({.ns = restored->name});
    if (is_definition(*store) && is_established(body)) {
        add_resource(resource_of_crd(body));
        if (restored->deleting)
            sweeps_.push_back({.resource = {std::string(text_at(body, "spec.group")),
                                            std::string(text_at(body, "spec.names.plural"))}});
    }
    const bool terminates = store->info.behaves == builtin::pod && restored->deleting && options_.pod_termination;
    if (terminates && !text_at(body, "spec.nodeName").empty())
        terminating_pods_.emplace(now + *options_.pod_termination, std::pair{restored->key, restored->uid});
    return true;
}

result<> cluster_state_core::restore(std::string_view dump, wall_time now)
{
    const auto refuse = [](std::size_t line, std::string_view why) {
        return failure(cond::invalid, "saved state, line " + std::to_string(line) + ": " + std::string(why));
    };
    std::optional<std::uint64_t> version;
    for (std::size_t line = 1; !dump.empty(); ++line) {
        const auto end = dump.find('\n');
        if (end == std::string_view::npos) return refuse(line, "truncated");
        const auto entry = parse_json(dump.substr(0, end), 1000);
        dump.remove_prefix(end + 1);
        if (!entry) return refuse(line, entry.error());
        if (line > 1) {
            if (!restore_object(*entry, now)) return refuse(line, "not an object of a known resource");
            continue;
        }
        version = version_at(*entry, "resourceVersion");
        if (text_at(*entry, "format") != format_name || !version)
            return refuse(line, "not a saved state of this program");
        for (const auto& [key, store] : stores_) store->clear();
        if (garbage_) garbage_->clear();
        aggregator_->clear();
        if (const auto services = find("", "services")) allocator_of(*services)->begin();
        sweeps_.clear();
        waiting_names_.clear();
    }
    if (!version) return refuse(1, "empty");
    *version_ = std::max(*version_, *version);
    std::vector<std::string> homes;
    for (const auto& [key, home] : find("", "namespaces")->objects()) homes.push_back(home->name);
    for (const auto& name : homes) furnish_namespace(name, now);
    furnish_cluster(now);
    compact();
    return {};
}

} // namespace kubecoro::apiserver
