// The webhooks of one manager, which keeps them.
#pragma once

#include "manifests/manifests_core.hpp"
#include "table/hook_table.hpp"

#include <kubecoro/client/client.hpp>

#include <utility>

namespace kubecoro::detail {

struct webhooks_state
{
    webhooks_state(webhooks_options o, hook_place at, client c, hook_table::surroundings with)
        : options(std::move(o)), place(std::move(at)), cluster(std::move(c)), table(std::move(with))
    {
    }

    webhooks_options options;
    hook_place place;
    client cluster;
    hook_table table;
};

} // namespace kubecoro::detail
