#include "shards/shard_view.hpp"

#include <algorithm>
#include <charconv>

namespace kubecoro::detail {
namespace {

constexpr std::uint64_t fnv_offset = 0xcbf29ce484222325;
constexpr std::uint64_t fnv_prime = 0x100000001b3;
constexpr std::size_t digits = 16;
constexpr std::string_view by_object = "object:";
constexpr std::string_view by_namespace = "namespace:";

std::uint64_t fnv(std::uint64_t state, std::string_view text) noexcept
{
    for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * fnv_prime;
    return state;
}

std::uint64_t mixed(std::uint64_t h) noexcept
{
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
    return h ^ (h >> 33);
}

/// A bijection of the members for each key, so that no two of them have the same weight.
std::uint64_t weight(member_id m, std::uint64_t key) noexcept { return mixed(m ^ key); }

} // namespace

std::uint64_t shard_hash(std::string_view text) noexcept { return mixed(fnv(fnv_offset, text)); }

std::string member_text(member_id m)
{
    std::string out(digits, '0');
    for (auto at = out.rbegin(); m != 0; ++at, m >>= 4) *at = "0123456789abcdef"[m & 15];
    return out;
}

std::optional<member_id> read_member(std::string_view text) noexcept
{
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (text.size() != digits || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
    member_id out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out, 16);
    return out;
}

std::uint64_t unit_hash(shard_by by, object_key_view key) noexcept
{
    if (by == shard_by::ns) return shard_hash(key.ns);
    return mixed(fnv(fnv(fnv(fnv_offset, key.ns), "/"), key.name));
}

bool shard_view::has(member_id m) const noexcept { return std::binary_search(members.begin(), members.end(), m); }

std::optional<member_id> shard_view::owner(object_key_view key) const noexcept
{
    if (members.empty()) return std::nullopt;
    const auto hash = unit_hash(by, key);
    member_id heaviest = members.front();
    auto most = weight(heaviest, hash);
    for (const member_id m : members) {
        const auto its = weight(m, hash);
        if (its <= most) continue;
        heaviest = m;
        most = its;
    }
    return heaviest;
}

std::string view_text(const shard_view& v)
{
    std::string out(v.by == shard_by::object ? by_object : by_namespace);
    for (const auto m : v.members) {
        if (m != v.members.front()) out += ',';
        out += member_text(m);
    }
    return out;
}

std::optional<shard_view> read_view(std::string_view text)
{
    shard_view out;
    if (text.starts_with(by_namespace))
        out.by = shard_by::ns;
    else if (!text.starts_with(by_object))
        return std::nullopt;
    text.remove_prefix(text.find(':') + 1);
    while (!text.empty()) {
        const auto m = read_member(text.substr(0, digits));
        const bool in_order = m && (out.members.empty() || *m > out.members.back());
        if (!in_order || out.members.size() == most_members) return std::nullopt;
        out.members.push_back(*m);
        text.remove_prefix(digits);
        if (text.empty()) break;
        if (text.front() != ',' || text.size() == 1) return std::nullopt;
        text.remove_prefix(1);
    }
    return out;
}

bool shard_share::covers(object_key_view key) const noexcept
{
    if (within.empty()) return false;
    const auto all = std::all_of(within.begin(), within.end(), [&](const auto& v) { return v.owner(key) == self; });
    return all && std::none_of(others.begin(), others.end(),
                               [&](const auto& other) { return other.second.owner(key) == other.first; });
}

bool may_overlap(const shard_share& share, member_id other, const shard_view& claim) noexcept
{
    if (!claim.has(other)) return false;
    if (!claim.has(share.self)) return true;
    return std::none_of(share.within.begin(), share.within.end(),
                        [&](const auto& v) { return v.by == claim.by && v.has(other); });
}

bool gains_nothing(member_id self, const std::vector<shard_view>& before, const std::vector<shard_view>& now)
{
    const auto had_all = [&](const shard_view& v) {
        return v.has(self) && std::any_of(now.begin(), now.end(), [&v](const shard_view& s) {
                   return s.by == v.by &&
                          std::includes(s.members.begin(), s.members.end(), v.members.begin(), v.members.end());
               });
    };
    return std::all_of(before.begin(), before.end(), had_all);
}

} // namespace kubecoro::detail
