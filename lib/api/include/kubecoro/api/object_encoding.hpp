#pragma once

#include <kubecoro/api/resource.hpp>

#include <cstddef>
#include <memory>

namespace kubecoro {

struct encoding_options
{
    /** Text values that recur are kept once and referred to by number.

        They are never forgotten, so a value can outlive the object it came from: off for what must not, such as
        Secrets. Member names are shared in any case, except names of data entries. */
    bool values = true;
    friend bool operator==(const encoding_options&, const encoding_options&) = default;
};

/// What suits a resource: no shared values for Secrets.
[[nodiscard]] encoding_options encoding_for(const resource_type& resource);

/** How the objects of one informer are encoded: what they share, so that each of them is small.

    Given to decoders, which write it: one thread at a time may decode with it. Any number of threads may read objects
    made with it meanwhile. It lives as long as the last owner or the last object made with it, whichever comes later. */
class object_encoding
{
public:
    object_encoding(const object_encoding&) = delete;
    object_encoding& operator=(const object_encoding&) = delete;

    /// Heap bytes shared by all objects; bounded, about 2 MB at most. Any thread.
    [[nodiscard]] std::size_t bytes() const noexcept;

protected:
    object_encoding() = default;
    ~object_encoding() = default;
};

[[nodiscard]] std::shared_ptr<object_encoding> make_object_encoding(encoding_options options = {});

} // namespace kubecoro
