#pragma once
// Which objects somebody was told of: 16 bytes an object.

#include <kubecoro/api/object.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

namespace kubecoro {

/** A set of objects by their uids. Those of the usual form are kept as the numbers they are, others as text. Expands no
    object. */
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
    /// @return whether it was there.
    bool erase(const object& o)
    {
        if (const auto id = o.uuid()) return numbers_.erase(*id) != 0;
        return texts_.erase(std::string(o.uid())) != 0;
    }
    [[nodiscard]] bool contains(const object& o) const
    {
        if (const auto id = o.uuid()) return numbers_.contains(*id);
        return texts_.contains(std::string(o.uid()));
    }
    [[nodiscard]] std::size_t size() const noexcept { return numbers_.size() + texts_.size(); }

private:
    using number = std::array<unsigned char, 16>;
    struct hash
    {
        // The digits of a UUID are random, but for a few in the first half.
        std::size_t operator()(const number& n) const noexcept
        {
            std::array<std::uint64_t, 2> halves{};
            std::memcpy(halves.data(), n.data(), n.size());
            return std::hash<std::uint64_t>{}(halves[0] ^ halves[1] * 31);
        }
    };

    boost::unordered_flat_set<number, hash> numbers_;
    boost::unordered_flat_set<std::string> texts_;
};

} // namespace kubecoro
