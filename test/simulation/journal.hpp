#pragma once
// The record of one simulated world: the last steps for people, a hash of all steps, the first broken promise.

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/random.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kubecoro::simulation {

/// A uniform number in [0, n), 0 for n = 0.
[[nodiscard]] inline std::uint64_t below(detail::random_source& random, std::uint64_t n)
{
    return n == 0 ? 0 : random() % n;
}

/// True in one of `n` cases.
[[nodiscard]] inline bool one_in(detail::random_source& random, std::uint64_t n) { return below(random, n) == 0; }

class journal
{
public:
    /// @param echo  Prints every step as it happens.
    journal(std::shared_ptr<time_source> time, bool echo);

    /// Records a step of the script, a fault, or a notification. All count in the hash; the last ones are kept.
    void note(std::string_view who, std::string_view what);

    /// Records a broken promise. The first is kept, with the steps before it.
    void broken(std::string_view who, std::string_view what);

    [[nodiscard]] bool intact() const noexcept { return !broken_; }
    [[nodiscard]] const std::string& first_broken() const { return *broken_; }
    [[nodiscard]] std::string last_steps() const;
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] std::uint64_t steps() const noexcept { return count_; }

private:
    struct step
    {
        duration when;
        std::string what;
    };
    void mix(std::string_view text) noexcept;
    [[nodiscard]] static std::string text(const step& s);

    std::shared_ptr<time_source> time_;
    time_point begin_;
    bool echo_;
    /// Formatted only when printed: most worlds break nothing.
    std::deque<step> last_;
    std::uint64_t hash_ = 14695981039346656037ULL;
    std::uint64_t count_ = 0;
    std::optional<std::string> broken_;
};

} // namespace kubecoro::simulation
