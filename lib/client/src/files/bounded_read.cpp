#include "files/bounded_read.hpp"

#include "files/background_call.hpp"

#include <kubecoro/base/catch_failure.hpp>

namespace kubecoro::detail {

result<std::string> bounded_read(const environment& machine, const std::string& file, std::size_t max_bytes,
                                 std::chrono::steady_clock::duration patience)
{
    using call = background_call<result<std::string>>;
    const auto begun =
        call::start("read " + file, [read = machine.read_file, file, max_bytes]() -> result<std::string> {
            try {
                return read(file, max_bytes);
            } catch (...) {
                return to_failure(std::current_exception());
            }
        });
    if (!begun) return begun.error();
    (*begun)->block_until(std::chrono::steady_clock::now() + patience);
    if (auto content = (*begun)->outcome()) return *std::move(content);
    return failure(cond::misconfigured, file + ": could not be read in time");
}

} // namespace kubecoro::detail
