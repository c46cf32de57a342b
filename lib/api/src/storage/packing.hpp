// The packing state of an encoding: codec, dictionaries in use, expansions.
#pragma once

#include "storage/body_codec_core.hpp"
#include "storage/object_block.hpp"
#include "storage/packed_body.hpp"

#include <kubecoro/api/storage.hpp>
#include <kubecoro/base/detail/confinement.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/** Packs and expands the objects of one encoding.

    pack() and renew() may be called by the decoding thread only; everything else by any thread. */
class packing
{
public:
    packing(encoding& owner, const storage_options& options);
    packing(encoding& owner, const body_codec_limits& limits);
    ~packing();
    packing(const packing&) = delete;
    packing& operator=(const packing&) = delete;

    /// Returns a packed block with one reader and no expansion. Null while no dictionary exists, and for objects that
    /// would not get smaller.
    ///
    /// @param is_new  Not seen before: usable for training.
    [[nodiscard]] packed_block* pack(byte_span tape, const front_offsets& offsets, bool is_new = true);
    /// Packs the object with the current dictionary; null when the block may stay as it is.
    [[nodiscard]] packed_block* renew(const object::block& b);
    /// True if renew() may have something to do.
    [[nodiscard]] bool stale(const object::block& b) const noexcept;
    [[nodiscard]] std::uint64_t revision() const noexcept { return revision_.load(std::memory_order_acquire); }

    /// The whole object; null when the record is broken.
    [[nodiscard]] plain_block* expand(const packed_block& b);
    /// Drops one use of a dictionary by a record.
    void release(std::uint8_t dictionary) noexcept;
    /// The value at a path (possibly absent) if the front is sufficient; else nothing.
    [[nodiscard]] std::optional<value_view> read_front(const packed_block& b, std::string_view dotted) const noexcept;

    /// Guards installing and removing expansions (block_life.hpp).
    [[nodiscard]] checked_mutex& mutex() noexcept { return mutex_; }
    /// Keeps the object expanded for a while. @return the evicted object, to be dropped without holding the mutex.
    [[nodiscard]] object remember(object o);
    /// The same for an object created with its expansion. Takes the mutex itself.
    void keep_for_a_while(const object& o);
    void keep_recent(bool on);

    [[nodiscard]] std::size_t bytes() const;
    void add_to(storage_stats& s) const;

private:
    /// Dictionaries in use at a time. Without a free place, a retrained one is discarded.
    static constexpr std::size_t max_dictionaries = 16;
    /// Records of dictionaries older than this many generations are packed again, to free their places.
    static constexpr std::uint64_t kept_generations = 3;
    /// Covers the distance between a watch and a worker that keeps up: a few batches.
    static constexpr std::size_t recent_size = 128;

    struct place
    {
        std::atomic<body_dictionary*> dictionary{nullptr};
        std::atomic<std::uint64_t> generation{0};
    };

    /// Holds an expander for its lifetime.
    struct lease
    {
        explicit lease(packing& p);
        lease(const lease&) = delete;
        lease& operator=(const lease&) = delete;
        ~lease();
        packing& owner;
        std::unique_ptr<body_expander> expander;
    };

    /// Size of the object as a plain block.
    [[nodiscard]] std::size_t plain_bytes(std::size_t tape_size) const noexcept
    {
        return plain_block::bytes_for(tape_size, owner_.hot_fields.size());
    }
    void find_slots(byte_span tape, const front_offsets& offsets);
    void learn(byte_span tape);
    void install(std::unique_ptr<body_dictionary> made);
    [[nodiscard]] packed_block* make(byte_span front, byte_span body, std::size_t tape_size, std::size_t plain_size);
    [[nodiscard]] std::optional<byte_span> body_of(const packed_block& b, body_expander& expander,
                                                   std::size_t& tape_size) const;

    encoding& owner_;

    // Used by the decoding thread only.
    body_codec_core codec_;
    tape_splitter splitter_;
    tape_splitter sampler_;
    std::vector<tape_range> slots_;
    std::vector<tape_range> sample_slots_;
    std::vector<unsigned char> body_;
    body_dictionary* current_ = nullptr;

    std::array<place, max_dictionaries> places_;
    std::atomic<std::uint64_t> generation_{0};
    /// Records of earlier generations are packed again.
    std::atomic<std::uint64_t> oldest_kept_{0};
    std::atomic<std::uint64_t> revision_{0};
    std::atomic<std::uint64_t> packed_{0};
    std::atomic<std::uint64_t> expansions_{0};
    std::atomic<std::uint64_t> broken_{0};
    std::atomic<dictionary_stage> stage_{dictionary_stage::none};
    std::atomic<std::size_t> codec_bytes_{0};
    std::atomic<std::size_t> dictionary_bytes_{0};

    mutable checked_mutex mutex_;
    std::vector<std::unique_ptr<body_expander>> expanders_;
    std::array<object, recent_size> recent_;
    std::size_t next_recent_ = 0;
    bool keeps_recent_ = false;
};

} // namespace kubecoro::detail
