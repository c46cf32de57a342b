#include <kubecoro/client/detail/write_notes.hpp>

#include "rest/client_state.hpp"

#include <kubecoro/api/resource_version.hpp>

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::detail {
namespace {

/// Forwards everything to another executor, and carries the notes. Coroutines spawned on it, by an
/// operator or a timeout, carry them as well.
class noting_executor
{
public:
    noting_executor(asio::any_io_executor inner, std::shared_ptr<write_notes> notes) noexcept
        : inner_(std::move(inner)), notes_(std::move(notes))
    {
    }

    [[nodiscard]] const std::shared_ptr<write_notes>& notes() const noexcept { return notes_; }

    template<class Property>
        requires(asio::can_query<const asio::any_io_executor&, Property>::value)
    auto query(const Property& p) const -> decltype(asio::query(std::declval<const asio::any_io_executor&>(), p))
    {
        return asio::query(inner_, p);
    }
    template<class Property>
        requires(asio::can_require<const asio::any_io_executor&, Property>::value)
    noting_executor require(const Property& p) const
    {
        return {asio::require(inner_, p), notes_};
    }
    template<class Property>
        requires(asio::can_prefer<const asio::any_io_executor&, Property>::value)
    noting_executor prefer(const Property& p) const
    {
        return {asio::prefer(inner_, p), notes_};
    }
    template<class F>
    void execute(F&& f) const
    {
        inner_.execute(std::forward<F>(f));
    }

    friend bool operator==(const noting_executor& a, const noting_executor& b) noexcept
    {
        return a.notes_ == b.notes_ && a.inner_ == b.inner_;
    }
    friend bool operator!=(const noting_executor& a, const noting_executor& b) noexcept { return !(a == b); }

private:
    asio::any_io_executor inner_;
    std::shared_ptr<write_notes> notes_;
};

bool is_empty(const value_view& list) { return !list.is_array() || list.size() == 0; }

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
    if (const auto notes = notes_of(executor); notes && notes->is_for(&s)) notes->add(what, *answer);
}

asio::any_io_executor note_writes(const asio::any_io_executor& on, std::shared_ptr<write_notes> notes)
{
    return on ? asio::any_io_executor(noting_executor(on, std::move(notes))) : on;
}

std::shared_ptr<write_notes> notes_of(const asio::any_io_executor& executor)
{
    if (const auto* own = executor.target<noting_executor>()) return own->notes();
    if (const auto* strand = executor.target<asio::strand<asio::any_io_executor>>())
        return notes_of(strand->get_inner_executor());
    return nullptr;
}

} // namespace kubecoro::detail
