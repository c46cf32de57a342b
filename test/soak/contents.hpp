#pragma once
// Contents of the soak's objects: words that never recur, in objects of constant number and size.

#include <kubecoro/base/detail/random.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace soak {

inline constexpr std::size_t namespaces = 16;
inline constexpr std::size_t teams = 20;

[[nodiscard]] std::string namespace_name(std::size_t number);

/// Seeded choices.
class dice
{
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}

    /// Uniform in [0, n).
    [[nodiscard]] std::size_t below(std::size_t n);
    /// Returns `length` hexadecimal digits.
    [[nodiscard]] std::string word(std::size_t length);

private:
    kubecoro::detail::random_source random_;
};

/// A pod of 3 to 4 KB. Its spec follows from the name, as a server demands; annotations and their names are new each time.
[[nodiscard]] std::string pod_text(dice& d, const std::string& name);
/// A config map of 1 to 3 KB, half of it new words.
[[nodiscard]] std::string config_map_text(dice& d, const std::string& name);

} // namespace soak
