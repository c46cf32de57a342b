#include "files/background_call.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace kubecoro::detail {

namespace asio = boost::asio;

namespace {

failure system_failure(const std::string& doing)
{
    return {boost::system::error_code(errno, boost::system::system_category()), doing};
}

} // namespace

result<std::shared_ptr<background_end>> background_end::make(const std::string& doing)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure(doing);
    return std::shared_ptr<background_end>(new background_end(ends[0], ends[1]));
}

background_end::~background_end()
{
    signal();
    ::close(read_);
}

void background_end::signal() noexcept
{
    if (const int open = std::exchange(write_, -1); open >= 0) ::close(open);
}

result<> background_end::run(std::shared_ptr<background_end> self, const std::string& doing, std::function<void()> work)
{
    try {
        std::thread([self, work = std::move(work)]() mutable {
            work();
            work = nullptr;
            self->signal();
        }).detach();
    } catch (const std::system_error& e) {
        return failure(cond::internal, doing + ": " + e.what());
    }
    return {};
}

void background_end::block_until(std::chrono::steady_clock::time_point latest) const noexcept
{
    pollfd end{.fd = read_, .events = POLLIN, .revents = 0};
    for (int ready = -1; ready < 0;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - std::chrono::steady_clock::now());
        ready = ::poll(&end, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ready < 0 && errno != EINTR) return;
    }
}

asio::awaitable<result<>> background_end::wait(std::shared_ptr<background_end> self, std::string doing)
{
    const auto executor = co_await asio::this_coro::executor;
    const int own = ::fcntl(self->read_, F_DUPFD_CLOEXEC, 0);
    if (own < 0) co_return system_failure("wait to " + doing);
    asio::posix::stream_descriptor end(executor, own);
    auto [code] =
        co_await end.async_wait(asio::posix::stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
    if (code) co_return failure(code, "wait to " + doing);
    co_return result<>{};
}

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
