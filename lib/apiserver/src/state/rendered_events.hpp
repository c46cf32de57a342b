// Events in forms that only some watchers ask for, such as tables, rendered once for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro::apiserver {

/// Keeps the renderings of a resource's newest changes, up to a bound of bytes. Strand-confined.
class rendered_events
{
public:
    using line = std::shared_ptr<const std::string>;

    static constexpr std::size_t most_bytes = std::size_t{1} << 20;

    /** @param sequence  The number of the change. @param form  Names all that the rendering depends on, but the change.
        @return null if it is not kept. */
    [[nodiscard]] line find(std::uint64_t sequence, const std::string& form) const;
    /// Keeps a rendering in place of older ones. One that is larger than the bound is not kept.
    void keep(std::uint64_t sequence, std::string form, line made);
    /// Drops those of changes before a number.
    void forget_before(std::uint64_t sequence);
    void clear() { forget_before(static_cast<std::uint64_t>(-1)); }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

private:
    using key = std::pair<std::uint64_t, std::string>;
    void forget_oldest();

    std::map<key, line> lines_;
    std::size_t bytes_ = 0;
};

} // namespace kubecoro::apiserver
