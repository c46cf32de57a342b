#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kubecoro::detail {

/** Finds the end of a container in JSON text, in any chunking. Looks only at strings and brackets, which is many
    times as fast as parsing; does not validate the text. */
class json_skipper
{
public:
    json_skipper() noexcept : json_skipper(has_wide_instructions()) {}
    /// @param wide  Use the processor's wide instructions, which must be available.
    explicit json_skipper(bool wide) noexcept : wide_(wide) {}

    /// True if the processor has the instructions for fast skipping: AVX2, POPCNT and PCLMUL.
    [[nodiscard]] static bool has_wide_instructions() noexcept;

    /// @param depth  Number of open containers, at least one; feed() searches for the end of the outermost. The text
    ///               continues outside a string.
    void begin(std::size_t depth) noexcept
    {
        depth_ = depth;
        escape_ = false;
        in_string_ = 0;
    }
    /// @return the bytes consumed: up to and including the end, or all.
    [[nodiscard]] std::size_t feed(std::string_view text) noexcept;
    [[nodiscard]] bool done() const noexcept { return depth_ == 0; }

private:
    template<class Machine>
    [[nodiscard]] std::size_t feed_with(std::string_view text) noexcept;
    /// Processes up to 64 bytes, of which the first `size` count. @return the bytes consumed.
    template<class Machine>
    [[nodiscard]] std::size_t block(const char* text, std::size_t size) noexcept;
    [[nodiscard]] std::size_t feed_wide(std::string_view text) noexcept;
    [[nodiscard]] std::uint64_t escaped(std::uint64_t backslashes, std::size_t size) noexcept;

    std::size_t depth_ = 0;
    bool wide_;
    /// The next byte is escaped.
    bool escape_ = false;
    /// All ones inside a string.
    std::uint64_t in_string_ = 0;
};

} // namespace kubecoro::detail
