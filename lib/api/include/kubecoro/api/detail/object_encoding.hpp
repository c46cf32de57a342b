#pragma once

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/storage.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace kubecoro::detail {

struct encoding_options
{
    /** Text values that recur are kept once and referred to by number.

        They are never forgotten, so a value can outlive the object it came from: off for what must not, such as
        Secrets. Member names are shared in any case, except names of data entries. */
    bool values = true;
    storage_options storage = {};
    /// metadata_only: the kind and apiVersion that objects get in place of PartialObjectMetadata. Empty = none.
    std::string kind = {};
    std::string api_version = {};
    friend bool operator==(const encoding_options&, const encoding_options&) = default;
};

/// What suits a resource: no shared values for Secrets, which are never compressed either.
[[nodiscard]] encoding_options encoding_for(const resource_type& resource, storage_options storage = {});

/** How the objects of one informer are encoded: what they share, so that each of them is small.

    Given to decoders, which write it: one thread at a time may decode with it. Any number of threads may read objects
    made with it meanwhile. It lives as long as the last owner or the last object made with it, whichever comes later. */
class object_encoding
{
public:
    object_encoding(const object_encoding&) = delete;
    object_encoding& operator=(const object_encoding&) = delete;

    /// Heap bytes shared by all objects: 3 MB for 150,000 pods. Bounded: names, texts and containers at 16 MiB, and with
    /// storage::compressed 4 MiB of samples while it learns, besides its dictionaries. Any thread.
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] storage_stats stats() const;

    /** The object in the form in which it should be stored, which may be the one it has. Content and key are the same.
        For the thread that decodes. */
    [[nodiscard]] object at_rest(const object& o);
    /// at_rest() may give it another form. Any thread.
    [[nodiscard]] bool stale(const kept_object& o) const noexcept;
    /// Grows when objects that were stored before should go through at_rest() again: a better dictionary is there. Any
    /// thread.
    [[nodiscard]] std::uint64_t revision() const noexcept;

    /** compressed: keeps the objects that were expanded last (128) expanded, so that reading them again is cheap. Whoever
        switches it on must switch it off before it lets go of the encoding. Any thread. */
    void keep_recent(bool on);

protected:
    object_encoding() = default;
    ~object_encoding() = default;
};

[[nodiscard]] std::shared_ptr<object_encoding> make_object_encoding(encoding_options options = {});

} // namespace kubecoro::detail
