#include "store/store.hpp"

#include <kubecoro/api/resource.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/cache/lister.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro {
using namespace detail;
namespace {

asio::awaitable<result<>> wait_for_all(std::shared_ptr<const version_board> board, std::string version)
{
    // Sequential waits suffice: a version that was reached stays reached.
    for (auto& ns : board->lanes()) {
        const auto done = co_await version_board::wait(board, ns, version);
        const bool left = !done && done.error() == cond::misconfigured; // the namespace was removed
        if (!done && !left) co_return done;
    }
    co_return result<>{};
}

asio::awaitable<result<object>> get_when_reached(std::shared_ptr<const store> from, object_key key, std::string version)
{
    if (object o = from->get(key); o && is_at_least(o.resource_version(), version)) co_return o;
    if (const auto done = co_await version_board::wait(from->versions(), key.ns, std::move(version)); !done)
        co_return done.error();
    co_return from->get(key);
}

} // namespace

object lister<object>::get(object_key_view key) const { return store_->get(key); }

asio::awaitable<result<object>> lister<object>::get_after(object_key key, kept_text resource_version) const
{
    return catch_failure(get_when_reached(store_, std::move(key), std::move(resource_version)));
}

asio::awaitable<result<>> lister<object>::wait_until(kept_text resource_version, kept_text ns) const
{
    const auto& board = store_->versions();
    return catch_failure(ns.empty() ? wait_for_all(board, std::move(resource_version))
                                    : version_board::wait(board, std::move(ns), std::move(resource_version)));
}

bool lister<object>::reached(std::string_view resource_version, std::string_view ns) const
{
    const auto& board = *store_->versions();
    if (!ns.empty()) return board.reached(ns, resource_version);
    const auto lanes = board.lanes();
    return !lanes.empty() && std::all_of(lanes.begin(), lanes.end(), [&](const std::string& lane) {
        return board.reached(lane, resource_version);
    });
}

std::vector<object> lister<object>::list_in(std::string_view ns) const { return store_->list(ns); }

std::vector<object> lister<object>::list(const label_selector& selector, std::string_view ns) const
{
    if (selector.empty()) return list_in(ns);
    const auto matches = [&selector](const object& o) { return selector.matches(o.labels()); };
    if (auto found = store_->candidates(selector, ns)) {
        std::erase_if(*found, std::not_fn(matches));
        return *std::move(found);
    }
    std::vector<object> found;
    store_->visit(ns, [&](const object& o) {
        if (matches(o)) found.push_back(o);
    });
    return found;
}

void lister<object>::for_each(const callback<void(const object&)>& f, std::string_view ns) const
{
    const auto from = store_; // `f` may destroy this lister
    from->visit(ns, f);
}

std::vector<object> lister<object>::by_index(std::string_view index, std::string_view value) const
{
    return store_->by_index(index, value);
}

std::size_t lister<object>::count_by_index(std::string_view index, std::string_view value) const
{
    return store_->count_by_index(index, value);
}

std::vector<object_key> lister<object>::index_keys(std::string_view index, std::string_view value) const
{
    const auto found = store_->by_index(index, value);
    std::vector<object_key> keys;
    keys.reserve(found.size());
    for (const auto& o : found) keys.emplace_back(o.key());
    return keys;
}

std::vector<std::string> lister<object>::index_values(std::string_view index) const
{
    auto values = store_->values_of(index);
    std::sort(values.begin(), values.end());
    return values;
}

bool lister<object>::has_index(std::string_view index) const { return store_->has_index(index); }

std::vector<std::string> lister<object>::namespaces() const { return store_->namespaces(); }

std::size_t lister<object>::size() const { return store_->size(); }

} // namespace kubecoro
