#pragma once

#include <kubecoro/api/value_view.hpp>
#include <kubecoro/base/lifetime_bound.hpp>
#include <kubecoro/base/result.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kubecoro {

/// Identifies an object within its resource; `ns` is empty for cluster-scoped objects. Borrowed text.
struct object_key_view
{
    /// The namespace; empty for cluster-scoped objects.
    std::string_view ns;
    /// The object's name.
    std::string_view name;

    constexpr object_key_view() noexcept = default;
    /// @param n   The namespace; empty for cluster-scoped objects.
    /// @param nm  The object's name.
    constexpr object_key_view(std::string_view n, std::string_view nm) noexcept : ns(n), name(nm) {}
    /// Deleted: one text could be a namespace, a name or both.
    object_key_view(std::string_view) = delete; // {ns, name}, {"", name}, or object_key::parse(text).value()

    friend bool operator==(const object_key_view&, const object_key_view&) = default;
    friend auto operator<=>(const object_key_view&, const object_key_view&) = default;
};

/// An object key that owns its text. A regular value.
struct object_key
{
    /// The namespace; empty for cluster-scoped objects.
    std::string ns;
    /// The object's name.
    std::string name;

    object_key() = default;
    /// Copies or moves texts of any kind, such as those of object::ns() and object::name().
    /// @param n   The namespace; empty for cluster-scoped objects.
    /// @param nm  The object's name.
    template<class Ns = std::string, class Name = std::string>
        requires std::constructible_from<std::string, Ns> && std::constructible_from<std::string, Name>
    object_key(Ns&& n, Name&& nm) : ns(std::forward<Ns>(n)), name(std::forward<Name>(nm))
    {
    }
    /// Copies the text of a view, so that object::key() is accepted wherever a key is kept.
    object_key(object_key_view v) : ns(v.ns), name(v.name) {}
    /// Deleted: one text could be a namespace, a name or both.
    object_key(const char*) = delete; // {ns, name}, {"", name}, or object_key::parse(text).value()
    /// A view of this key, valid until the key is changed or destroyed.
    operator object_key_view() const noexcept KUBECORO_LIFETIME_BOUND { return {ns, name}; }

    /// Parses "namespace/name" or "name". Errors: cond::invalid for an empty part or more than one '/'.
    [[nodiscard]] static result<object_key> parse(std::string_view text);

    friend bool operator==(const object_key&, const object_key&) = default;
    friend auto operator<=>(const object_key&, const object_key&) = default;
    // Each converts to the other: without these two a comparison of both is ambiguous.
    friend bool operator==(const object_key& a, object_key_view b) noexcept { return object_key_view(a) == b; }
    friend auto operator<=>(const object_key& a, object_key_view b) noexcept { return object_key_view(a) <=> b; }
};

/// "namespace/name", or "name" for cluster-scoped objects.
[[nodiscard]] std::string to_string(object_key_view key);
/// Writes to_string(key).
std::ostream& operator<<(std::ostream& out, object_key_view key);

namespace detail {
class kept_object;
}
class object;
class object_builder;
std::ostream& operator<<(std::ostream& out, const object& o) = delete; // print o.key(), or o.to_json()

/// Hash for both key types, transparent. Keyed like text_hash: it differs between processes, so colliding names cannot
/// be chosen.
struct object_key_hash
{
    using is_transparent = void;
    using is_avalanching = void;
    /// Hashes namespace and name together: "a/b" and "b/a" differ.
    [[nodiscard]] std::size_t operator()(object_key_view key) const noexcept;
};
/// Equality that goes with object_key_hash.
struct object_key_equal
{
    using is_transparent = void;
    /// True if namespace and name are equal.
    [[nodiscard]] bool operator()(object_key_view a, object_key_view b) const noexcept { return a == b; }
};

/** One Kubernetes object as the server sent it: immutable, shared, encoded.

    The handle is one pointer to a reference-counted block. Copying it never copies the object, and any thread may read
    or drop any copy. Frequently used metadata is stored in front, ready to use; the rest is read in place through
    value_view. A default-constructed object is null: all text empty, all views absent. Returned text and views are
    valid as long as a copy of the handle that you hold: an informer's store keeps the object alive, but not values read
    from it.

    Objects of an informer with storage::compressed are expanded when a value is read that is not stored in front;
    the functions that expand say so. Expanding costs about 1 us and, until the last copy of the handle is dropped,
    the memory of a plain object. */
