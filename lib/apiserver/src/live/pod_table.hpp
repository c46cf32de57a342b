// The pods of a live cluster, by key and by controller.
#pragma once

#include "live/digest.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::apiserver::live {

class pod_table
{
public:
    /// Stores what is known of a pod. @return the uid of the controller that it had before.
    std::string put(const std::string& key, pod_digest pod);
    std::string erase(const std::string& key);
    void clear();

    /// The digest of a pod; null for none.
    [[nodiscard]] const pod_digest* find(const std::string& key) const;
    [[nodiscard]] std::vector<const pod_digest*> of(std::string_view owner_uid) const;
    /// Keys of the pods that no node has.
    [[nodiscard]] const std::set<std::string>& unbound() const noexcept { return unbound_; }

private:
    std::map<std::string, pod_digest> pods_;
    std::map<std::string, std::set<std::string>, std::less<>> by_owner_;
    std::set<std::string> unbound_;
};

} // namespace kubecoro::apiserver::live
