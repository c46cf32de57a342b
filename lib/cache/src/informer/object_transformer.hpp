#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/detail/line_limit.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/cache/options.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** Calls the user's transform, and keeps an object that it cannot handle from holding up the others.

    Strand-confined, except failures(). */
class object_transformer
{
public:
    object_transformer(std::function<object(const object&)> f, std::shared_ptr<object_encoding> encoding, logger log);

    explicit operator bool() const noexcept { return static_cast<bool>(call_); }
    /** Returns the object to store: the transformed one, in the common encoding, or the original when the result has
        another identity.

        Errors: an exception of the transform, for the caller to try again. After several attempts at an object, or
        exceptions in a minute, and for a minute after that, an object for which it throws is stored as received, so
        that a tenant who creates such objects cannot stop the informer. */
    [[nodiscard]] result<object> apply(const object& fresh, time_point now);
    /// Heap bytes shared by the transformed objects. Any thread.
    [[nodiscard]] std::size_t shared_bytes() const noexcept { return encoding_ ? encoding_->bytes() : 0; }
    /// Number of objects stored as received. Any thread.
    [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

private:
    /// Errors: the transform's exception.
    [[nodiscard]] result<object> call(const object& fresh) const;
    /// Errors: cond::invalid when the object has another identity than `fresh`.
    [[nodiscard]] result<object> encode(const object& made, const object& fresh) const;
    [[nodiscard]] bool patient(time_point now);
    [[nodiscard]] object give_up(const object& fresh, const failure& why, time_point now);

    std::function<object(const object&)> call_;
    std::shared_ptr<object_encoding> encoding_;
    logger log_;
    /// Anyone who may write objects may cause failures.
    line_limit failures_shown_ = {};
    /// Exceptions in a row.
    unsigned thrown_ = 0;
    /// Exceptions until period_end_.
    unsigned exceptions_ = 0;
    time_point period_end_{};
    std::atomic<std::uint64_t> failures_{0};
};

} // namespace kubecoro::detail
