#pragma once

#include <kubecoro/api/detail/typed_outcome.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/cache/lister.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro {

template<class T = object>
class mutation_cache;

/** A lister that also shows one's own writes before the watch delivers them.

        kubecoro::mutation_cache seen(pods.lister());
        auto answer = co_await cluster.update(pod);
        if (answer) seen.written(*answer);             // get() now returns it, never an older state
        ...
        seen.removed(pod.key(), pod.uid(), pod.resource_version()); // now hidden

    An alternative to waiting with lister::get_after. Pass the server's complete response, never the object that was
    sent. An entry is removed when the store has caught up with it (the stored object has that version or a later
    one, or the watch has passed it, which also covers deletions), as the oldest of more than 1,000, or after five minutes:
    the write was reverted, or the watch is broken.
    A handle: copies share the entries. Thread safe. */
template<>
class mutation_cache<object>
{
public:
    /// Shows own writes on top of a lister. @param time  Null = real_clock().
    explicit mutation_cache(lister<object> stored, std::shared_ptr<time_source> time = {});

    /// Records the response to a create, update or patch. The newer of two responses for one object is kept; if their
    /// versions are not comparable, the later call. Does nothing when the store already has that version.
    void written(const object& o) const;

    /** Records that an object is gone: for a delete that removed it at once. A delete that only sets deletionTimestamp
        is a write; see written().

        @param uid  Uid of the removed object: every version of it is hidden until the watch has delivered its deletion,
        too. Another object of the same name is shown as soon as it is stored. Empty = hides the stored object up to the
        version.
        @param resource_version  The object's last known version: earlier objects of the same name are hidden as well.
        */
    void removed(object_key_view key, std::string_view uid, std::string_view resource_version) const;

    /// Returns the newer of the stored and the written object; null when neither exists or it was removed.
    [[nodiscard]] object get(object_key_view key) const;
    /// Returns the newer of the stored object and the own write, or null.
    [[nodiscard]] object get(std::string_view ns, std::string_view name) const { return get({ns, name}); }
    /// lister::list with one's own writes applied. A write that the selector does not match excludes its object.
    [[nodiscard]] std::vector<object> list() const { return list_in({}); }
    /// Lists one namespace, own writes included.
    [[nodiscard]] std::vector<object> list_in(std::string_view ns) const;
    std::vector<object> list(std::string_view) const = delete; // ambiguous, as in lister
    /// Lists by labels, own writes included.
    [[nodiscard]] std::vector<object> list(const label_selector& selector, std::string_view ns = {}) const;

    /// Number of writes that the store may still lack.
    [[nodiscard]] std::size_t size() const;

private:
    struct state;
    std::shared_ptr<state> state_;
};

/** The same over a lister of kind T. As mutation_cache<object>, which it also is, with typed objects. */
template<class T>
class mutation_cache : public mutation_cache<object>
{
public:
    /// Shows own writes on top of a lister.
    explicit mutation_cache(lister<T> stored, std::shared_ptr<time_source> time = {})
        : mutation_cache<object>(std::move(stored), std::move(time))
    {
    }

    /// Returns the newer of the stored and the written object; null when neither exists or it was removed.
    [[nodiscard]] typed_object<T> get(object_key_view key) const { return typed_object<T>(untyped().get(key)); }
    /// Returns the newer of the stored object and the own write, or null.
    [[nodiscard]] typed_object<T> get(std::string_view ns, std::string_view name) const { return get({ns, name}); }
    /// lister::list with one's own writes applied.
    [[nodiscard]] std::vector<typed_object<T>> list() const { return detail::typed_all<T>(untyped().list()); }
    /// Lists one namespace, own writes included.
    [[nodiscard]] std::vector<typed_object<T>> list_in(std::string_view ns) const
    {
        return detail::typed_all<T>(untyped().list_in(ns));
    }
    std::vector<typed_object<T>> list(std::string_view) const = delete; // ambiguous, as in lister
    /// Lists by labels, own writes included.
    [[nodiscard]] std::vector<typed_object<T>> list(const label_selector& selector, std::string_view ns = {}) const
    {
        return detail::typed_all<T>(untyped().list(selector, ns));
    }

    /// The same writes without the type.
    [[nodiscard]] const mutation_cache<object>& untyped() const noexcept KUBECORO_LIFETIME_BOUND { return *this; }
};

/// A lister of a kind makes the cache of that kind.
template<class T>
mutation_cache(lister<T>, std::shared_ptr<time_source> = {}) -> mutation_cache<T>;

} // namespace kubecoro
