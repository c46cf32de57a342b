#pragma once
// Reads Warning headers and remembers which warnings were passed on. Sans-io.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The texts of the warnings with code 299 in one Warning header: `299 - "text" "date", 299 - "other"`. A malformed
/// part ends the reading; what came before it is kept.
[[nodiscard]] std::vector<std::string> parse_warnings(std::string_view header);

/// The warnings that a client has passed on.
class seen_warnings
{
public:
    /// True the first time. After 1,000 different texts all are forgotten.
    [[nodiscard]] bool is_new(const std::string& text);

private:
    std::set<std::string> seen_;
};

} // namespace kubecoro::detail
