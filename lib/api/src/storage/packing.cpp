#include "storage/packing.hpp"

#include "storage/block_life.hpp"
#include "storage/front_slot.hpp"

#include <kubecoro/base/detail/expect.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace kubecoro::detail {
namespace {

constexpr std::size_t least_learn_from = 8;
constexpr std::size_t settled_factor = 20;

/// Maximum excess of a body over the size of its tape.
constexpr std::size_t max_table = 1 + (packed_front_fields + max_hot_fields) * 6;

/// Idle expanders to keep; more exist while more threads read concurrently.
constexpr std::size_t kept_expanders = 2;

/// Excluded from samples: their values must not outlive their object, and a dictionary does.
constexpr std::array<std::string_view, 3> data_maps{"data", "stringData", "binaryData"};

tape_range range_of(const value_view& v, byte_span tape) noexcept
{
    if (!v) return {};
    const std::string_view text = tape_access::bytes(v);
    const auto begin = offset_in(tape, text);
    if (!begin) return {.outside = {reinterpret_cast<const unsigned char*>(text.data()), text.size()}};
    return {.begin = *begin, .end = *begin + static_cast<std::uint32_t>(text.size())};
}

/// The value stored at this offset itself, possibly the number of a shared container.
tape_range range_at(std::uint32_t at, byte_span tape) noexcept
{
    const unsigned char* const next = skip_value(tape.data() + at, tape.data() + tape.size());
    return {.begin = at, .end = next == nullptr ? at : static_cast<std::uint32_t>(next - tape.data())};
}

body_codec_limits limits_of(const storage_options& options)
{
    body_codec_limits limits;
    limits.provisional_after = std::max(options.learn_from, least_learn_from);
    limits.settled_after = settled_factor * limits.provisional_after;
    return limits;
}

} // namespace

packing::packing(encoding& owner, const storage_options& options) : packing(owner, limits_of(options)) {}

packing::packing(encoding& owner, const body_codec_limits& limits) : owner_(owner), codec_(limits)
{
    expanders_.reserve(kept_expanders);
}

packing::~packing()
{
    for (auto& p : places_) delete p.dictionary.load(std::memory_order_acquire);
}

// ---- Packing

void packing::find_slots(byte_span tape, const front_offsets& offsets)
{
    slots_.clear();
    const unsigned char* const end = tape.data() + tape.size();
    for (std::size_t i = 0; i < packed_front_fields; ++i) {
        const std::uint32_t at = offsets[i];
        tape_range r;
        if (at > offset_elsewhere) r = range_at(at, tape);
        r.elsewhere = at == offset_elsewhere;
        r.may_be_uuid = static_cast<front_field>(i) == front_field::uid;
        slots_.push_back(r);
    }
    const value_view root = tape_access::view(tape.data(), end, &owner_.words);
    for (const auto& path : owner_.hot_fields) slots_.push_back(range_of(root.path(path), tape));
}

packed_block* packing::pack(byte_span tape, const front_offsets& offsets, bool is_new)
{
    find_slots(tape, offsets);
    if (!splitter_.split(tape, slots_)) return nullptr;
    if (is_new) learn(tape);
    if (current_ == nullptr) return nullptr;
    return make(splitter_.front(), splitter_.body(), tape.size(), plain_bytes(tape.size()));
}

void packing::learn(byte_span tape)
{
    if (!codec_.wants_sample()) return;
    const value_view root = tape_access::view(tape.data(), tape.data() + tape.size(), &owner_.words);
    sample_slots_.clear();
    for (const auto name : data_maps)
        if (const value_view map = root[name]) sample_slots_.push_back(range_of(map, tape));
    byte_span sample = splitter_.body();
    if (!sample_slots_.empty()) {
        // A range that overlaps an earlier one stays: the maps come before the hot fields that may be inside them.
        sample_slots_.insert(sample_slots_.end(), slots_.begin(), slots_.end());
        sample = sampler_.split(tape, sample_slots_) ? sampler_.body() : byte_span{};
    }
    if (sample.empty()) return;
    if (auto made = codec_.learn(sample)) install(std::move(made));
    codec_bytes_.store(codec_.bytes(), std::memory_order_relaxed);
}

