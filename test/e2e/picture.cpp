#include "picture.hpp"

namespace kubecoro::e2e {

picture picture_of(const lister<object>& l)
{
    picture out;
    for (const auto& o : l.list()) out.emplace(object_key(o.key()), o);
    return out;
}

std::string difference(const picture& have, const picture& real)
{
    for (const auto& [key, o] : real) {
        const auto mine = have.find(key);
        if (mine == have.end()) return "lacks " + to_string(key);
        if (mine->second.uid() != o.uid()) return "has another object for " + to_string(key);
        if (mine->second.resource_version() != o.resource_version())
            return "has version " + std::string(mine->second.resource_version()) + " instead of " +
                   std::string(o.resource_version()) + " of " + to_string(key);
        if (mine->second.root() != o.root())
            return "has other content for " + to_string(key) + ": " + mine->second.to_text() + " instead of " +
                   o.to_text();
    }
    for (const auto& [key, o] : have) {
        if (!real.contains(key)) return "has " + to_string(key) + ", which is gone";
    }
    return {};
}

} // namespace kubecoro::e2e
