#include <kubecoro/api/object.hpp>

#include "object_block.hpp"

#include <kubecoro/api/decode.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <ostream>

namespace kubecoro {

result<object_key> object_key::parse(std::string_view text)
{
    const auto slash = text.find('/');
    const bool has_ns = slash != std::string_view::npos;
    const std::string_view ns = has_ns ? text.substr(0, slash) : std::string_view{};
    const std::string_view name = has_ns ? text.substr(slash + 1) : text;
    if (name.empty() || (has_ns && ns.empty()) || name.find('/') != std::string_view::npos)
        return failure(cond::invalid, "\"" + std::string(text) + "\" is not a key: expected namespace/name or name");
    return object_key(std::string(ns), std::string(name));
}

std::string to_string(object_key_view key)
{
    std::string out(key.ns);
    if (!out.empty()) out += '/';
    out += key.name;
    return out;
}

std::ostream& operator<<(std::ostream& out, object_key_view key)
{
    if (!key.ns.empty()) out << key.ns << '/';
    return out << key.name;
}

std::size_t object_key_hash::operator()(object_key_view key) const noexcept
{
    const std::hash<std::string_view> hash;
    const std::size_t h = hash(key.name);
    return hash(key.ns) ^ (h + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2));
}

object::object(const object& other) noexcept : block_(other.block_)
{
    // A new handle comes from one that is alive, so nothing needs to be ordered yet.
    if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
}

object::~object()
{
    if (block_ == nullptr) return;
    // Acquire makes the reads of every other handle happen before the memory is given back.
    if (block_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    detail::encoding* encoding = block_->encoding;
    block_->~block();
    ::operator delete(block_);
    if (encoding != nullptr) encoding->release();
}

result<object> object::parse(std::string_view json) { return decode_object(json); }

result<object> object::from_json(const boost::json::value& json) { return decode_object(boost::json::serialize(json)); }

std::string_view object::api_version() const noexcept
{
    return block_ == nullptr ? std::string_view{} : block_->at(block_->api_version).as_string();
}

std::string_view object::kind() const noexcept
{
    return block_ == nullptr ? std::string_view{} : block_->at(block_->kind).as_string();
}

bool object::has_metadata() const noexcept { return !name().empty(); }

std::string_view object::ns() const noexcept
{
    return block_ == nullptr ? std::string_view{} : block_->at(block_->ns).as_string();
}

std::string_view object::name() const noexcept
{
    return block_ == nullptr ? std::string_view{} : block_->at(block_->name).as_string();
}

std::string_view object::uid() const noexcept
{
    return block_ == nullptr ? std::string_view{} : block_->at(block_->uid).as_string();
}

std::string_view object::resource_version() const noexcept
{
    return block_ == nullptr ? std::string_view{} : block_->at(block_->resource_version).as_string();
}

std::int64_t object::generation() const noexcept
{
    return block_ == nullptr ? 0 : block_->at(block_->generation).as_int64();
}

bool object::being_deleted() const noexcept { return block_ != nullptr && block_->deletion_timestamp != 0; }

value_view object::root() const noexcept { return block_ == nullptr ? value_view{} : block_->root(); }

value_view object::metadata() const noexcept { return block_ == nullptr ? value_view{} : block_->at(block_->metadata); }

value_view object::labels() const noexcept { return block_ == nullptr ? value_view{} : block_->at(block_->labels); }

value_view object::annotations() const noexcept
{
    return block_ == nullptr ? value_view{} : block_->at(block_->annotations);
}

value_view object::owner_references() const noexcept
{
    return block_ == nullptr ? value_view{} : block_->at(block_->owner_references);
}

std::string object::to_text() const { return root().to_text(); }

boost::json::value object::to_json() const { return root().to_json(); }

std::size_t object::bytes() const noexcept { return block_ == nullptr ? 0 : sizeof(block) + block_->tape_size; }

} // namespace kubecoro
