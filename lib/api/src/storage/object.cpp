#include <kubecoro/api/object.hpp>

#include "storage/block_life.hpp"
#include "storage/object_block.hpp"
#include "storage/packing.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/base/hash.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>

namespace kubecoro {

namespace {

value_view front(const object::block* b, front_field f) noexcept { return b == nullptr ? value_view{} : b->front(f); }

} // namespace

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
    return detail::hash_texts(key.ns, key.name);
}

object::object(const object& other) noexcept : block_(other.block_)
{
    if (block_ != nullptr) detail::add_reader(*block_);
}

object::~object()
{
    if (block_ != nullptr) detail::drop_reader(*block_);
}

result<object> object::parse(std::string_view json) { return decode_object(json); }

result<object> object::from_json(const boost::json::value& json) { return decode_object(detail::written_json(json)); }

std::string_view object::api_version() const& noexcept { return front_text(block_, front_field::api_version); }

std::string_view object::kind() const& noexcept { return front_text(block_, front_field::kind); }

bool object::has_metadata() const noexcept { return !name().empty(); }

std::string_view object::ns() const& noexcept { return front_text(block_, front_field::ns); }

std::string_view object::name() const& noexcept { return front_text(block_, front_field::name); }

std::string_view object::uid() const& noexcept { return front_text(block_, front_field::uid); }

bool object::has_uid(std::string_view uid) const noexcept
{
    return block_ == nullptr ? uid.empty() : block_->has_uid(uid);
}

bool object::same_uid(const object& other) const noexcept
{
    if (block_ == nullptr) return other.has_uid({});
    return other.block_ == nullptr ? has_uid({}) : block_->has_uid_of(*other.block_);
}

std::optional<std::array<unsigned char, 16>> object::uuid() const noexcept
{
    return block_ == nullptr ? std::nullopt : block_->uuid();
}

std::string_view object::resource_version() const& noexcept
{
    return front_text(block_, front_field::resource_version);
}

std::int64_t object::generation() const noexcept { return front(block_, front_field::generation).as_int64(); }

bool object::being_deleted() const noexcept
{
    return static_cast<bool>(front(block_, front_field::deletion_timestamp));
}

bool object::is_partial() const noexcept { return block_ != nullptr && block_->partial; }

value_view object::root() const& noexcept
{
    const plain_block* const all = block_ == nullptr ? nullptr : detail::whole(*block_);
    return all == nullptr ? value_view{} : all->root();
}

value_view object::operator[](std::string_view member) const& noexcept
{
    const plain_block* const all = block_ == nullptr ? nullptr : detail::whole(*block_);
    return all == nullptr ? value_view{} : all->member(member);
}

namespace {

value_view packed_path(const object::block& b, std::string_view dotted) noexcept
{
    if (const auto v = b.encoding->packed->read_front(b.as_packed(), dotted)) return *v;
    const plain_block* const all = detail::whole(b);
    return all == nullptr ? value_view{} : all->path(dotted);
}

} // namespace

value_view object::path(std::string_view dotted) const& noexcept
{
    if (block_ == nullptr) return {};
    return block_->packed ? packed_path(*block_, dotted) : block_->as_plain().path(dotted);
}

value_view object::metadata() const& noexcept { return front(block_, front_field::metadata); }

value_view object::labels() const& noexcept { return front(block_, front_field::labels); }

value_view object::annotations() const& noexcept { return front(block_, front_field::annotations); }

value_view object::owner_references() const& noexcept { return front(block_, front_field::owner_references); }

std::string object::to_text() const { return root().to_text(); }

boost::json::value object::to_json() const { return root().to_json(); }

std::size_t object::bytes() const noexcept
{
    return block_ == nullptr ? 0 : detail::resting_bytes(*block_) + detail::expansion_bytes(*block_);
}

} // namespace kubecoro

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

namespace {

object::block* block_at(const void* identity) noexcept
{
    // Objects are immutable except for their counts.
    return const_cast<object::block*>(
        static_cast<const object::block*>(identity)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

/// A handle without a reference count.
struct uncounted
{
    explicit uncounted(object::block* b) noexcept : handle(object_builder::adopt(b)) {}
    uncounted(const uncounted&) = delete;
    uncounted& operator=(const uncounted&) = delete;
    ~uncounted() { object_builder::forget(handle); }
    object handle;
};

object counted(object::block* b) noexcept
{
    add_first_reader(*b);
    return object_builder::adopt(b);
}

} // namespace

object borrowed_object::get() const noexcept { return counted(block_at(identity_)); }

kept_object borrowed_object::keep() const noexcept
{
    const uncounted o(block_at(identity_));
    return kept_object(o.handle);
}

void show(std::span<const borrowed_object> objects, const std::function<void(const object&)>& f)
{
    for (std::size_t i = 0; i < std::min(ahead, objects.size()); ++i) prefetch_object(objects[i].identity_);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (i + ahead < objects.size()) prefetch_object(objects[i + ahead].identity_);
        object::block* const b = block_at(objects[i].identity_);
        if (b->packed)
            f(counted(b));
        else
            f(uncounted(b).handle);
    }
}

} // namespace kubecoro::detail
