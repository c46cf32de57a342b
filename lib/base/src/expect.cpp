#include <kubecoro/base/detail/expect.hpp>

#include <cstdio>
#include <cstdlib>

namespace kubecoro::detail {

void expectation_failed(const char* condition, std::source_location at) noexcept
{
    const auto line = static_cast<unsigned>(at.line());
    std::fprintf(stderr, "%s:%u: %s: expected %s\n", at.file_name(), line, at.function_name(), condition);
    std::abort();
}

} // namespace kubecoro::detail
