#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <set>

namespace kubecoro::detail {

/// The objects of which the server has sent a state that could not be read, and none since. Bounded: of more only their
/// number is known, until the next list.
class outdated_keys
{
public:
    void add(const object_key& key)
    {
        if (keys_.size() < most || keys_.contains(key))
            keys_.insert(key);
        else
            ++others_;
    }
    /// Its state was read.
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
