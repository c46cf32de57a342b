#pragma once
// Decides which name look-ups to begin, share and cache. Sans-io.

#include <kubecoro/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kubecoro::detail {

/// Addresses as text without brackets.
using lookup_result = result<std::vector<std::string>>;

/** Each name has at most one look-up in progress; different names do not wait for each other. A result is cached for
    five seconds and a failure for one: long enough for connections that begin together, short enough for a server
    that moves.

    Times passed in must never decrease. */
class lookup_core
{
public:
    using moment = std::chrono::steady_clock::time_point;

    /// Begin a look-up and report it with on_result().
    struct begin
    {
    };
    /// A look-up is in progress: share its result.
    struct join
    {
    };
    using action = std::variant<lookup_result, begin, join>;

    [[nodiscard]] action ask(const std::string& name, moment now);
    /// @param now  When the look-up ended, possibly in the past.
    void on_result(const std::string& name, const lookup_result& found, moment now);

    /// The look-up that was to begin has not: the next one to ask begins it.
    void on_no_begin(const std::string& name) noexcept { names_.erase(name); }

    /// Number of names cached or being looked up.
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

private:
    static constexpr std::chrono::seconds good_for{5};
    static constexpr std::chrono::seconds bad_for{1};

    struct entry
    {
        /// Empty while the look-up is in progress.
        std::optional<lookup_result> found;
        moment good_until;
    };
    std::map<std::string, entry> names_;
};

inline lookup_core::action lookup_core::ask(const std::string& name, moment now)
{
    std::erase_if(names_, [now](const auto& named) { return named.second.found && now >= named.second.good_until; });
    const auto [at, added] = names_.try_emplace(name);
    if (added) return begin{};
    if (!at->second.found) return join{};
    return *at->second.found;
}

inline void lookup_core::on_result(const std::string& name, const lookup_result& found, moment now)
{
    names_[name] = {found, now + (found ? good_for : bad_for)};
}

} // namespace kubecoro::detail
