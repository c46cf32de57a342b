// What happens in the embedded demo, in order: a workload, two connection cuts, a compaction.
#pragma once

#include "demo_informers.hpp"
#include "demo_workload.hpp"
#include "embedded.hpp"

namespace kubecoro::tool {

/// The actors of the script; all outlive it.
struct demo_stage
{
    embedded& cluster;
    workload& work;
    feed& show;
    demo_informers& informers;
};

/// The script itself. Ends with the first failure; cond::cancelled when it is told to stop.
[[nodiscard]] boost::asio::awaitable<result<>> play(demo_stage stage);

/// After the script: random work until it is told to stop.
[[nodiscard]] boost::asio::awaitable<result<>> keep_playing(demo_stage stage);

} // namespace kubecoro::tool
