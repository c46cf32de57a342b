#pragma once

#include <kubecoro/base/name_first.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro {

/// How objects rest in memory. What they answer is the same; what differs is what it costs.
enum class storage : std::uint8_t
{
    /// Encoded, read in place: about a third of the JSON text.
    plain,
    /// Compressed under a dictionary that is learnt from the objects themselves: a tenth of the text and less where
    /// objects resemble each other. Metadata and hot fields are read in place; the first read of anything else
    /// expands the object, about 1 us, for as long as somebody holds it.
    compressed,
    /// Kind, apiVersion and metadata alone, and the server is asked for no more than that. Without managedFields, which are
    /// most of it, unless decode_options::prune.keep names "metadata.managedFields".
    metadata_only
};
/// The policy's name.
[[nodiscard]] std::string_view to_string(storage s) noexcept;

/// How the objects of one informer rest in memory.
struct storage_options
{
    /// Plain, compressed or metadata only.
    storage policy = storage::plain;
    /// What object::path() finds without a search; compressed: without expanding either, as labels, owner references and
    /// what identifies an object. Dotted member names; at most 32, further ones are ignored. Each costs three bytes in
    /// every plain object, its own size in a compressed one.
    std::vector<std::string> hot_fields = {"spec.nodeName", "status.phase"};
    /// compressed: objects after which the first dictionary is learnt; before it they are plain, afterwards they are
    /// packed. One more is learnt after 20 times as many. At least 8.
    std::size_t learn_from = 200;
    KUBECORO_NAME_FIRST;
    friend bool operator==(const storage_options&, const storage_options&) = default;
};

/// How far a compressed encoding has learnt.
enum class dictionary_stage : std::uint8_t
{
    none,
    /// Learnt from the first objects; replaced when more have been seen.
    provisional,
    settled
};
/// The stage's name.
[[nodiscard]] std::string_view to_string(dictionary_stage s) noexcept;

/// What the storage of one informer has done.
struct storage_stats
{
    /// The policy in use.
    storage policy = storage::plain;
    /// Heap bytes that the objects share: vocabulary, dictionaries, scratch space.
    std::size_t shared_bytes = 0;
    // compressed:
    /// How far the dictionary is learnt.
    dictionary_stage stage = dictionary_stage::none;
    /// Dictionaries made so far, and those that objects still need.
    std::uint64_t trained = 0;
    std::size_t dictionaries = 0;
    /// Objects that were compressed, early ones twice.
    std::uint64_t packed = 0;
    /// Reads that had to expand, and those that found a broken record and showed nothing.
    std::uint64_t expansions = 0;
    std::uint64_t broken = 0;
};

} // namespace kubecoro
