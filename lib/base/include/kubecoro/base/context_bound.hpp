#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <utility>

namespace kubecoro {

namespace detail {

class context_tie;
[[nodiscard]] std::shared_ptr<context_tie> tie_to_context(const boost::asio::any_io_executor& executor,
                                                          std::shared_ptr<void> value);
[[nodiscard]] std::shared_ptr<void> value_of(const context_tie& tie);

} // namespace detail

/** A value that belongs to an execution context, for an owner that may outlive the context: a strand, a timer, a socket.

    Such values refer to their context when they are destroyed. This one is destroyed with the last copy of the handle, or
    at the end of the context, whichever comes first. Thread safe: the last copy may go in one thread while the context ends
    in another. */
template<class T>
class context_bound
{
public:
    /// Holds nothing.
    context_bound() = default;
    /// @param executor  Of the context that the value belongs to. Not empty.
    context_bound(const boost::asio::any_io_executor& executor, T value)
        : tie_(detail::tie_to_context(executor, std::make_shared<T>(std::move(value))))
    {
    }

    /// The value; null when there is none or the context has ended. For use at once: what it returns must not be kept.
    [[nodiscard]] std::shared_ptr<T> get() const
    {
        return tie_ ? std::static_pointer_cast<T>(detail::value_of(*tie_)) : nullptr;
    }

private:
    std::shared_ptr<detail::context_tie> tie_;
};

/** An executor, a strand above all, that may be kept longer than its context. A regular value; thread safe. */
class kept_executor
{
public:
    kept_executor() = default;
    kept_executor(const boost::asio::any_io_executor& executor)
    {
        if (executor) kept_ = context_bound<boost::asio::any_io_executor>(executor, executor);
    }

    /// The executor; an empty one when there is none or the context has ended. For use at once.
    [[nodiscard]] boost::asio::any_io_executor get() const
    {
        const auto executor = kept_.get();
        return executor ? *executor : boost::asio::any_io_executor();
    }

private:
    context_bound<boost::asio::any_io_executor> kept_;
};

/// A new strand on that executor; none when there is none.
[[nodiscard]] kept_executor make_kept_strand(const kept_executor& on);

} // namespace kubecoro
