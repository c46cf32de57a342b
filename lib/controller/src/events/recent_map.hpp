#pragma once

#include <kubecoro/base/hash.hpp>

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kubecoro::detail {

/** Values by text, of which the least recently used is forgotten when there are too many. Not thread safe.

    Keyed hashes: texts from outside cannot be chosen to collide. */
template<class Value>
class recent_map
{
public:
    explicit recent_map(std::size_t most) : most_(most) {}

    /// The value of a key, which becomes the most recent one. A new one is default-constructed. Valid until the next call.
    Value& use(std::string_view key)
    {
        if (const auto found = index_.find(key); found != index_.end()) {
            order_.splice(order_.begin(), order_, found->second);
            return found->second->second;
        }
        if (!order_.empty() && order_.size() >= most_) {
            index_.erase(order_.back().first);
            order_.pop_back();
        }
        order_.emplace_front(std::string(key), Value{});
        index_.emplace(order_.front().first, order_.begin());
        return order_.front().second;
    }
    [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }

private:
    using entries = std::list<std::pair<const std::string, Value>>;

    std::size_t most_;
    entries order_;
    /// Refers to the texts of `order_`.
    std::unordered_map<std::string_view, typename entries::iterator, text_hash> index_;
};

} // namespace kubecoro::detail
