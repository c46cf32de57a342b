#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// Takes the values under which an object is found in an index. Borrowed: valid during the call only.
class index_sink
{
public:
    explicit index_sink(std::vector<std::string>& out) noexcept : out_(&out) {}
    /// Adds one value under which the object is found.
    void operator()(std::string_view value) const { out_->emplace_back(value); }

private:
    std::vector<std::string>* out_;
};

/** Says under which values an object is found: `[](const object& o, auto out) { out(o["spec"]["nodeName"].as_string());
    }`.

    Any number of values, an empty one included; none at all leaves the object out. Called without a lock held, from the
    informer's strand or the thread that adds the index, never twice at once; it may read any lister, whose state then is
    the one before the change. When it throws, that object is left out of that index, and the failure is counted and
    logged. */
using index_function = std::function<void(const object&, index_sink)>;

class store;

/** Reads an informer's store: a cheap handle for any thread, valid for as long as it is held, also after the stop.

    Each call sees one consistent state: never half a relist. Two calls may see two states. Nothing is copied but
    handles. The order of results is unspecified. */
class lister
{
public:
    explicit lister(std::shared_ptr<const store> s) : store_(std::move(s)) {}

    /// The object, or null.
    [[nodiscard]] object get(object_key_view key) const;
    /// Returns the object, or null.
    [[nodiscard]] object get(std::string_view ns, std::string_view name) const { return get({ns, name}); }

    /// Everything.
    [[nodiscard]] std::vector<object> list() const { return list_in({}); }
    /// What is in a namespace. Empty = everything.
    [[nodiscard]] std::vector<object> list_in(std::string_view ns) const;
    /// A text could be a namespace or a selector.
    std::vector<object> list(std::string_view) const = delete; // list_in(ns), or list(*label_selector::parse(text))
    /** What a selector matches. Costs what the most selective of its `=`, `in` and `key` requirements leaves, not what is
        stored: the first list that asks for a label indexes it (for up to 16 labels; see
        informer_options::label_indexes). A selector that only excludes goes through everything. */
    [[nodiscard]] std::vector<object> list(const label_selector& selector, std::string_view ns = {}) const;

    /** The object as it is once the store has seen everything up to `resource_version`: reading one's own write.

            auto written = co_await cluster.update(pod);
            auto seen = co_await pods.lister().get_after(written->key(), std::string(written->resource_version()));

        Completes when the stored object is that version or a later one, or when the watch of its namespace has got that
        far by an event, a bookmark or a list: then with what is stored, which may be older than the version (somebody
        else's write was asked for) and is null when the object is gone or outside the informer's selectors. See
        wait_until for what versions mean, errors and cancellation. */
    [[nodiscard]] boost::asio::awaitable<result<object>> get_after(object_key key, std::string resource_version) const;

    /** Completes when the store has reached `resource_version`, at once if it has: what was written up to there is shown.

        @param resource_version  Of a write's answer, or of a list of the same resource. Integers of any length are
        compared; anything else is reached when the store is, or was lately, at just that version. "" and "0" ask for the
        first list only.
        @param ns  The namespace that matters. Empty = all of them: an informer of several namespaces, each with a watch
        of its own, then waits for the slowest, which on a quiet one is until the next bookmark, a minute or so.

        Any number may wait; only those whose version is reached are woken. There is no deadline: see with_timeout().
        @par Errors        misconfigured when the informer does not watch `ns`; before the first list, whatever keeps it
        from succeeding, as shared_informer::has_synced(); cond::cancelled when the informer stops first.
        @par Cancellation  terminal, partial, total: ends this wait only. */
    [[nodiscard]] boost::asio::awaitable<result<>> wait_until(std::string resource_version, std::string ns = {}) const;
    /// The same, without waiting. False where wait_until would fail.
    [[nodiscard]] bool reached(std::string_view resource_version, std::string_view ns = {}) const;
    /** Calls `f` for each object of one state of the store, one at a time, without a lock held: the way to go through many.

        It counts no handles, as list() does for each, and of a compressed store it keeps no more than one object expanded.
        The object is lent for the call: copy the handle to keep it. `f` may take its time, call any lister, and throw,
        which ends it. The store goes on changing meanwhile; what leaves it stays in memory until the call ends, at most as
        many objects as are gone through, or 1,024. */
    void for_each(const std::function<void(const object&)>& f, std::string_view ns = {}) const;

    /// The objects under a value of an index made by shared_informer::add_index. Unknown indexes hold nothing; see
    /// has_index.
    [[nodiscard]] std::vector<object> by_index(std::string_view index, std::string_view value) const;
    /// Returns the keys of the objects under that value.
    [[nodiscard]] std::vector<object_key> index_keys(std::string_view index, std::string_view value) const;
    /// All values under which the index holds something, sorted.
    [[nodiscard]] std::vector<std::string> index_values(std::string_view index) const;
    /// Whether there is an index of that name.
    [[nodiscard]] bool has_index(std::string_view index) const;

    /// The namespaces that hold something; one empty name for cluster-scoped objects.
    [[nodiscard]] std::vector<std::string> namespaces() const;
    /// Number of objects.
    [[nodiscard]] std::size_t size() const;

private:
    std::shared_ptr<const store> store_;
};

} // namespace kubecoro
