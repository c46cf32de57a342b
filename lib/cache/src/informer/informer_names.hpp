#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace kubecoro::detail {

/** Names that are unique in a factory: "pods", "pods-2", ... A name that is given back is used again, so that metrics of
    informers that come and go keep few series. Not thread safe; O(log n) for each call. */
class informer_names
{
public:
    [[nodiscard]] std::string take(const std::string& wish);
    void give_back(const std::string& name);

private:
    struct numbers
    {
        std::size_t next = 2;
        /// Below `next`, and free.
        std::set<std::size_t> free = {};
    };
    /// The taken names, with their wishes and numbers.
    std::unordered_map<std::string, std::pair<std::string, std::size_t>> taken_;
    std::unordered_map<std::string, numbers> wishes_;
};

} // namespace kubecoro::detail
