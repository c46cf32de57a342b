#pragma once

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <utility>

namespace kubecoro::detail {

class context_tie;
[[nodiscard]] std::shared_ptr<context_tie> tie_to_context(const boost::asio::any_io_executor& executor,
                                                          std::shared_ptr<void> value);
[[nodiscard]] std::shared_ptr<void> value_of_tie(const context_tie& tie);

/** Binds a value such as a strand, a timer or a socket to its execution context, for an owner that may outlive the
    context.

    Such values refer to their context when they are destroyed. The value is therefore destroyed with the last copy
    of the handle or at the end of the context, whichever comes first. Thread safe: the last copy may be destroyed in
    one thread while the context ends in another. */
template<class T>
class context_bound
{
public:
    /// Holds nothing.
    context_bound() = default;
    /// @param executor  An executor of the context that the value belongs to. Not empty.
    context_bound(const boost::asio::any_io_executor& executor, T value)
        : tie_(tie_to_context(executor, std::make_shared<T>(std::move(value))))
    {
    }

    /// The value; null when empty or when the context has ended. Use it immediately; do not store it.
    [[nodiscard]] std::shared_ptr<T> get() const
    {
        return tie_ ? std::static_pointer_cast<T>(value_of_tie(*tie_)) : nullptr;
    }

private:
    std::shared_ptr<context_tie> tie_;
};

/** An executor, usually a strand, that may be kept longer than its context. A regular type; thread safe. */
class kept_executor
{
public:
    kept_executor() = default;
    /// @param executor  Empty: get() returns an empty executor.
    kept_executor(const boost::asio::any_io_executor& executor)
    {
        if (executor) kept_ = context_bound<boost::asio::any_io_executor>(executor, executor);
    }

    /// The executor; empty when none was given or the context has ended. Use it immediately.
    [[nodiscard]] boost::asio::any_io_executor get() const
    {
        const auto executor = kept_.get();
        return executor ? *executor : boost::asio::any_io_executor();
    }

private:
    context_bound<boost::asio::any_io_executor> kept_;
};

/// Makes a new strand on that executor; empty when `on` is empty.
[[nodiscard]] kept_executor make_kept_strand(const kept_executor& on);

} // namespace kubecoro::detail
