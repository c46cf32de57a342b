// The implementation of object_encoding.
#pragma once

#include "tape/vocabulary.hpp"

#include <kubecoro/api/detail/object_encoding.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubecoro {
class type_members;
}

namespace kubecoro::detail {

class packing;

inline constexpr std::size_t max_hot_fields = 32;

/** Reference-counted manually: one count for all shared owners together and one per object, so that objects hold a
    plain pointer and can outlive their informer. */
class encoding final : public object_encoding
{
public:
    explicit encoding(const encoding_options& options);

    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept
    {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    /// The implementation behind the public interface; null for null.
    [[nodiscard]] static encoding* of(const std::shared_ptr<object_encoding>& e) noexcept
    {
        return static_cast<encoding*>(e.get());
    }

    [[nodiscard]] static vocabulary* words_of(const std::shared_ptr<object_encoding>& e) noexcept
    {
        return words_of(of(e));
    }
    [[nodiscard]] static vocabulary* words_of(encoding* e) noexcept { return e == nullptr ? nullptr : &e->words; }

    vocabulary words;
    /// Null unless objects are compressed.
    std::unique_ptr<packing> packed;
    const storage policy;
    /// Paths; at most max_hot_fields.
    const std::vector<std::string> hot_fields;
    /// Replaces PartialObjectMetadata; null = no replacement.
    std::unique_ptr<const type_members> real_type;

private:
    ~encoding();

    std::atomic<std::size_t> references_{1};
};

} // namespace kubecoro::detail
