#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <set>

namespace kubecoro::detail {

/// Tracks the objects whose newest state could not be decoded. Bounded: beyond the bound only their number is known,
/// until the next list.
class undecoded_keys
{
public:
    void add(const object_key& key)
    {
        if (keys_.size() < most || keys_.contains(key))
            keys_.insert(key);
        else
            ++others_;
    }
    /// Called when a newer state was decoded.
    void remove(object_key_view key)
    {
        if (!keys_.empty()) keys_.erase(object_key(key));
    }
    void clear()
    {
        keys_.clear();
        others_ = 0;
    }
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size() + others_; }

private:
    static constexpr std::size_t most = 4096;

    std::set<object_key> keys_;
    std::size_t others_ = 0;
};

} // namespace kubecoro::detail
