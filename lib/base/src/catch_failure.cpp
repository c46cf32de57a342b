#include <kubecoro/base/as_result.hpp>
#include <kubecoro/base/catch_failure.hpp>

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <system_error>

namespace asio = boost::asio;

namespace kubecoro {
namespace {

/// Boost distinguishes the standard library's categories from its own, and comparisons use its own.
boost::system::error_code own_category(const std::error_code& code) noexcept
{
    if (code.category() == std::generic_category()) return {code.value(), boost::system::generic_category()};
    if (code.category() == std::system_category()) return {code.value(), boost::system::system_category()};
    return code;
}

failure described(std::exception_ptr thrown)
{
    try {
        std::rethrow_exception(std::move(thrown));
    } catch (const error& e) {
        return e.why();
    } catch (const boost::system::system_error& e) {
        const cond c = condition_of(e.code());
        return c == cond::cancelled ? failure(c) : failure(c, e.what());
    } catch (const std::system_error& e) {
        const cond c = condition_of(own_category(e.code()));
        return c == cond::cancelled ? failure(c) : failure(c, e.what());
    } catch (const std::exception& e) {
        return failure(cond::internal, e.what());
    } catch (...) {
        return failure(cond::internal, "an exception not derived from std::exception was thrown");
    }
}

} // namespace

failure to_failure(std::exception_ptr thrown) noexcept
{
    try {
        return described(std::move(thrown));
    } catch (const std::exception&) { // no memory for the words
        return {};
    }
}

failure detail::failure_of_completion(const boost::system::error_code& e)
{
    const cond c = condition_of(e);
    return c == cond::cancelled ? failure(c) : failure(c, e.message());
}

asio::awaitable<result<>> catch_failure(asio::awaitable<void> inner)
{
    std::exception_ptr thrown;
    try {
        co_await std::move(inner);
    } catch (...) {
        thrown = std::current_exception();
    }
    if (thrown) co_return to_failure(std::move(thrown));
    co_return result<>{};
}

asio::awaitable<bool> stop_requested()
{
    const auto state = co_await asio::this_coro::cancellation_state;
    co_return state.cancelled() != asio::cancellation_type::none;
}

} // namespace kubecoro
