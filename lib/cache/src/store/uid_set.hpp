#pragma once
// A compact set of objects: 16 bytes an object.

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/hash.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <string>

namespace kubecoro::detail {

/** A set of objects by uid. UUIDs are kept as binary numbers, other uids as text. Expands no object.

    An object without a uid, as some aggregated API servers send, is identified by its key. */
class uid_set
{
public:
    void insert(const object& o)
    {
        if (const auto id = o.uuid())
            numbers_.insert(*id);
        else if (const auto uid = o.uid(); !uid.empty())
            texts_.emplace(uid);
        else
            keys_.emplace(o.key());
    }
    /// Returns whether it was in the set.
    bool erase(const object& o)
    {
        if (const auto id = o.uuid()) return numbers_.erase(*id) != 0;
        const auto uid = o.uid();
        return uid.empty() ? keys_.erase(o.key()) != 0 : texts_.erase(uid) != 0;
    }
    [[nodiscard]] bool contains(const object& o) const
    {
        if (const auto id = o.uuid()) return numbers_.contains(*id);
        const auto uid = o.uid();
        return uid.empty() ? keys_.contains(o.key()) : texts_.contains(uid);
    }
    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size() + texts_.size() + keys_.size(); }

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
    boost::unordered_flat_set<object_key, object_key_hash, object_key_equal> keys_;
};

} // namespace kubecoro::detail
