#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace kubecoro {

/** The keys of one queue, each under a small number (slot): what the engine has to know of a key's type. */
class key_table
{
public:
    using slot = std::uint32_t;
    static constexpr slot none = UINT32_MAX;

    virtual ~key_table() = default;
    /// Where the key of an occupied slot lies; it does not move until erase().
    [[nodiscard]] virtual const void* at(slot s) const noexcept = 0;
    /// @return whether it was the last one of many, and all memory was given back: slots begin anew.
    virtual bool erase(slot s) noexcept = 0;
    [[nodiscard]] virtual std::size_t size() const noexcept = 0;
    /// For people; a number when the type cannot be printed.
    [[nodiscard]] virtual std::string text(slot s) const = 0;
};

/** Keys of one type: each is stored once, hashed once, and found by its hash. */
template<class Key, class Hash, class Equal>
class typed_key_table final : public key_table
{
public:
    /// The key's slot; it is stored when it is new. K is Key or, with a transparent hash, what compares like it.
    template<class K>
    slot intern(K&& key)
    {
        const std::size_t hash = Hash{}(key);
        if (const auto found = index_.find(probe<std::remove_cvref_t<K>>{key, hash}); found != index_.end())
            return *found;
        const slot s = free_.empty() ? grow() : free_.back();
        cell& c = cell_at(s);
        c.key.emplace(std::forward<K>(key));
        c.hash = hash;
        try {
            index_.insert(s);
        } catch (...) {
            c.key.reset();
            throw;
        }
        free_.pop_back();
        return s;
    }

    template<class K>
    [[nodiscard]] slot find(const K& key) const
    {
        const auto found = index_.find(probe<K>{key, Hash{}(key)});
        return found == index_.end() ? none : *found;
    }

    [[nodiscard]] const void* at(slot s) const noexcept override { return &*cell_at(s).key; }
    [[nodiscard]] std::size_t size() const noexcept override { return index_.size(); }

    bool erase(slot s) noexcept override
    {
        index_.erase(s);
        cell_at(s).key.reset();
        free_.push_back(s); // has room: grow() saw to it
        if (!index_.empty() || pages_.size() <= kept_pages) return false;
        pages_ = std::vector<std::unique_ptr<page>>();
        free_ = std::vector<slot>();
        index_ = index_type(0, hasher{this}, equal{this});
        return true;
    }

    [[nodiscard]] std::string text(slot s) const override
    {
        if constexpr (requires(std::ostream& out, const Key& key) { out << key; }) {
            std::ostringstream out;
            out << *cell_at(s).key;
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
        std::optional<Key> key;
        std::size_t hash = 0;
    };
    using page = std::array<cell, page_size>;

    template<class K>
    struct probe
    {
        const K& key;
        std::size_t hash;
    };
    struct hasher
    {
        using is_transparent = void;
        const typed_key_table* table;
        std::size_t operator()(slot s) const noexcept { return table->cell_at(s).hash; }
        template<class K>
        std::size_t operator()(const probe<K>& p) const noexcept
        {
            return p.hash;
        }
    };
    struct equal
    {
        using is_transparent = void;
        const typed_key_table* table;
        bool operator()(slot a, slot b) const noexcept { return a == b; }
        template<class K>
        bool operator()(slot s, const probe<K>& p) const
        {
            const cell& c = table->cell_at(s);
            return c.hash == p.hash && Equal{}(*c.key, p.key);
        }
        template<class K>
        bool operator()(const probe<K>& p, slot s) const
        {
            return (*this)(s, p);
        }
    };
    using index_type = boost::unordered_flat_set<slot, hasher, equal>;

    [[nodiscard]] cell& cell_at(slot s) noexcept { return (*pages_[s / page_size])[s % page_size]; }
    [[nodiscard]] const cell& cell_at(slot s) const noexcept { return (*pages_[s / page_size])[s % page_size]; }

    /// One more page. @return its first slot, which is the last of the free ones.
    slot grow()
    {
        const std::size_t first = pages_.size() * page_size;
        free_.reserve(first + page_size);
        pages_.push_back(std::make_unique<page>());
        for (std::size_t i = page_size; i-- > 0;) free_.push_back(static_cast<slot>(first + i));
        return free_.back();
    }

    std::vector<std::unique_ptr<page>> pages_;
    std::vector<slot> free_;
    index_type index_{0, hasher{this}, equal{this}};
};

} // namespace kubecoro
