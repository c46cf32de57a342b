#pragma once
// Which name look-ups to begin, share and remember. Sans-io.

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

/** Each name is looked up once at a time; names do not wait for each other. What was found is good for five seconds and
    a failure for one: long enough for connections that begin together, short enough for a server that moves.

    Inputs are times that never go back. */
class lookup_core
{
public:
    using moment = std::chrono::steady_clock::time_point;

    /// Begin a look-up and report it with on_result().
    struct begin
    {
    };
    /// One is in progress: share its result.
    struct join
    {
    };
    using action = std::variant<lookup_result, begin, join>;

    [[nodiscard]] action ask(const std::string& name, moment now);
    /// @param now  When the look-up ended, which may be some time ago.
    void on_result(const std::string& name, const lookup_result& found, moment now);

    /// Names that are remembered or looked up at present.
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

private:
    struct entry
    {
        /// Empty while the look-up is in progress.
        std::optional<lookup_result> found;
        moment good_until;
    };
    std::map<std::string, entry> names_;
};

} // namespace kubecoro::detail
