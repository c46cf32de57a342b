#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/name_first.hpp>
#include <kubecoro/cache/lister.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace kubecoro {

/// Options of a mutation_cache.
struct mutation_cache_options
{
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// A write that the store has not shown by then is forgotten: it was undone, or the watch is broken.
    duration ttl = std::chrono::minutes{5};
    /// Writes kept at a time; beyond it the oldest is forgotten. At least 1.
    std::size_t max_entries = 1000;
    KUBECORO_NAME_FIRST;
};

/** A lister that also shows one's own writes which the watch has not brought yet.

        kubecoro::mutation_cache seen(pods.lister());
        auto answer = co_await cluster.update(pod);
        if (answer) seen.written(*answer);             // from now on get() shows it, never an older state
        ...
        seen.removed(pod.key(), pod.uid(), pod.resource_version()); // and this one is gone

    For those who will not wait: lister::get_after waits instead. Give it what the server answered, whole, never what was
    sent. An entry goes when the store has caught up with it (the stored object is that version or a later one, or the
    watch has passed it, which is also how a deletion shows), with the ttl, or beyond max_entries. A handle: copies share
    the entries. Any thread. */
class mutation_cache
{
public:
    /// Shows own writes on top of a lister.
    explicit mutation_cache(lister stored, mutation_cache_options options = {});

    /// The answer to a create, update or patch. Of two answers for one object the newer stays; where versions cannot be
    /// compared, the later call. Nothing when the store is there already.
    void written(const object& o) const;

    /** An object is gone: the answer to a delete that removed it at once. Not for one that only marks it
        (deletionTimestamp), which is a write.

        @param uid  Of what is gone: hidden, whatever version of it the watch still brings, until the watch has brought the
        end of it, too. Another object of the same name is shown as soon as it is stored. Empty = hides what is stored up
        to the version.
        @param resource_version  The last that is known of it: earlier lives of the name are hidden as well. */
    void removed(object_key_view key, std::string_view uid, std::string_view resource_version) const;

    /// The newer of what is stored and what was written; null when there is neither, or it was removed.
    [[nodiscard]] object get(object_key_view key) const;
    /// Returns the newer of the stored object and the own write, or null.
    [[nodiscard]] object get(std::string_view ns, std::string_view name) const { return get({ns, name}); }
    /// lister::list with one's own writes in it. A write that the selector does not match takes its object out.
    [[nodiscard]] std::vector<object> list() const { return list_in({}); }
    /// Lists one namespace, own writes included.
    [[nodiscard]] std::vector<object> list_in(std::string_view ns) const;
    std::vector<object> list(std::string_view) const = delete; // as in lister
    /// Lists by labels, own writes included.
    [[nodiscard]] std::vector<object> list(const label_selector& selector, std::string_view ns = {}) const;

    /// Writes that the store may still lack.
    [[nodiscard]] std::size_t size() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace kubecoro