void packing::install(std::unique_ptr<body_dictionary> made)
{
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i].dictionary.load(std::memory_order_acquire) != nullptr) continue;
        const bool was_provisional = stage_.load(std::memory_order_relaxed) != dictionary_stage::settled;
        const std::uint64_t generation = generation_.fetch_add(1, std::memory_order_relaxed) + 1;
        made->id = static_cast<std::uint8_t>(i);
        dictionary_bytes_.fetch_add(made->bytes(), std::memory_order_relaxed);
        body_dictionary* const before = std::exchange(current_, made.get());
        places_[i].generation.store(generation, std::memory_order_relaxed);
        places_[i].dictionary.store(made.release(), std::memory_order_release);
        if (before != nullptr) release(before->id);
        stage_.store(codec_.stage(), std::memory_order_relaxed);
        // Records of the provisional phase are packed again; later, only those that keep an old dictionary alive.
        const std::uint64_t kept = was_provisional ? generation
                                                   : std::max(oldest_kept_.load(std::memory_order_relaxed),
                                                              generation - std::min(generation, kept_generations));
        oldest_kept_.store(kept, std::memory_order_relaxed);
        revision_.fetch_add(1, std::memory_order_release);
        return;
    }
}

packed_block* packing::make(byte_span front, byte_span body, std::size_t tape_size, std::size_t plain_size)
{
    const byte_span frame = codec_.compress(body, *current_);
    if (frame.empty()) return nullptr;
    std::vector<unsigned char>& head = body_;
    head.clear();
    put_varint(head, tape_size);
    const std::size_t total = front.size() + head.size() + frame.size();
    if (sizeof(packed_block) + total >= plain_size) return nullptr;
    packed_block* const b = object_builder::new_packed(total, &owner_);
    b->front_size = static_cast<std::uint16_t>(front.size());
    b->size = static_cast<std::uint32_t>(head.size() + frame.size());
    b->dictionary = current_->id;
    std::memcpy(b->begin(), front.data(), front.size());
    std::memcpy(b->begin() + front.size(), head.data(), head.size());
    std::memcpy(b->begin() + front.size() + head.size(), frame.data(), frame.size());
    current_->users.fetch_add(1, std::memory_order_relaxed);
    owner_.retain();
    packed_.fetch_add(1, std::memory_order_relaxed);
    return b;
}

bool packing::stale(const object::block& b) const noexcept
{
    if (!b.packed) return b.encoding == nullptr || b.encoding == &owner_;
    return b.encoding == &owner_ && places_[b.dictionary].generation.load(std::memory_order_relaxed) <
                                        oldest_kept_.load(std::memory_order_relaxed);
}

packed_block* packing::renew(const object::block& b)
{
    if (!stale(b)) return nullptr;
    if (!b.packed) {
        const bool is_new = b.encoding == nullptr; // our own objects were sampled when they were decoded
        return pack(b.as_plain().bytes(), b.as_plain().offsets(), is_new);
    }
    const lease with(*this);
    std::size_t tape_size = 0;
    const auto body = body_of(b.as_packed(), *with.expander, tape_size);
    if (!body) return nullptr;
    return make(b.as_packed().front_bytes(), *body, tape_size, plain_bytes(tape_size));
}

// ---- Expanding

packing::lease::lease(packing& p) : owner(p)
{
    {
        std::lock_guard lock(owner.mutex_);
        if (!owner.expanders_.empty()) {
            expander = std::move(owner.expanders_.back());
            owner.expanders_.pop_back();
        }
    }
    if (!expander) expander = std::make_unique<body_expander>();
}

packing::lease::~lease()
{
    std::lock_guard lock(owner.mutex_);
    if (owner.expanders_.size() < kept_expanders) owner.expanders_.push_back(std::move(expander));
}

std::optional<byte_span> packing::body_of(const packed_block& b, body_expander& expander, std::size_t& tape_size) const
{
    byte_span frame = b.record();
    if (!take_varint(frame, tape_size) || tape_size > largest_tape) return std::nullopt;
    const body_dictionary& with = *places_[b.dictionary].dictionary.load(std::memory_order_acquire);
    return expander.expand(frame, with, tape_size + max_table);
}

