// Decides when resources that were not found are looked for again.
#pragma once

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/result.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace kubecoro::tool {

/// For a user who waits for rights, for a definition or for a server: pauses grow from a second to 30, with jitter.
class search_plan
{
public:
    /// A server that asks for more is asked again after this.
    static constexpr std::chrono::minutes longest_pause{5};

    /// @param seed  Seeds the jitter.
    explicit search_plan(std::uint64_t seed);

    /// The pause before the next search, as long as the server asked for; nothing for failures that no search mends.
    [[nodiscard]] std::optional<duration> after(const failure& why);
    /// Whether the last search did not fail with the same words.
    [[nodiscard]] bool is_news(const failure& why);

private:
    backoff delays_;
    std::string told_;
};

} // namespace kubecoro::tool
