// Which object changes when: versions, the order of events, and what a client that was away has missed.
#pragma once

#include <cstdint>
#include <vector>

namespace kubecoro::bench {

/** The order in which objects change: every object once, in a random order, before the first one changes again.

    Decides, and does nothing itself. Not thread-safe. */
class timeline
{
public:
    struct event
    {
        std::uint32_t object;
        std::uint64_t version;
    };

    /// @param version  Of a list before the first change.
    timeline(std::uint32_t objects, std::uint64_t version, std::uint64_t seed);

    /// The newest version.
    [[nodiscard]] std::uint64_t version() const { return first_ + changed_.size(); }
    /// Watches from before this version have expired.
    [[nodiscard]] std::uint64_t oldest() const { return oldest_; }

    /// The next change.
    [[nodiscard]] event next();
    /// Forgets what was before the newest version, which watches then cannot ask for any more.
    void expire() { oldest_ = version(); }

    /** What a watch from `version` has missed: each object that has changed since, once, at its newest version and in
        the order of those. A server would send the states between as well; nobody can tell from the outcome. */
    [[nodiscard]] std::vector<event> since(std::uint64_t version) const;

private:
    std::uint64_t first_;
    std::uint64_t oldest_;
    std::vector<std::uint32_t> order_;
    /// The object of version first_ + 1 + i.
    std::vector<std::uint32_t> changed_;
};

} // namespace kubecoro::bench
