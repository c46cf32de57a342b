#pragma once
// Which version the store has reached, and who waits for which.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kubecoro::detail {

/** The versions that the lanes of an informer have reached, and the waits for those they have not.

    A lane is one namespace with a watch of its own, or "" for everything. Sans-io, not thread safe. Waits lie in the
    order of their versions, so that a step forward costs what it ends, however many wait. */
class version_core
{
public:
    /// Never 0.
    using ticket = std::uint64_t;

    void add_lane(std::string_view ns);
    /// @return the waits that it ends in vain.
    [[nodiscard]] std::vector<ticket> remove_lane(std::string_view ns);
    [[nodiscard]] std::vector<std::string> lanes() const;
    /// There is a lane that sees this namespace.
    [[nodiscard]] bool covers(std::string_view ns) const { return covering(ns) != nullptr; }
    /// What that lane has reached; empty before its first list.
    [[nodiscard]] std::string_view version(std::string_view ns) const;

    /** Everything up to `wanted` is known of this namespace. "" and "0" ask for anything at all: the first list.

        A version that cannot be compared is reached when the lane is just there, or was there lately. */
    [[nodiscard]] bool reached(std::string_view ns, std::string_view wanted) const;

    /// Waits; reached() must be false and covers() true.
    [[nodiscard]] ticket wait(std::string_view ns, std::string_view wanted);
    void leave(ticket t);

    /// The lane has everything up to this version, which may also be an older one: a server restored from a backup.
    /// @return the waits that it ends.
    [[nodiscard]] std::vector<ticket> reach(std::string_view lane, std::string_view version);
    /// The lane has passed by a version that cannot be compared, on its way to one that it will reach.
    [[nodiscard]] std::vector<ticket> pass(std::string_view lane, std::string_view version);

private:
    /// Numbers in their order, then the rest in any.
    struct in_order
    {
        using is_transparent = void;
        bool operator()(std::string_view a, std::string_view b) const noexcept;
    };
    using waits = std::multimap<std::string, ticket, in_order>;
    struct lane
    {
        std::string version;
        /// Versions that cannot be compared, the latest last.
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
