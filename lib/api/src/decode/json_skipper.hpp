#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kubecoro::detail {

/** Finds where a container of a JSON text ends, in any chunking, without looking at what is inside but for text and
    brackets: many times as fast as a parser. Whether the text is JSON it does not say. */
class json_skipper
{
public:
    json_skipper() noexcept : json_skipper(has_wide_instructions()) {}
    /// @param wide  Use the wide instructions of the processor, which has to have them.
    explicit json_skipper(bool wide) noexcept : wide_(wide) {}

    /// This processor has what makes skipping faster: AVX2 and what comes with it.
    [[nodiscard]] static bool has_wide_instructions() noexcept;

    /// @param depth  Containers that are open, at least one; the end of the outermost is looked for. The text goes on
    ///               outside of a string.
    void begin(std::size_t depth) noexcept
    {
        depth_ = depth;
        escape_ = false;
        in_string_ = 0;
    }
    /// @return the bytes taken: up to and with the end, or all.
    [[nodiscard]] std::size_t feed(std::string_view text) noexcept;
    [[nodiscard]] bool done() const noexcept { return depth_ == 0; }

private:
    struct narrow_machine;
    struct wide_machine;

    template<class Machine>
    [[nodiscard]] std::size_t feed_with(Machine machine, std::string_view text) noexcept;
    template<class Machine>
    [[nodiscard]] std::size_t block(Machine machine, const char* text, std::size_t size) noexcept;
    [[nodiscard]] std::size_t feed_wide(std::string_view text) noexcept;
    [[nodiscard]] std::uint64_t escaped(std::uint64_t backslashes, std::size_t size) noexcept;

    std::size_t depth_ = 0;
    bool wide_;
    /// The next byte is escaped.
    bool escape_ = false;
    /// All ones inside of a string.
    std::uint64_t in_string_ = 0;
};

} // namespace kubecoro::detail
