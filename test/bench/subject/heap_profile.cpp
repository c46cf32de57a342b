#include "heap_profile.hpp"

#include <charconv>
#include <string>

namespace kubecoro::bench {

namespace {

/// The number behind "# NAME = ".
result<std::uint64_t> number_after(std::string_view text, std::string_view name)
{
    const auto mark = "\n# " + std::string(name) + " = ";
    const auto at = text.find(mark);
    std::uint64_t n = 0;
    if (at == std::string_view::npos ||
        std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), n).ec != std::errc())
        return failure(cond::corrupt, "the heap profile does not say " + std::string(name));
    return n;
}

} // namespace

result<std::uint64_t> memory_in_use(std::string_view heap_profile)
{
    auto heap = number_after(heap_profile, "HeapAlloc");
    auto stacks = number_after(heap_profile, "Stack");
    if (!heap || !stacks) return heap ? stacks.error() : heap.error();
    return *heap + *stacks;
}

} // namespace kubecoro::bench