class object
{
public:
    object() noexcept = default;
    /// Makes another handle to the same object. Copies nothing but the handle.
    object(const object& other) noexcept;
    /// Takes the handle over; `other` becomes null.
    object(object&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
    object& operator=(object other) noexcept
    {
        std::swap(block_, other.block_);
        return *this;
    }
    ~object();

    /// Encodes JSON text. Errors: cond::corrupt for anything but one JSON object within the default limits.
    [[nodiscard]] static result<object> parse(std::string_view json);
    /// Errors: as parse, and for non-finite doubles, which JSON cannot represent.
    [[nodiscard]] static result<object> from_json(const boost::json::value& json);

    /// False for a null handle.
    explicit operator bool() const noexcept { return block_ != nullptr; }

    /// apiVersion; empty for a null handle.
    [[nodiscard]] std::string_view api_version() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// The kind; empty for a null handle.
    [[nodiscard]] std::string_view kind() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// True if `metadata` was present and a JSON object with a name.
    [[nodiscard]] bool has_metadata() const noexcept;
    /// metadata.namespace; empty for cluster-scoped objects.
    [[nodiscard]] std::string_view ns() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// metadata.name.
    [[nodiscard]] std::string_view name() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// Namespace and name.
    [[nodiscard]] object_key_view key() const& noexcept KUBECORO_LIFETIME_BOUND { return {ns(), name()}; }
    /// Expands. To compare uids, use has_uid() or same_uid().
    [[nodiscard]] std::string_view uid() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// Whether its uid is this one.
    [[nodiscard]] bool has_uid(std::string_view uid) const noexcept;
    /// Whether both have the same uid.
    [[nodiscard]] bool same_uid(const object& other) const noexcept;
    /// A uid in canonical form, as API servers create them, as 16 bytes; nothing for any other. Does not expand, and if
    /// it returns nothing neither does uid().
    [[nodiscard]] std::optional<std::array<unsigned char, 16>> uuid() const noexcept;
    /// metadata.resourceVersion, as text.
    [[nodiscard]] std::string_view resource_version() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// 0 when the kind has none.
    [[nodiscard]] std::int64_t generation() const noexcept;
    /// True if metadata.deletionTimestamp is set: finalizers delay the deletion.
    [[nodiscard]] bool being_deleted() const noexcept;
    /// True if the server sent it as protobuf with fields that this version does not know, so that they are missing:
    /// writing it back would delete them on the server.
    [[nodiscard]] bool is_partial() const noexcept;

    /// The whole object. Expands.
    [[nodiscard]] value_view root() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// Same as root().path(dotted). Values stored in front do not expand: hot fields (storage_options), labels, owner
    /// references, name, namespace, resourceVersion, generation, deletionTimestamp, kind and apiVersion, also when
    /// absent.
    [[nodiscard]] value_view path(std::string_view dotted) const& noexcept KUBECORO_LIFETIME_BOUND;
    /// A member of the root; `metadata`, `spec` and `status` are found without searching. Expands.
    [[nodiscard]] value_view operator[](std::string_view member) const& noexcept KUBECORO_LIFETIME_BOUND;
    /// metadata.labels; absent when there are none.
    [[nodiscard]] value_view labels() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// metadata.ownerReferences; absent when there are none.
    [[nodiscard]] value_view owner_references() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// Both expand.
    [[nodiscard]] value_view metadata() const& noexcept KUBECORO_LIFETIME_BOUND;
    /// metadata.annotations; absent when there are none.
    [[nodiscard]] value_view annotations() const& noexcept KUBECORO_LIFETIME_BOUND;

    // Deleted for temporaries, whose text and views would dangle: give the object a name first.
    std::string_view api_version() const&& = delete;
    std::string_view kind() const&& = delete;
    std::string_view ns() const&& = delete;
    std::string_view name() const&& = delete;
    object_key_view key() const&& = delete;
    std::string_view uid() const&& = delete;
    std::string_view resource_version() const&& = delete;
    value_view root() const&& = delete;
    value_view path(std::string_view dotted) const&& = delete;
    value_view operator[](std::string_view member) const&& = delete;
    // Deleted: an object has members, and 0 would be a null text.
    value_view operator[](std::size_t) const = delete; // items have numbers: o["spec"]["containers"][0]
    value_view labels() const&& = delete;
    value_view owner_references() const&& = delete;
    value_view metadata() const&& = delete;
    value_view annotations() const&& = delete;

    /// Complete JSON, with kind and apiVersion also for list items that came without them.
    [[nodiscard]] std::string to_text() const;
    /// A copy as a Boost.JSON value.
    [[nodiscard]] boost::json::value to_json() const;

    /// Heap bytes of the block and of its expansion if it has one, independent of the number of handles.
    [[nodiscard]] std::size_t bytes() const noexcept;

    /// Same block. To compare content: `a.root() == b.root()`.
    [[nodiscard]] bool is_same(const object& other) const noexcept { return block_ == other.block_; }
    /// Equal for handles to the same block, while one of them lives; for sorting and hashing.
    [[nodiscard]] const void* identity() const noexcept { return block_; }

    /// The shared representation; opaque.
    struct block;

private:
    friend class object_builder;
    friend class detail::kept_object;
    explicit object(block* adopted) noexcept : block_(adopted) {}
    block* block_ = nullptr;
};

} // namespace kubecoro

template<>
struct std::hash<kubecoro::object_key>
{
    std::size_t operator()(const kubecoro::object_key& k) const noexcept { return kubecoro::object_key_hash{}(k); }
};
