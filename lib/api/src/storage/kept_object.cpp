#include <kubecoro/api/detail/kept_object.hpp>

#include "storage/block_life.hpp"
#include "storage/object_block.hpp"

namespace kubecoro::detail {

kept_object::kept_object(const object& o) noexcept : block_(o.block_)
{
    if (block_ != nullptr) add_keeper(*block_);
}

kept_object::kept_object(const kept_object& other) noexcept : block_(other.block_)
{
    if (block_ != nullptr) add_keeper(*block_);
}

kept_object::~kept_object()
{
    if (block_ != nullptr) drop_keeper(*block_);
}

object kept_object::get() const noexcept
{
    if (block_ != nullptr) add_first_reader(*block_);
    return object(block_);
}

object_key_view kept_object::key() const& noexcept { return {front_text(block_, front_field::ns), name()}; }

std::string_view kept_object::name() const& noexcept { return front_text(block_, front_field::name); }

std::size_t kept_object::bytes() const noexcept { return block_ == nullptr ? 0 : resting_bytes(*block_); }

} // namespace kubecoro::detail
