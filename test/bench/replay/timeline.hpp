// The order of changes: versions, events, and the events that a client has missed.
#pragma once

#include <cstdint>
#include <vector>

namespace kubecoro::bench {

/** The order in which objects change: every object once, in a random order, before the first one changes again.

    Only decides; performs nothing. Not thread-safe. */
class timeline
{
public:
    struct event
    {
        std::uint32_t object;
        std::uint64_t version;
    };

    /// @param version  The version of a list before the first change.
    timeline(std::uint32_t objects, std::uint64_t version, std::uint64_t seed);

    /// The newest version.
    [[nodiscard]] std::uint64_t version() const { return first_ + changed_.size(); }
    /// Watches from before this version have expired.
    [[nodiscard]] std::uint64_t oldest() const { return oldest_; }

    /// The next change.
    [[nodiscard]] event next();
    /// Forgets everything before the newest version. Watches can no longer start from there.
    void expire() { oldest_ = version(); }

    /** The changes that a watch from `version` has missed: each object that has changed since, once, at its newest
        version and in that order. A server would also send the states between, with the same outcome. */
    [[nodiscard]] std::vector<event> since(std::uint64_t version) const;

private:
    std::uint64_t first_;
    std::uint64_t oldest_;
    std::vector<std::uint32_t> order_;
    /// The object with version first_ + 1 + i.
    std::vector<std::uint32_t> changed_;
};

} // namespace kubecoro::bench
