#include "storage/former_sections.hpp"

#include <kubecoro/base/hash.hpp>

namespace kubecoro::detail {

std::uint64_t section_digest(std::string_view text, std::uint64_t before, std::uint64_t terms) noexcept
{
    // The hash of texts, with two chains for long texts: each step of one waits for the step before.
    const hash_secrets& k = process_secrets();
    const char* at = text.data();
    std::size_t left = text.size();
    // Multiplied by a secret, so that no text can compensate for them, and never zero, so that no factor is known.
    std::uint64_t first = before * k.length + k.right;
    std::uint64_t second = (2 * terms + 1) * k.length;
    for (; left > 32; at += 32, left -= 32) {
        first = folded_product(load_word(at) + k.word, load_word(at + 8) + first);
        second = folded_product(load_word(at + 16) + k.left, load_word(at + 24) + second);
    }
    const std::uint64_t rest = digest({at, left}, k) + text.size() * k.length;
    const std::uint64_t chains = folded_product(first + k.left, second + k.right);
    const std::uint64_t all = folded_product(chains + k.word, rest + k.left);
    return all == 0 ? 1 : all;
}

former_sections::former_sections(const object& former, const encoding* decodes) noexcept
{
    const object::block* const b = object_builder::block_of(former);
    if (b == nullptr || b->packed || b->encoding != decodes) return;
    block_ = &b->as_plain();
    digests_ = block_->digests();
}

std::span<const unsigned char> former_sections::spec() const noexcept
{
    if (block_ == nullptr) return {};
    const std::uint32_t offset = block_->offset(front_field::spec);
    if (offset <= offset_elsewhere) return {};
    const unsigned char* const at = block_->tape() + offset;
    const unsigned char* const end = skip_value(at, block_->tape() + block_->size);
    return end == nullptr ? std::span<const unsigned char>{} : std::span(at, end);
}

void former_sections::begin_fields() noexcept
{
    entry_ = entries_end_ = nullptr;
    if (block_ == nullptr) return;
    const head metadata = tape_access::head_of(block_->at(front_field::metadata));
    const head entries = resolved(member(metadata, "managedFields"));
    if (entries.kind != value_kind::array) return;
    entry_ = entries.body;
    entries_end_ = entries.end;
}

std::span<const unsigned char> former_sections::next_fields() noexcept
{
    while (entry_ != entries_end_) {
        const unsigned char* const at = entry_;
        entry_ = skip_value(at, entries_end_);
        if (entry_ == nullptr) entry_ = entries_end_;
        if (const auto fields = member(resolved({at, entry_}), "fieldsV1"); !fields.empty()) return fields;
    }
    return {};
}

std::span<const unsigned char> former_sections::member(const head& of, std::string_view key) const noexcept
{
    if (of.kind != value_kind::object) return {};
    std::string_view name;
    for (const unsigned char* at = of.body; at != of.end;) {
        const unsigned char* const value = read_key(at, of.end, block_->words(), name);
        const unsigned char* const next = value == nullptr ? nullptr : skip_value(value, of.end);
        if (next == nullptr) return {};
        if (same_text(name, key)) return {value, next};
        at = next;
    }
    return {};
}

head former_sections::resolved(std::span<const unsigned char> value) const noexcept
{
    if (value.empty()) return {};
    return tape_access::head_of(tape_access::whole(value.data(), value.data() + value.size(), block_->words()));
}

} // namespace kubecoro::detail
