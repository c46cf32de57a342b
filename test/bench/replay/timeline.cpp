#include "timeline.hpp"

#include "data/seeded.hpp"

#include <algorithm>

namespace kubecoro::bench {

timeline::timeline(std::uint32_t objects, std::uint64_t version, std::uint64_t seed)
    : first_(version), oldest_(version), order_(permutation(objects, seeded(seed, 40)))
{
}

timeline::event timeline::next()
{
    const std::uint32_t object = order_[changed_.size() % order_.size()];
    changed_.push_back(object);
    return {object, version()};
}

std::vector<timeline::event> timeline::since(std::uint64_t version) const
{
    std::vector<event> out;
    std::vector<bool> seen(order_.size());
    for (std::uint64_t v = this->version(); v > version && v > first_; --v) {
        const std::uint32_t object = changed_[v - first_ - 1];
        if (seen[object]) continue;
        seen[object] = true;
        out.push_back({object, v});
    }
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace kubecoro::bench