plain_block* packing::expand(const packed_block& b)
{
    expansions_.fetch_add(1, std::memory_order_relaxed);
    const lease with(*this);
    std::size_t tape_size = 0;
    if (const auto body = body_of(b, *with.expander, tape_size)) {
        plain_block* const made = object_builder::new_plain(tape_size, &owner_, 0);
        if (join_tape(b.front_bytes(), *body, {made->tape(), tape_size})) {
            made->set_offsets(object_builder::find_front(made->bytes(), &owner_.words));
            return made;
        }
        free_plain(made);
    }
    broken_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
}

void packing::release(std::uint8_t dictionary) noexcept
{
    place& p = places_[dictionary];
    body_dictionary* const d = p.dictionary.load(std::memory_order_acquire);
    if (d->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    dictionary_bytes_.fetch_sub(d->bytes(), std::memory_order_relaxed);
    p.dictionary.store(nullptr, std::memory_order_release);
    delete d;
}

namespace {

/// In the order of front_field.
constexpr std::array<std::string_view, packed_front_fields> front_paths{
    "metadata.name",       "metadata.namespace",         "metadata.uid", "metadata.resourceVersion",
    "metadata.generation", "metadata.deletionTimestamp", "apiVersion",   "kind",
    "metadata.labels",     "metadata.ownerReferences"};

bool leads_to(std::string_view path, std::string_view dotted) noexcept
{
    return dotted.starts_with(path) && (dotted.size() == path.size() || dotted[path.size()] == '.');
}

} // namespace

std::optional<value_view> packing::read_front(const packed_block& b, std::string_view dotted) const noexcept
{
    std::size_t slot = 0;
    std::string_view path;
    const auto look = [&](const auto& paths) {
        for (const std::string_view p : paths) {
            if (leads_to(p, dotted)) {
                path = p;
                return true;
            }
            ++slot;
        }
        return false;
    };
    if (!look(front_paths) && !look(owner_.hot_fields)) return std::nullopt;
    const unsigned char* const at = b.slot_at(slot);
    if (at == nullptr || *at == front_tag::uuid || *at == front_tag::elsewhere) return std::nullopt;
    if (*at == front_tag::absent) return value_view{};
    const value_view v = tape_access::view(at, b.front_end(), b.words());
    return dotted.size() == path.size() ? v : v.path(dotted.substr(path.size() + 1));
}

// ---- Recently read objects

object packing::remember(object o)
{
    KUBECORO_EXPECT(mutex_.held_here());
    if (!keeps_recent_) return o;
    object& turn = recent_[next_recent_++ % recent_size];
    return std::exchange(turn, std::move(o));
}

void packing::keep_for_a_while(const object& o)
{
    object evicted;
    std::lock_guard lock(mutex_);
    if (keeps_recent_) evicted = remember(o);
}

void packing::keep_recent(bool on)
{
    std::array<object, recent_size> dropped;
    std::lock_guard lock(mutex_);
    keeps_recent_ = on;
    if (!on) dropped.swap(recent_);
}

// ---- Statistics

std::size_t packing::bytes() const
{
    std::size_t total = sizeof(*this) + codec_bytes_.load(std::memory_order_relaxed);
    std::lock_guard lock(mutex_);
    for (const auto& e : expanders_) total += e->bytes();
    return total + dictionary_bytes_.load(std::memory_order_relaxed);
}

void packing::add_to(storage_stats& s) const
{
    s.policy = storage::compressed;
    s.stage = stage_.load(std::memory_order_relaxed);
    s.trained = generation_.load(std::memory_order_relaxed);
    for (const auto& p : places_) s.dictionaries += p.dictionary.load(std::memory_order_relaxed) != nullptr ? 1 : 0;
    s.packed = packed_.load(std::memory_order_relaxed);
    s.expansions = expansions_.load(std::memory_order_relaxed);
    s.broken = broken_.load(std::memory_order_relaxed);
}

} // namespace kubecoro::detail
