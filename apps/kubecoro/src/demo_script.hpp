// The script of the embedded demo: a workload, two connection cuts, a compaction.
#pragma once

#include "demo_informers.hpp"
#include "demo_workload.hpp"
#include "embedded.hpp"

namespace kubecoro::tool {

/// The objects that the script uses; all outlive it.
struct demo_stage
{
    embedded& cluster;
    workload& work;
    feed& show;
    demo_informers& informers;
};

/// Performs the script. Ends with the first failure; cond::cancelled when it is stopped.
[[nodiscard]] boost::asio::awaitable<result<>> play(demo_stage stage);

/// Performs random work after the script, until it is stopped.
[[nodiscard]] boost::asio::awaitable<result<>> keep_playing(demo_stage stage);

} // namespace kubecoro::tool
