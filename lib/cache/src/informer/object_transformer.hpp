#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/options.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** Calls the user's transform, and keeps what it does wrong to the one object it did it to. */
class object_transformer
{
public:
    object_transformer(object_transform f, std::shared_ptr<object_encoding> encoding, logger log);

    explicit operator bool() const noexcept { return static_cast<bool>(call_); }
    /// The object to store: what the user made of it, in the form of the others, or as it came when that failed.
    [[nodiscard]] object apply(const object& fresh) const;
    [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

private:
    /// Errors: what it threw; cond::invalid for something that is not the same object any more.
    [[nodiscard]] result<object> call(const object& fresh) const;

    object_transform call_;
    std::shared_ptr<object_encoding> encoding_;
    logger log_;
    mutable std::atomic<std::uint64_t> failures_{0};
};

} // namespace kubecoro::detail
