#pragma once

#include <kubecoro/controller/detail/slot_index.hpp>
#include <kubecoro/controller/key_class.hpp>

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

/// Keyed for object keys and texts, so that names from outside cannot degrade the queue by collisions; else std::hash.
template<class Key>
using workqueue_hash =
    std::conditional_t<std::is_same_v<Key, object_key>, object_key_hash,
                       std::conditional_t<std::is_same_v<Key, std::string> || std::is_same_v<Key, std::string_view>,
                                          text_hash, std::hash<Key>>>;
/// Equality that goes with workqueue_hash.
template<class Key>
using workqueue_equal = std::conditional_t<std::is_same_v<Key, object_key>, object_key_equal, std::equal_to<>>;

/** The keys of one queue, each identified by a small number (slot): the engine's type-erased access to its keys. */
class key_table
{
public:
    using slot = slot_index::slot;
    static constexpr slot none = slot_index::none;

    virtual ~key_table() = default;
    /// The address of an occupied slot's key, prefetched; stable until erase().
    [[nodiscard]] virtual const void* hand_out(slot s) const noexcept = 0;
    /// @return whether it was the last of many keys and all memory was released: slots then start from zero.
    virtual bool erase(slot s) noexcept = 0;
    [[nodiscard]] virtual std::size_t size() const noexcept = 0;
    /// Memory of the table, without memory that keys own elsewhere.
    [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;
    /// The text of a key returned by hand_out(), for display; a number when the type cannot be printed. Does not read
    /// the table.
    [[nodiscard]] virtual std::string text(slot s, const void* key) const = 0;
    /// Whether keys have classes.
    [[nodiscard]] virtual bool classified() const noexcept = 0;
    /// The class of an occupied slot's key. Precondition: classified().
    [[nodiscard]] virtual std::uint64_t class_of(slot s) const = 0;
    /// The name of the class of a key returned by hand_out(), for display. Does not read the table.
    [[nodiscard]] virtual std::string class_text(const void* key) const = 0;
};

/** Keys of one type: each is stored and hashed once, and found by its hash. */
template<class Key, class Hash, class Equal>
class typed_key_table final : public key_table
{
public:
    explicit typed_key_table(key_class<Key> classes = {}) : classes_(std::move(classes)) {}
    typed_key_table(const typed_key_table&) = delete;
    typed_key_table& operator=(const typed_key_table&) = delete;
    ~typed_key_table() override
    {
        index_.each([this](slot s) { std::destroy_at(&cell_at(s).key); });
    }

    /// The key's slot; a new key is stored. K is Key or, with a transparent hash, any type that compares like it.
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

    [[nodiscard]] bool classified() const noexcept override { return static_cast<bool>(classes_); }
    [[nodiscard]] std::uint64_t class_of(slot s) const override { return classes_.number(cell_at(s).key); }
    [[nodiscard]] std::string class_text(const void* key) const override
    {
        try {
            return classes_.text(*static_cast<const Key*>(key));
        } catch (...) { // as in class_of(): the class of such keys
            return "(unclassified)";
        }
    }

private:
    static constexpr std::size_t page_size = 64;
    /// Up to this many pages stay when the last key is erased, so that a small queue does not allocate repeatedly.
    static constexpr std::size_t kept_pages = 64;

    struct cell
    {
        cell() noexcept {}
        ~cell() {}
        cell(const cell&) = delete;
        cell& operator=(const cell&) = delete;

        union {
            /// Constructed only in slots that are in the index.
            Key key;
        };
        /// Hash of the key, or the next free slot when there is no key.
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

    /// Adds a page of free slots. Precondition: no slot is free.
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
    key_class<Key> classes_;
};

} // namespace kubecoro::detail
