#pragma once

#include <kubecoro/api/detail/kept_object.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/api/resource.hpp>
#include <kubecoro/api/storage.hpp>
#include <kubecoro/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kubecoro::detail {

struct encoding_options
{
    /** Stores recurring text values once and refers to them by number.

        They are never forgotten, so a value can outlive its object: turn off for values that must not, such as
        Secrets. Member names are shared in any case, except names of data entries. */
    bool values = true;
    storage_options storage = {};
    /// metadata_only: the kind and apiVersion that replace those of PartialObjectMetadata. Empty = none.
    std::string kind = {};
    std::string api_version = {};
    friend bool operator==(const encoding_options&, const encoding_options&) = default;
};

/// The encoding options for a resource: no shared values and no compression for Secrets.
[[nodiscard]] encoding_options encoding_for(const resource_type& resource, storage_options storage = {});

/** Encodes the objects of one informer and holds the data they share, which keeps each object small.

    Passed to decoders, which write to it: one thread at a time may decode with it. Any number of threads may read
    its objects concurrently. It lives as long as the last owner or the last object made with it, whichever comes
    later. */
class object_encoding
{
public:
    object_encoding(const object_encoding&) = delete;
    object_encoding& operator=(const object_encoding&) = delete;

    /// Heap bytes shared by all objects: 3 MB for 150,000 pods. Bounded: 16 MiB for names, texts and containers, and
    /// with storage::compressed 4 MiB of samples while it learns, plus its dictionaries. Any thread.
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] storage_stats stats() const;

    /** Returns the object in the form in which to store it, possibly `o` itself. Content and key are the same. Only
        for the decoding thread. */
    [[nodiscard]] object at_rest(const object& o);
    /// True if at_rest() may change the form of `o`. Any thread.
    [[nodiscard]] bool stale(const kept_object& o) const noexcept;
    /// Increases when stored objects should go through at_rest() again because a better dictionary exists. Any thread.
    [[nodiscard]] std::uint64_t revision() const noexcept;

    /** compressed: keeps the 128 most recently expanded objects expanded, so that reading them again is cheap. A
        caller that enables it must disable it before releasing the encoding. Any thread. */
    void keep_recent(bool on);

protected:
    object_encoding() = default;
    ~object_encoding() = default;
};

[[nodiscard]] std::shared_ptr<object_encoding> make_object_encoding(encoding_options options = {});

/** Reads the JSON of an object that was made of another one, a transform's or a struct, as object::parse() does.

    @param partial   See object::is_partial(): members that its maker did not see are missing in it, too.
    @param encoding  The storage that it shares; null = its own. */
[[nodiscard]] result<object> parse_object(std::string_view json, bool partial,
                                          const std::shared_ptr<object_encoding>& encoding = nullptr);

} // namespace kubecoro::detail
