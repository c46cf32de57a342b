// Which declared rights were used.
#pragma once

#include "world/traffic.hpp"

#include <kubecoro/manager/access_right.hpp>

#include <set>
#include <string>
#include <vector>

namespace kubecoro::testing::detail {

class used_rights
{
public:
    /// @param lists  Whether it is a watch that streams a list, which needs both rights where a server cannot stream.
    void add(const request_route& r, bool lists = false);
    /// "delete configmaps", for each verb of a right that no request used. One of get, create, update and patch stands for all
    /// four, which create_or_update() and its like need together. Events, Leases and `finalizers` are left out: a server
    /// asks for these rights in ways that no request shows.
    [[nodiscard]] std::vector<std::string> unused(const std::vector<access_right>& declared) const;

private:
    std::set<std::string> used_;
};

} // namespace kubecoro::testing::detail
