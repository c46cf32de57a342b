#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::bench {

/// The part of the bench that a subject takes part in.
enum class share
{
    /// Everything.
    full,
    /// A variant of another subject: sync, memory and saturated events on one core.
    brief,
    /// A controller: sync and latency of small pods, and an operator's data set.
    controller,
    /// A work queue alone.
    queue,
    /// Not an informer: the cost of the machine for every subject. Sync, events and latency.
    floor,
    /// Requests and watches without an informer.
    requests,
    /// None of these: what the others' watches are compared with.
    requests_floor,
};

/** One program in one configuration: a line in every table. */
struct subject
{
    /// "kubecoro/plain".
    std::string name;
    std::string program;
    std::vector<std::string> flags;
    std::vector<std::pair<std::string, std::string>> environment = {};
    share part = share::full;
    /// Also measured over 120 s, which shows tails.
    bool tails = false;
    bool custom = false;
    /// Can restrict its informer to several namespaces.
    bool namespaces = false;
    /// The reason why it cannot run here; empty when it can.
    std::string missing = {};
};

/// The end of a subject's name: the same subject, built from an earlier commit.
inline constexpr std::string_view before_mark = "@before";

/// kubecoro first. `programs` is the folder of our programs, `peers` that of the peers', made by
/// test/bench/peers/build.sh; `before` that of the programs of an earlier commit, or empty.
[[nodiscard]] std::vector<subject> all_subjects(const std::string& programs, const std::string& peers,
                                                const std::string& before = {});

/// Whether a choice includes this subject: "client-go/json" does, and so does "client-go", for all of the library's. A
/// choice of a subject includes the one before.
[[nodiscard]] bool is_chosen(std::string_view subject, std::string_view choice);

/// Sets `missing` for subjects whose programs do not exist.
void find_missing(std::vector<subject>& subjects);

} // namespace kubecoro::bench
