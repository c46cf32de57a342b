#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubecoro::bench {

/// How much of the bench a subject takes part in.
enum class share
{
    /// Everything.
    full,
    /// A variant of another subject: sync, memory and saturated events on one core.
    brief,
    /// A controller: sync and latency of small pods, and what an operator has.
    controller,
    /// A work queue alone.
    queue,
    /// No informer at all: what the machine costs whoever is measured on it. Sync, events and latency.
    floor,
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
    /// Measured over 120 s as well, where tails show.
    bool tails = false;
    bool custom = false;
    /// Why it cannot run here; empty when it can.
    std::string missing = {};
};

/// Ours first. `programs` is the folder of our programs, `peers` that of the peers', made by test/bench/peers/build.sh.
[[nodiscard]] std::vector<subject> all_subjects(const std::string& programs, const std::string& peers);

/// Whether a choice names this subject: "client-go/json" does, and so does "client-go", which names the library's all.
[[nodiscard]] bool is_chosen(std::string_view subject, std::string_view choice);

/// Fills in `missing` for programs that are not there.
void find_missing(std::vector<subject>& subjects);

} // namespace kubecoro::bench
