#pragma once
// A sorted set of which any number of states can be kept at once.

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace kubecoro::detail {

/** A B+-tree whose copies share their nodes: copying costs nothing, and a copy never changes.

    A node belongs to the edition in which it was made, and is changed in place by that edition alone; a later one copies the nodes on the
    way from the root. The owner begins a new edition after each copy that others may read. One thread changes a tree; copies may be read
    by any. Entries that come in order fill the nodes.

    @tparam Order  `bound(entry)` returns what an entry is found by: a cheap value, valid while the entry exists. compare(bound, b) returns
                   an ordering, for a bound and for anything else that is searched for. */
template<class Entry, class Order>
class row_tree
{
public:
    using bound = decltype(Order::bound(std::declval<const Entry&>()));

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// The entry, or null. Valid until the tree changes.
    template<class S>
    [[nodiscard]] const Entry* find(const S& key) const
    {
        const node* at = root_.get();
        if (at == nullptr) return nullptr;
        while (!at->is_leaf) at = inner_of(*at).items[child_of(inner_of(*at), key)].to.get();
        const auto& items = leaf_of(*at).items;
        const auto i = place_of(items, key);
        return i < items.size() && Order::compare(Order::bound(items[i]), key) == 0 ? &items[i] : nullptr;
    }

    /// Calls f(entry) in order while it returns true, from the first that is not less than `from`. Returns false when `f` did.
    template<class S, class F>
    bool scan(const S& from, F&& f) const
    {
        return !root_ || scan(*root_, &from, f);
    }
    /// The same for all.
    template<class F>
    bool scan(F&& f) const
    {
        return !root_ || scan(*root_, static_cast<const bound*>(nullptr), f);
    }

    /// Calls f(entry) for all, in order.
    template<class F>
    void each(F&& f) const
    {
        scan([&f](const Entry& e) { return f(e), true; });
    }

    /// The last entry, or null. Valid until the tree changes.
    [[nodiscard]] const Entry* last() const
    {
        const node* at = root_.get();
        if (at == nullptr) return nullptr;
        while (!at->is_leaf) at = inner_of(*at).items.back().to.get();
        return &leaf_of(*at).items.back();
    }

    /// Adds the entry, in place of an equal one.
    /// @param is_last  It comes after all others, which is not checked: nothing needs to be compared.
    void put(Entry e, std::uint64_t edition, bool is_last = false)
    {
        if (!root_) root_ = std::make_shared<leaf>(edition);
        auto second = insert(root_, std::move(e), edition, is_last);
        if (!second) return;
        auto top = std::make_shared<inner>(edition);
        top->items.push_back({first_of(*root_), root_});
        top->items.push_back({first_of(*second), std::move(second)});
        root_ = std::move(top);
    }

    template<class S>
    void erase(const S& key, std::uint64_t edition)
    {
        if (!find(key)) return;
        remove(root_, key, edition);
        while (!root_->is_leaf && inner_of(*root_).items.size() == 1) root_ = link(inner_of(*root_).items.front().to);
        if (--size_ == 0) root_.reset();
    }

private:
    struct node
    {
        std::uint64_t edition;
        bool is_leaf;
    };
    using link = std::shared_ptr<node>;
    struct leaf : node
    {
        explicit leaf(std::uint64_t e) : node{e, true} {}
        boost::container::static_vector<Entry, 16> items;
    };
    struct child
    {
        bound first;
        link to;
    };
    struct inner : node
    {
        explicit inner(std::uint64_t e) : node{e, false} {}
        boost::container::static_vector<child, 32> items;
    };

    [[nodiscard]] static leaf& leaf_of(node& n) noexcept { return static_cast<leaf&>(n); }
    [[nodiscard]] static const leaf& leaf_of(const node& n) noexcept { return static_cast<const leaf&>(n); }
    [[nodiscard]] static inner& inner_of(node& n) noexcept { return static_cast<inner&>(n); }
    [[nodiscard]] static const inner& inner_of(const node& n) noexcept { return static_cast<const inner&>(n); }
    [[nodiscard]] static bound first_of(const Entry& e) { return Order::bound(e); }
    [[nodiscard]] static bound first_of(const child& c) { return c.first; }
    [[nodiscard]] static bound first_of(const node& n)
    {
        return n.is_leaf ? first_of(leaf_of(n).items.front()) : inner_of(n).items.front().first;
    }
    [[nodiscard]] static std::size_t size_of(const node& n)
    {
        return n.is_leaf ? leaf_of(n).items.size() : inner_of(n).items.size();
    }

    /// The place of the first item that is not less.
    template<class Items, class S>
    [[nodiscard]] static std::size_t place_of(const Items& items, const S& key)
    {
        const auto is_less = [&key](const auto& e) { return Order::compare(first_of(e), key) < 0; };
        if (items.empty() || is_less(items.back())) return items.size();
        return static_cast<std::size_t>(std::partition_point(items.begin(), items.end(), is_less) - items.begin());
    }
    /// The last child that may have the key.
    template<class S>
    [[nodiscard]] static std::size_t child_of(const inner& n, const S& key)
    {
        const auto i = place_of(n.items, key);
        const bool is_first = i < n.items.size() && Order::compare(n.items[i].first, key) == 0;
        return is_first || i == 0 ? i : i - 1;
    }

    /// Makes the node one of this edition.
    static void own(link& n, std::uint64_t edition)
    {
        if (n->edition == edition) return;
        if (n->is_leaf)
            n = std::make_shared<leaf>(leaf_of(*n));
        else
            n = std::make_shared<inner>(inner_of(*n));
        n->edition = edition;
    }

    /// Adds an item to a node. Returns a second node, with its last items, when it has become full.
    template<class Node, class Item>
    static link add(Node& n, std::size_t at, Item item)
    {
        n.items.insert(n.items.begin() + static_cast<std::ptrdiff_t>(at), std::move(item));
        if (n.items.size() != n.items.capacity()) return nullptr;
        auto second = std::make_shared<Node>(n.edition);
        const auto from = n.items.begin() + static_cast<std::ptrdiff_t>(at + 1 == n.items.size() ? n.items.size() - 1
                                                                                                 : n.items.size() / 2);
        second->items.assign(std::make_move_iterator(from), std::make_move_iterator(n.items.end()));
        n.items.erase(from, n.items.end());
        return second;
    }

    link insert(link& n, Entry e, std::uint64_t edition, bool is_last)
    {
        own(n, edition);
        if (n->is_leaf) {
            auto& items = leaf_of(*n).items;
            const bound key = first_of(e);
            const auto i = is_last ? items.size() : place_of(items, key);
            if (i == items.size() || Order::compare(first_of(items[i]), key) != 0) {
                ++size_;
                return add(leaf_of(*n), i, std::move(e));
            }
            items[i] = std::move(e);
            return nullptr;
        }
        const auto i = is_last ? inner_of(*n).items.size() - 1 : child_of(inner_of(*n), first_of(e));
        child& c = inner_of(*n).items[i];
        auto second = insert(c.to, std::move(e), edition, is_last);
        c.first = first_of(*c.to);
        return second ? add(inner_of(*n), i + 1, child{first_of(*second), second}) : nullptr;
    }

    template<class S>
    static void remove(link& n, const S& key, std::uint64_t edition)
    {
        own(n, edition);
        if (n->is_leaf) {
            auto& items = leaf_of(*n).items;
            items.erase(items.begin() + static_cast<std::ptrdiff_t>(place_of(items, key)));
            return;
        }
        const auto i = child_of(inner_of(*n), key);
        remove(inner_of(*n).items[i].to, key, edition);
        tidy(inner_of(*n).items, i, edition);
    }

    /// Drops a child that has become empty, and joins two that are small.
    template<class Items>
    static void tidy(Items& items, std::size_t i, std::uint64_t edition)
    {
        const auto at = [&items](std::size_t c) { return items.begin() + static_cast<std::ptrdiff_t>(c); };
        if (size_of(*items[i].to) == 0) {
            items.erase(at(i));
            return;
        }
        items[i].first = first_of(*items[i].to);
        const std::size_t left = i + 1 < items.size() ? i : i - 1;
        if (items.size() < 2) return;
        const auto join = [&](const auto& of) {
            const auto& from = of(*items[left + 1].to).items;
            if (of(*items[left].to).items.size() + from.size() > from.capacity() / 2) return;
            own(items[left].to, edition);
            auto& to = of(*items[left].to).items;
            to.insert(to.end(), from.begin(), from.end());
            items.erase(at(left + 1));
        };
        if (items[left].to->is_leaf)
            join([](node& n) -> leaf& { return leaf_of(n); });
        else
            join([](node& n) -> inner& { return inner_of(n); });
    }

    template<class S, class F>
    static bool scan(const node& n, const S* from, F& f)
    {
        if (n.is_leaf) {
            const auto& items = leaf_of(n).items;
            for (auto i = from ? place_of(items, *from) : 0; i < items.size(); ++i)
                if (!f(items[i])) return false;
            return true;
        }
        const auto first = from ? child_of(inner_of(n), *from) : 0;
        for (auto i = first; i < inner_of(n).items.size(); ++i)
            if (!scan(*inner_of(n).items[i].to, i == first ? from : nullptr, f)) return false;
        return true;
    }

    link root_;
    std::size_t size_ = 0;
};

} // namespace kubecoro::detail
