// Follows the changes of one resource, for indexes of its objects.
#pragma once

#include "state/resource_store.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace kubecoro::apiserver {

/** The base of an index: brings it up to date when it is asked, by the changes since, or from the beginning if those
    are forgotten or the objects were replaced. Not thread safe: used on the strand of the state. */
class store_follower
{
protected:
    explicit store_follower(std::shared_ptr<const resource_store> store) : store_(std::move(store)) {}
    ~store_follower() = default;
    store_follower(const store_follower&) = delete;
    store_follower& operator=(const store_follower&) = delete;

    /// Call it before each question. An exception (out of memory) leaves the index to start over.
    void follow();

    virtual void clear() = 0;
    /// Adds an object. There is none of its key.
    virtual void put(const stored& object) = 0;
    /// Removes the object of a key, if there is one.
    virtual void erase(const std::string& key) = 0;

private:
    std::shared_ptr<const resource_store> store_;
    /// The number of the next change to follow.
    std::uint64_t next_ = 0;
    std::uint64_t replacements_ = 0;
    bool stale_ = true;
};

} // namespace kubecoro::apiserver
