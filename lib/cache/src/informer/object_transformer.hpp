#pragma once

#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/base/log.hpp>
#include <kubecoro/cache/options.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

/** Calls the user's transform, and confines its failures to the object concerned. */
class object_transformer
{
public:
    object_transformer(object_transform f, std::shared_ptr<object_encoding> encoding, logger log);

    explicit operator bool() const noexcept { return static_cast<bool>(call_); }
    /// Returns the object to store: the transformed one, in the common encoding, or the original when the transform
    /// failed.
    [[nodiscard]] object apply(const object& fresh) const;
    [[nodiscard]] std::uint64_t failures() const noexcept { return failures_; }

private:
    /// Errors: the transform's exception; cond::invalid when the result has another identity.
    [[nodiscard]] result<object> call(const object& fresh) const;

    object_transform call_;
    std::shared_ptr<object_encoding> encoding_;
    logger log_;
    mutable std::atomic<std::uint64_t> failures_{0};
};

} // namespace kubecoro::detail
