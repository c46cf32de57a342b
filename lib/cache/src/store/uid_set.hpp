#pragma once
// A compact set of object uids: 16 bytes an object.

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/hash.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string>

namespace kubecoro::detail {

/** A set of objects by uid. UUIDs are kept as binary numbers, other uids as text. Expands no object. */
class uid_set
{
public:
    void insert(const object& o)
    {
        if (const auto id = o.uuid())
            numbers_.insert(*id);
        else
            texts_.emplace(o.uid());
    }
    /// Returns whether it was in the set.
    bool erase(const object& o)
    {
        if (const auto id = o.uuid()) return numbers_.erase(*id) != 0;
        return texts_.erase(o.uid()) != 0;
    }
    [[nodiscard]] bool contains(const object& o) const
    {
        if (const auto id = o.uuid()) return numbers_.contains(*id);
        return texts_.contains(o.uid());
    }
    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size() + texts_.size(); }

private:
    using number = std::array<unsigned char, 16>;
    struct hash
    {
        using is_avalanching = void;
        // Most servers use random uids, but nothing forces them to.
        std::size_t operator()(const number& n) const noexcept
        {
            return text_hash{}({reinterpret_cast<const char*>(n.data()), n.size()});
        }
    };

    boost::unordered_flat_set<number, hash> numbers_;
    boost::unordered_flat_set<std::string, text_hash, std::equal_to<>> texts_;
};

} // namespace kubecoro::detail
