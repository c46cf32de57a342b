#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

namespace kubecoro::detail {

/// The informers of a factory whose namespaces have changed. Thread safe.
class moved_informers
{
public:
    void note(std::uint64_t informer)
    {
        std::lock_guard lock(mutex_);
        moved_.insert(informer);
    }
    /// Returns those since the last call.
    [[nodiscard]] std::set<std::uint64_t> take()
    {
        std::lock_guard lock(mutex_);
        return std::exchange(moved_, {});
    }

private:
    std::mutex mutex_;
    std::set<std::uint64_t> moved_;
};

} // namespace kubecoro::detail
