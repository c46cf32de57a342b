#pragma once
// Tracks the versions the store has reached, and the waits for later ones.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kubecoro::detail {

/** The versions that the lanes of an informer have reached, and the pending waits.

    A lane is one namespace with a watch of its own, or "" for all namespaces. Sans-io, not thread safe. Waits are
    ordered by version, so a step costs time proportional to the waits it ends. */
class version_core
{
public:
    /// Never 0.
    using ticket = std::uint64_t;

    void add_lane(std::string_view ns);
    /// Returns the waits that end without success.
    [[nodiscard]] std::vector<ticket> remove_lane(std::string_view ns);
    [[nodiscard]] std::vector<std::string> lanes() const;
    /// True when a lane covers this namespace.
    [[nodiscard]] bool covers(std::string_view ns) const { return covering(ns) != nullptr; }
    /// Returns the version of the covering lane; empty before its first list.
    [[nodiscard]] std::string_view version(std::string_view ns) const;

    /** True when everything up to `wanted` is known of this namespace. "" and "0" stand for the first list.

        A version that is not comparable is reached when the lane is, or recently was, at exactly that version. */
    [[nodiscard]] bool reached(std::string_view ns, std::string_view wanted) const;

    /// Adds a wait for a version that a lane has yet to reach.
    [[nodiscard]] ticket wait(std::string_view ns, std::string_view wanted);
    void leave(ticket t);

    /// Sets the lane's version, which may be older than before: a server restored from a backup.
    /// Returns the waits that it ends.
    [[nodiscard]] std::vector<ticket> reach(std::string_view lane, std::string_view version);
    /// Records that the lane has passed a version that is not comparable, on its way to another one. Returns the waits
    /// that it ends.
    [[nodiscard]] std::vector<ticket> pass(std::string_view lane, std::string_view version);

private:
    /// Numbers in their order, then other versions in lexical order.
    struct in_order
    {
        using is_transparent = void;
        bool operator()(std::string_view a, std::string_view b) const noexcept;
    };
    using waits = std::multimap<std::string, ticket, in_order>;
    struct lane
    {
        std::string version;
        /// Versions that are not comparable, the latest last.
        std::deque<std::string> passed;
        waits waiting;
    };
    struct place
    {
        std::string lane;
        waits::iterator at;
    };

    [[nodiscard]] const lane* covering(std::string_view ns) const;
    void end(lane& l, waits::iterator from, waits::iterator to, std::vector<ticket>& out);
    void remember(lane& l, std::string_view version, std::vector<ticket>& out);

    std::map<std::string, lane, std::less<>> lanes_;
    std::unordered_map<ticket, place> places_;
    ticket next_ = 1;
};

} // namespace kubecoro::detail
