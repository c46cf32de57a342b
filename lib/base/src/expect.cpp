#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/expect.hpp>

#include <boost/asio/strand.hpp>

#include <cstdio>
#include <cstdlib>

namespace asio = boost::asio;

namespace kubecoro::detail {

void expectation_failed(const char* condition, std::source_location at) noexcept
{
    const auto line = static_cast<unsigned>(at.line());
    std::fprintf(stderr, "%s:%u: %s: expected %s\n", at.file_name(), line, at.function_name(), condition);
    std::abort();
}

bool runs_on(const asio::any_io_executor& executor) noexcept
{
    const auto* strand = executor.target<asio::strand<asio::any_io_executor>>();
    return !strand || strand->running_in_this_thread();
}

bool runs_on(const kept_executor& executor) noexcept { return runs_on(executor.get()); }

} // namespace kubecoro::detail
