#pragma once

#include <kubecoro/base/kept_text.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// How objects are stored in memory. All forms return the same values; they differ in cost.
enum class storage : std::uint8_t
{
    /// Encoded, read in place: about a third of the JSON text.
    plain,
    /// Compressed with a dictionary that is trained on the objects themselves: at most a tenth of the text where
    /// objects resemble each other. Metadata and hot fields are read in place; the first read of any other value
    /// expands the object, about 1 us, until its last reader drops it.
    compressed,
    /// Only kind, apiVersion and metadata, which is also all that is requested from the server. Without managedFields,
    /// the largest part of metadata, unless decode_options::prune.keep names "metadata.managedFields".
    metadata_only
};
/// The policy's name.
[[nodiscard]] std::string_view to_string(storage s) noexcept;

/// How the objects of one informer rest in memory.
struct storage_options
{
    /// Plain, compressed or metadata only.
    storage policy = storage::plain;
    /// Paths that object::path() finds without a search. compressed: also without expanding, as with labels, owner
    /// references and the identifying metadata. Dotted member names; at most 32, further ones are ignored. Each costs
    /// three bytes in every plain object, or its own size in a compressed one.
    text_list hot_fields = {"spec.nodeName", "status.phase"};
    /// compressed: number of objects after which the first dictionary is trained. Objects stored before that are plain
    /// and are packed afterwards. Another dictionary is trained after 20 times as many. At least 8.
    std::size_t learn_from = 200;
    friend bool operator==(const storage_options&, const storage_options&) = default;
};

/// Training state of a compressed encoding.
enum class dictionary_stage : std::uint8_t
{
    none,
    /// Trained on the first objects; replaced when more have been seen.
    provisional,
    settled
};
/// The stage's name.
[[nodiscard]] std::string_view to_string(dictionary_stage s) noexcept;

/// Statistics of one informer's storage.
struct storage_stats
{
    /// The policy in use.
    storage policy = storage::plain;
    /// Heap bytes shared by the objects: vocabulary, dictionaries, scratch space.
    std::size_t shared_bytes = 0;
    // compressed:
    /// How far the dictionary is learnt.
    dictionary_stage stage = dictionary_stage::none;
    /// Dictionaries trained so far.
    std::uint64_t trained = 0;
    /// Dictionaries in memory: the current one, and earlier ones while objects still need them.
    std::size_t dictionaries = 0;
    /// Compressed objects; early ones count twice.
    std::uint64_t packed = 0;
    /// Times that an object was expanded, broken records included.
    std::uint64_t expansions = 0;
    /// Expansions that found a broken record: the values read are absent.
    std::uint64_t broken = 0;
};

} // namespace kubecoro
