#pragma once

#include <kubecoro/controller/detail/slot_index.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** The keys of one queue, each under a small number (slot): what the engine has to know of a key's type. */
class key_table
{
public:
    using slot = slot_index::slot;
    static constexpr slot none = slot_index::none;

    virtual ~key_table() = default;
    /// Where the key of an occupied slot lies; it does not move until erase(), and what that reads is soon at hand.
    [[nodiscard]] virtual const void* hand_out(slot s) const noexcept = 0;
    /// @return whether it was the last one of many, and all memory was given back: slots begin anew.
    virtual bool erase(slot s) noexcept = 0;
    [[nodiscard]] virtual std::size_t size() const noexcept = 0;
    /// Of the table; not what keys own elsewhere.
    [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
    /// Of what hand_out() gave, for people; a number when the type cannot be printed. Reads nothing of the table.
    [[nodiscard]] virtual std::string text(slot s, const void* key) const = 0;
};

/** Keys of one type: each is stored once, hashed once, and found by its hash. */
template<class Key, class Hash, class Equal>
class typed_key_table final : public key_table
{
public:
    typed_key_table() = default;
    typed_key_table(const typed_key_table&) = delete;
    typed_key_table& operator=(const typed_key_table&) = delete;
    ~typed_key_table() override
    {
        index_.each([this](slot s) { std::destroy_at(&cell_at(s).key); });
    }

    /// The key's slot; it is stored when it is new. K is Key or, with a transparent hash, what compares like it.
    template<class K>
    slot intern(K&& key)
    {
        const auto hash = slot_index::hash_of(Hash{}(key));
        if (const slot found = find(key, hash); found != none) return found;
        if (first_free_ == none) grow();
        const slot s = first_free_;
        cell& c = cell_at(s);
        index_.make_room();
        std::construct_at(&c.key, std::forward<K>(key));
        index_.insert(hash, s);
        first_free_ = std::exchange(c.hash_or_next, hash);
        return s;
    }

    template<class K>
    [[nodiscard]] slot find(const K& key) const
    {
        return find(key, slot_index::hash_of(Hash{}(key)));
    }

    [[nodiscard]] const void* hand_out(slot s) const noexcept override
    {
        const cell& c = cell_at(s);
        index_.prefetch(c.hash_or_next);
        return &c.key;
    }
    [[nodiscard]] std::size_t size() const noexcept override { return index_.size(); }
    [[nodiscard]] std::size_t bytes() const noexcept override
    {
        return pages_.size() * (sizeof(page) + sizeof(pages_[0])) + index_.bytes();
    }

    bool erase(slot s) noexcept override
    {
        cell& c = cell_at(s);
        index_.erase(c.hash_or_next, s);
        std::destroy_at(&c.key);
        c.hash_or_next = std::exchange(first_free_, s);
        if (!index_.empty() || pages_.size() <= kept_pages) return false;
        pages_ = std::vector<std::unique_ptr<page>>();
        first_free_ = none;
        index_ = slot_index();
        return true;
    }

    [[nodiscard]] std::string text([[maybe_unused]] slot s, [[maybe_unused]] const void* key) const override
    {
        if constexpr (requires(std::ostream& out, const Key& k) { out << k; }) {
            std::ostringstream out;
            out << *static_cast<const Key*>(key);
            return std::move(out).str();
        } else {
            return '#' + std::to_string(s);
        }
    }

private:
    static constexpr std::size_t page_size = 64;
    /// Up to so many pages stay when the last key goes, so that a small queue does not allocate again and again.
    static constexpr std::size_t kept_pages = 64;

    struct cell
    {
        cell() noexcept {}
        ~cell() {}
        cell(const cell&) = delete;
        cell& operator=(const cell&) = delete;

        union {
            /// Only of slots that are in the index.
            Key key;
        };
        /// Of the key or, when there is none, the next free slot.
        std::uint32_t hash_or_next = none;
    };
    using page = std::array<cell, page_size>;

    template<class K>
    [[nodiscard]] slot find(const K& key, slot_index::hash hash) const
    {
        return index_.find(hash, [&](slot s) { return Equal{}(cell_at(s).key, key); });
    }
    [[nodiscard]] cell& cell_at(slot s) noexcept { return (*pages_[s / page_size])[s % page_size]; }
    [[nodiscard]] const cell& cell_at(slot s) const noexcept { return (*pages_[s / page_size])[s % page_size]; }

    /// One more page, whose slots are the free ones; only when there are none.
    void grow()
    {
        const std::size_t first = pages_.size() * page_size;
        pages_.push_back(std::make_unique<page>());
        page& fresh = *pages_.back();
        for (std::size_t i = 0; i + 1 < page_size; ++i) fresh[i].hash_or_next = static_cast<slot>(first + i + 1);
        first_free_ = static_cast<slot>(first);
    }

    std::vector<std::unique_ptr<page>> pages_;
    slot first_free_ = none;
    slot_index index_;
};

} // namespace kubecoro::detail
