#pragma once
// The parts of collections that do not depend on the types of their elements.

#include <kubecoro/api/selector.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/detail/handler_slot.hpp>
#include <kubecoro/cache/shared_informer.hpp>
#include <kubecoro/collections/detail/live_item.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::detail {

class live_engine;
class live_table;
class change_queue;

/// An informer or a collection, from which another one is derived.
struct live_source
{
    std::shared_ptr<live_table> table = {};
    std::optional<shared_informer<object>> informer = {};
};

/// A change of an element.
struct live_change
{
    std::string key;
    live_item before;
    live_item after;
    bool initial = false;
};

/// Reads for a computation, and remembers what was read.
class live_reader
{
public:
    virtual ~live_reader() = default;
    virtual live_item by_key(const live_source& of, std::string_view key) = 0;
    virtual std::vector<live_item> by_index(const live_source& of, std::string_view index, std::string_view value) = 0;
    virtual std::vector<live_item> by_selector(const live_source& of, const label_selector& selector) = 0;
    virtual std::vector<live_item> all(const live_source& of) = 0;
};

// ---- collections, any thread

[[nodiscard]] live_item read(const live_table& t, std::string_view key);
[[nodiscard]] std::vector<live_item> read_all(const live_table& t);
[[nodiscard]] std::vector<live_item> read_selected(const live_table& t, const label_selector& selector);
[[nodiscard]] std::vector<live_item> read_index(const live_table& t, std::string_view index, std::string_view value);
[[nodiscard]] std::size_t size_of(const live_table& t);
[[nodiscard]] bool is_synced(const live_table& t) noexcept;
[[nodiscard]] const std::string& name_of(const live_table& t) noexcept;
[[nodiscard]] std::vector<std::pair<std::string, std::string>> versions_of(const live_table& t);
[[nodiscard]] std::vector<std::pair<std::string, failure>> stale_of(const live_table& t);
[[nodiscard]] boost::asio::awaitable<result<>> synced(std::shared_ptr<live_table> t);
/// Whether some result of it, or of what it is computed from, is stale.
[[nodiscard]] bool any_stale(const live_table& t);
using item_condition = std::function<result<bool>(const live_item&)>;
[[nodiscard]] boost::asio::awaitable<result<live_item>> wait_for(std::shared_ptr<live_table> t, std::string key,
                                                                 item_condition wanted, duration timeout);

// ---- subscriptions

/// @param drops  At the end of live_queries, what waits is dropped.
[[nodiscard]] std::shared_ptr<change_queue> subscribe(const std::shared_ptr<live_table>& t, std::size_t max_batch,
                                                      bool drops = false);
[[nodiscard]] boost::asio::awaitable<std::optional<std::vector<live_change>>> pop(std::shared_ptr<change_queue> q);
[[nodiscard]] result<> end_reason(const change_queue& q);
void close(change_queue& q);
/// Calls `f` with every change, on a strand of the executor (empty = that of the collections), until the queue is closed.
void run_handler(const std::shared_ptr<live_table>& t, const std::shared_ptr<change_queue>& q,
                 std::function<handler_call(live_change)> f, const boost::asio::any_io_executor& executor);

// ---- making collections

/// How a collection is computed.
struct live_rule
{
    std::string name;
    item_kind kind;
    std::vector<live_source> primaries;
    compute_function compute;
    bool keyed = false;
};
[[nodiscard]] std::shared_ptr<live_table> add_rule(live_engine& e, live_rule r);
[[nodiscard]] std::shared_ptr<live_table> add_input(live_engine& e, const shared_informer<object>& informer);
/// Adds an index that no name of a user finds. Returns its name.
[[nodiscard]] std::string add_hidden_index(live_engine& e, const live_source& to, item_index f);

} // namespace kubecoro::detail
