#include "server_history.hpp"

#include <charconv>
#include <utility>

namespace kubecoro::simulation {

std::uint64_t version_of(const object& o)
{
    std::uint64_t v = 0;
    const auto text = o.resource_version();
    std::from_chars(text.data(), text.data() + text.size(), v);
    return v;
}

std::string brief(const object& o)
{
    if (!o) return "null";
    // The end of a uid distinguishes the objects of one world.
    const auto uid = o.uid();
    return to_string(o.key())
        .append(" ..")
        .append(uid.substr(uid.size() - std::min<std::size_t>(uid.size(), 6)))
        .append(" @")
        .append(o.resource_version());
}

std::string_view to_string(change_kind k) noexcept
{
    switch (k) {
    case change_kind::added:
        return "added";
    case change_kind::updated:
        return "updated";
    case change_kind::deleted:
        return "deleted";
    }
    return "?";
}

namespace {

/// The members that metadata_only keeps.
bool same_metadata(const value_view& mine, const value_view& real)
{
    if (mine["managedFields"]) return false;
    for (const auto& [key, value] : real.members())
        if (key != "managedFields" && mine[key] != value) return false;
    return mine.size() == real.size() - (real["managedFields"] ? 1 : 0);
}

} // namespace

bool scope::same(const object& mine, const object& real) const
{
    if (!metadata_only) return mine.root() == real.root();
    return same_metadata(mine.metadata(), real.metadata()) && mine.kind() == real.kind() &&
           mine.api_version() == real.api_version();
}

bool scope::covers(const object& o) const
{
    if (!o) return false;
    if (!namespaces.empty() && !namespaces.contains(std::string(o.ns()))) return false;
    return label.empty() || o.labels()[label].as_string() == value;
}

boost::asio::awaitable<result<>> server_history::follow(client source)
{
    for (;;) {
        watch_options options;
        options.resource_version = version_;
        options.allow_bookmarks = false;
        auto opened = co_await source.watch(resource_, "", options);
        if (!opened && opened.error() != cond::unreachable) co_return opened.error();
        while (opened) {
            auto batch = co_await (*opened)->next();
            if (!batch && batch.error() == cond::cancelled) co_return batch.error();
            if (!batch || batch->empty()) break;
            if (batch->front().type != watch_event_type::error) {
                for (const auto& e : *batch) apply(e);
                continue;
            }
            notes_->broken("truth", "the server has dropped history that was not delivered yet");
            co_return failure(cond::expired);
        }
    }
}

void server_history::apply(const watch_event& e)
{
    const bool gone = e.type == watch_event_type::deleted;
    if (!gone && e.type != watch_event_type::added && e.type != watch_event_type::modified) {
        notes_->broken("truth", "the server's own watch sent an event that is not a change");
        return;
    }
    version_ = std::string(e.obj.resource_version());
    const object_key key(e.obj.key());
    auto& slot = objects_[key];
    events_.push_back({slot, gone ? object{} : e.obj, version_of(e.obj)});
    lives_[std::string(e.obj.uid())][version_of(e.obj)] = e.obj;
    notes_->note("server", std::string(gone   ? "deleted "
                                       : slot ? "updated "
                                              : "added ") +
                               resource_.plural + " " + brief(e.obj));
    if (gone) {
        objects_.erase(key);
    } else {
        slot = e.obj;
    }
}

std::map<object_key, object> server_history::objects(const scope& s) const
{
    std::map<object_key, object> out;
    for (const auto& [key, o] : objects_) {
        if (s.covers(o)) out.emplace_hint(out.end(), key, o);
    }
    return out;
}

object server_history::at(std::string_view uid, std::uint64_t version) const
{
    const auto life = lives_.find(uid);
    if (life == lives_.end()) return {};
    const auto found = life->second.find(version);
    return found == life->second.end() ? object{} : found->second;
}

std::string server_history::disproof(const object& o, const scope& s) const
{
    if (!s.covers(o)) return "delivered an object outside its scope:  " + brief(o);
    if (proven_.contains(o.identity())) return {};
    const auto real = at(o.uid(), version_of(o));
    if (!real) return "a state the server never had: " + brief(o);
    if (!s.same(o, real))
        return "the server's " + brief(o) + " was different: " + real.to_text() + " instead of " + o.to_text();
    proven_.emplace(o.identity(), o);
    return {};
}

std::vector<change> server_history::changes(const scope& s, std::size_t begin) const
{
    std::vector<change> out;
    for (auto i = begin; i < events_.size(); ++i) {
        const auto& e = events_[i];
        const bool was = s.covers(e.before), is = s.covers(e.after);
        if (!was && !is) continue;
        const auto kind = was && is ? change_kind::updated : is ? change_kind::added : change_kind::deleted;
        const auto& shown = is ? e.after : e.before;
        out.push_back({kind, std::string(shown.uid()), e.version, object_key(shown.key())});
    }
    return out;
}

} // namespace kubecoro::simulation
