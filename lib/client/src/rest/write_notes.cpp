
#include "rest/client_state.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/client/detail/request_scope.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

bool is_empty(const value_view& list) { return !list.is_array() || list.empty(); }

/// Whether the server has nothing more of the object: no finalizer and no grace period delays its deletion.
bool is_gone(const write_target& what, const object& answer)
{
    if (!answer.being_deleted()) return what.removes;
    const auto meta = answer["metadata"];
    const auto grace = meta["deletionGracePeriodSeconds"];
    return is_empty(meta["finalizers"]) && grace.as_int64() == 0;
}

/// The write that an answer shows; nothing for an answer that has neither version nor uid.
std::optional<noted_write> write_in(const write_target& what, const object& answer)
{
    noted_write w{.group = what.group,
                  .kind = what.kind,
                  .key = object_key(answer.key()),
                  .version = {},
                  .removed_uid = {},
                  .was_marked = false};
    if (answer.kind() == "Status") {
        const auto details = answer["details"];
        if (!what.removes) return std::nullopt;
        w.key = object_key(what.ns, std::string(details["name"].as_string()));
        w.removed_uid = details["uid"].as_string();
    } else if (is_gone(what, answer)) {
        w.removed_uid = answer.uid();
        w.was_marked = answer.being_deleted();
    } else {
        w.version = answer.resource_version();
    }
    if (w.version.empty() && w.removed_uid.empty()) return std::nullopt;
    return w;
}

} // namespace

write_notes::write_notes(const client& of) : of_(client_access::state_of(of).get()) {}

void write_notes::add(const write_target& what, const object& answer)
{
    auto w = write_in(what, answer);
    if (!w) return;
    std::lock_guard lock(mutex_);
    if (w->removed_uid.empty())
        keep_version(std::move(*w));
    else
        keep_removal(std::move(*w));
}

void write_notes::keep_version(noted_write w)
{
    auto& kept = newest_[{w.group, w.kind, w.key.ns}];
    if (kept.version.empty() || is_at_least(w.version, kept.version)) kept = std::move(w);
}

void write_notes::keep_removal(noted_write w)
{
    auto& kept = removals_[{w.group, w.kind, w.key.ns}];
    kept.push_back(std::move(w));
    if (kept.size() > most_removals) kept.pop_front();
}

std::vector<noted_write> write_notes::take()
{
    std::lock_guard lock(mutex_);
    std::vector<noted_write> out;
    for (auto& [where, kept] : removals_) std::move(kept.begin(), kept.end(), std::back_inserter(out));
    for (auto& [where, w] : newest_) out.push_back(std::move(w));
    removals_.clear();
    newest_.clear();
    return out;
}

write_target target_of(const resource_type& resource, const std::string& ns, bool dry_run, bool removes)
{
    return {.counts = !dry_run, .removes = removes, .group = resource.group, .kind = resource.kind, .ns = ns};
}

void note_write(const asio::any_io_executor& executor, const client::state& s, const write_target& what,
                const result<object>& answer)
{
    if (!answer || !what.counts) return;
    const auto scope = scope_of(executor);
    if (scope && scope->notes() && scope->notes()->is_for(&s)) scope->notes()->add(what, *answer);
}

} // namespace kubecoro::detail
