#pragma once
// The changes of an informer's store for readers that must never see half of one: collections that are derived from it.

#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/notification.hpp>
#include <kubecoro/cache/shared_informer.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

class informer_engine;
class processor_listener;

/// Every event that waited: those of a number of changes of the store (a list, or events that arrived together), each complete.
struct whole_changes
{
    /// In order; events of one key may have merged.
    std::vector<notification<object>> events = {};
    /// Whether the store is filled, and the reader has all of its objects with this.
    bool synced = false;
    /// The number of the last change in it, see change_stream::distributed().
    std::uint64_t number = 0;
};

/** Reads an informer's changes, beginning with the stored objects. No resyncs.

    Memory is bounded by the number of keys: waiting events of a key merge. Destroying it ends it. Moved-from ones may only be
    destroyed or assigned to. One next() at a time; the other functions may be called by any thread. */
class change_stream
{
public:
    change_stream(const shared_informer<object>& from, std::string name);
    ~change_stream();
    change_stream(change_stream&&) noexcept = default;
    change_stream& operator=(change_stream&&) = delete;

    /** Returns what has changed; empty when no more will come, and then end_reason() says why.

        @par Cancellation  terminal, partial, total: nothing is lost. */
    [[nodiscard]] boost::asio::awaitable<std::optional<whole_changes>> next();
    [[nodiscard]] result<> end_reason() const;
    /// The number of the last change that was passed on as a whole. Those up to a version that the informer has reached are.
    [[nodiscard]] std::uint64_t distributed() const;
    /// Ends the stream. Idempotent.
    void close();

private:
    std::shared_ptr<processor_listener> listener_;
};

/// Returns the values of an object in an index of the informer; nothing if it has no index of that name. Calls the index
/// function, never while another thread does.
[[nodiscard]] std::optional<std::vector<std::string>> index_values_of(const shared_informer<object>& informer,
                                                                      std::string_view index, const object& o);
/// The same for informers with the same store, and for no others.
[[nodiscard]] const void* identity_of(const shared_informer<object>& informer) noexcept;

} // namespace kubecoro::detail
