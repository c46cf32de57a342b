#pragma once
// An ordered map of which any number of states can be kept at once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kubecoro::detail {

/** A B+-tree whose copies share their nodes: copying costs nothing, and a copy never changes.

    A node belongs to the edition in which it was made, and is changed in place by that edition alone; a later one copies the nodes on the
    way from the root. The owner begins a new edition after each copy that others may read. One thread changes a tree; copies may be read
    by any.

    @tparam Order  compare(a, b) returns an ordering, for keys, and for a key with anything that is searched for. */
template<class Key, class Value, class Order>
class row_tree
{
public:
    struct entry
    {
        Key key;
        Value value;
    };

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// The entry, or null. Valid until the tree changes.
    template<class S>
    [[nodiscard]] const entry* find(const S& key) const
    {
        const node* at = root_.get();
        if (at == nullptr) return nullptr;
        while (!at->children.empty()) at = at->children[child_of(*at, key)].second.get();
        const auto i = place_of(*at, key);
        return i < at->entries.size() && Order::compare(at->entries[i].key, key) == 0 ? &at->entries[i] : nullptr;
    }

    /// Calls f(entry) in order while it returns true, from the first key that is not less than `from`. Returns false when `f` did.
    template<class S, class F>
    bool scan(const S& from, F&& f) const
    {
        return !root_ || scan(*root_, &from, f);
    }
    /// The same for all.
    template<class F>
    bool scan(F&& f) const
    {
        return !root_ || scan(*root_, static_cast<const Key*>(nullptr), f);
    }

    void put(const Key& key, Value value, std::uint64_t edition)
    {
        if (!root_) root_ = std::make_shared<node>(edition);
        insert(root_, key, std::move(value), edition);
        if (!is_full(*root_)) return;
        auto top = std::make_shared<node>(edition);
        auto second = split(*root_, edition);
        top->children.reserve(width + 1);
        top->children.emplace_back(first_of(*root_), root_);
        top->children.emplace_back(first_of(*second), second);
        root_ = std::move(top);
    }

    template<class S>
    void erase(const S& key, std::uint64_t edition)
    {
        if (!find(key)) return;
        remove(root_, key, edition);
        while (root_->children.size() == 1) root_ = std::shared_ptr<node>(root_->children.front().second);
        if (--size_ == 0) root_.reset();
    }

private:
    static constexpr std::size_t width = 32;

    struct node;
    using link = std::shared_ptr<node>;
    struct node
    {
        explicit node(std::uint64_t e) : edition(e) {}
        std::uint64_t edition;
        std::vector<entry> entries;
        /// With a lower bound of the keys in each.
        std::vector<std::pair<Key, link>> children;
    };

    [[nodiscard]] static bool is_full(const node& n) noexcept { return n.entries.size() + n.children.size() > width; }
    [[nodiscard]] static const Key& first_of(const node& n) noexcept
    {
        return n.children.empty() ? n.entries.front().key : n.children.front().first;
    }

    /// The place of the first entry that is not less.
    template<class S>
    [[nodiscard]] static std::size_t place_of(const node& n, const S& key)
    {
        const auto at = std::partition_point(n.entries.begin(), n.entries.end(),
                                             [&key](const entry& e) { return Order::compare(e.key, key) < 0; });
        return static_cast<std::size_t>(at - n.entries.begin());
    }
    /// The last child that may have the key.
    template<class S>
    [[nodiscard]] static std::size_t child_of(const node& n, const S& key)
    {
        const auto at = std::partition_point(n.children.begin() + 1, n.children.end(),
                                             [&key](const auto& c) { return Order::compare(c.first, key) <= 0; });
        return static_cast<std::size_t>(at - n.children.begin()) - 1;
    }

    /// Makes the node one of this edition.
    static void own(link& n, std::uint64_t edition)
    {
        if (n->edition == edition) return;
        auto copy = std::make_shared<node>(edition);
        copy->entries.reserve(n->entries.empty() ? 0 : width + 1);
        copy->children.reserve(n->children.empty() ? 0 : width + 1);
        copy->entries.insert(copy->entries.end(), n->entries.begin(), n->entries.end());
        copy->children.insert(copy->children.end(), n->children.begin(), n->children.end());
        n = std::move(copy);
    }

    /// Moves the second half into a node of its own.
    static link split(node& n, std::uint64_t edition)
    {
        auto second = std::make_shared<node>(edition);
        const auto move_half = [](auto& from, auto& to) {
            const auto half = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
            to.reserve(width + 1);
            to.insert(to.end(), std::make_move_iterator(half), std::make_move_iterator(from.end()));
            from.erase(half, from.end());
        };
        if (n.children.empty())
            move_half(n.entries, second->entries);
        else
            move_half(n.children, second->children);
        return second;
    }

    void insert(link& n, const Key& key, Value value, std::uint64_t edition)
    {
        own(n, edition);
        if (n->children.empty()) {
            const auto i = place_of(*n, key);
            if (i < n->entries.size() && Order::compare(n->entries[i].key, key) == 0) {
                n->entries[i].value = std::move(value);
                return;
            }
            n->entries.insert(n->entries.begin() + static_cast<std::ptrdiff_t>(i), entry{key, std::move(value)});
            ++size_;
            return;
        }
        const auto i = child_of(*n, key);
        if (i == 0 && Order::compare(n->children.front().first, key) > 0) n->children.front().first = key;
        link& child = n->children[i].second;
        insert(child, key, std::move(value), edition);
        if (!is_full(*child)) return;
        auto second = split(*child, edition);
        n->children.emplace(n->children.begin() + static_cast<std::ptrdiff_t>(i) + 1, first_of(*second), second);
    }

    template<class S>
    static void remove(link& n, const S& key, std::uint64_t edition)
    {
        own(n, edition);
        if (n->children.empty()) {
            n->entries.erase(n->entries.begin() + static_cast<std::ptrdiff_t>(place_of(*n, key)));
            return;
        }
        const auto i = child_of(*n, key);
        remove(n->children[i].second, key, edition);
        tidy(*n, i, edition);
    }

    /// Drops a child that has become empty, and joins two that are small.
    static void tidy(node& n, std::size_t i, std::uint64_t edition)
    {
        const auto size = [&n](std::size_t c) {
            return n.children[c].second->entries.size() + n.children[c].second->children.size();
        };
        const auto at = [&n](std::size_t c) { return n.children.begin() + static_cast<std::ptrdiff_t>(c); };
        if (size(i) == 0) {
            n.children.erase(at(i));
            return;
        }
        const std::size_t left = i + 1 < n.children.size() ? i : i - 1;
        if (n.children.size() < 2 || size(left) + size(left + 1) > width / 2) return;
        own(n.children[left].second, edition);
        const auto& from = *n.children[left + 1].second;
        auto& to = *n.children[left].second;
        to.entries.insert(to.entries.end(), from.entries.begin(), from.entries.end());
        to.children.insert(to.children.end(), from.children.begin(), from.children.end());
        n.children.erase(at(left + 1));
    }

    template<class S, class F>
    static bool scan(const node& n, const S* from, F& f)
    {
        if (n.children.empty()) {
            for (auto i = from ? place_of(n, *from) : 0; i < n.entries.size(); ++i)
                if (!f(n.entries[i])) return false;
            return true;
        }
        const auto first = from ? child_of(n, *from) : 0;
        for (auto i = first; i < n.children.size(); ++i)
            if (!scan(*n.children[i].second, i == first ? from : nullptr, f)) return false;
        return true;
    }

    std::shared_ptr<node> root_;
    std::size_t size_ = 0;
};

} // namespace kubecoro::detail
