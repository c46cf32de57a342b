// The time zone database of the system, which is read from its compiled files (RFC 8536).
#include "text/times.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace kubecoro::cel::detail {

namespace {

constexpr std::size_t largest_zone_file = 256 << 10;
constexpr std::size_t most_zones = 1'000;

struct transition
{
    std::int64_t at;
    std::int64_t offset;
};

struct time_zone
{
    std::int64_t first_offset = 0;
    std::vector<transition> changes;
};

std::int64_t read_number(std::string_view data, std::size_t at, std::size_t bytes) noexcept
{
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < bytes; ++i) out = out << 8 | static_cast<unsigned char>(data[at + i]);
    return bytes == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(out)) : static_cast<std::int64_t>(out);
}

struct zone_header
{
    std::size_t utc, standard, leaps, times, types, letters;
    [[nodiscard]] std::size_t size(std::size_t bytes) const noexcept
    {
        return times * (bytes + 1) + types * 6 + letters + leaps * (bytes + 4) + standard + utc;
    }
};

constexpr std::size_t header_size = 44;

std::optional<zone_header> read_header(std::string_view data)
{
    if (data.size() < header_size || !data.starts_with("TZif")) return std::nullopt;
    const auto count = [data](std::size_t i) { return static_cast<std::size_t>(read_number(data, 20 + 4 * i, 4)); };
    const zone_header out{count(0), count(1), count(2), count(3), count(4), count(5)};
    for (std::size_t i = 0; i < 6; ++i)
        if (count(i) > largest_zone_file) return std::nullopt;
    return out;
}

std::optional<time_zone> read_zone(std::string_view data)
{
    auto header = read_header(data);
    if (!header) return std::nullopt;
    std::size_t bytes = 4;
    if (data[4] >= '2') {
        const std::size_t skipped = header_size + header->size(4);
        if (skipped > data.size()) return std::nullopt;
        data.remove_prefix(skipped);
        header = read_header(data);
        if (!header) return std::nullopt;
        bytes = 8;
    }
    data.remove_prefix(header_size);
    if (header->types == 0 || header->size(bytes) > data.size()) return std::nullopt;
    const std::size_t kinds = header->times * bytes;
    const std::size_t types = kinds + header->times;
    time_zone out{read_number(data, types, 4), {}};
    for (std::size_t i = 0; i < header->times; ++i) {
        const auto kind = static_cast<unsigned char>(data[kinds + i]);
        if (kind >= header->types) return std::nullopt;
        out.changes.push_back({read_number(data, i * bytes, bytes), read_number(data, types + kind * 6u, 4)});
    }
    return out;
}

/// Names have letters, digits and some signs; none of their parts begins with a dot.
bool is_zone_name(std::string_view name)
{
    if (name.empty() || name.size() > 64 || name.front() == '/' || name.find('.') != std::string_view::npos)
        return false;
    return name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") ==
           std::string_view::npos;
}

std::shared_ptr<const time_zone> load_zone(const std::string& name)
{
    std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
    std::string data;
    if (file) data.assign(std::istreambuf_iterator<char>(file), {});
    if (data.size() > largest_zone_file) return nullptr;
    auto read = read_zone(data);
    return read ? std::make_shared<const time_zone>(*std::move(read)) : nullptr;
}

std::shared_ptr<const time_zone> zone_named(std::string_view name)
{
    if (!is_zone_name(name)) return nullptr;
    static std::mutex guard;
    static std::map<std::string, std::shared_ptr<const time_zone>, std::less<>> known;
    const std::lock_guard lock(guard);
    if (const auto found = known.find(name); found != known.end()) return found->second;
    auto loaded = load_zone(std::string(name));
    if (loaded && known.size() < most_zones) known.emplace(name, loaded);
    return loaded;
}

/// `+05:30`, `-1:00`.
std::optional<std::int64_t> numeric_offset(std::string_view zone)
{
    const auto colon = zone.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    auto hours = zone.substr(0, colon);
    const auto minutes = zone.substr(colon + 1);
    const bool minus = hours.starts_with('-');
    if (minus || hours.starts_with('+')) hours.remove_prefix(1);
    const auto number = [](std::string_view text) -> std::optional<int> {
        if (text.empty() || text.size() > 2 || text.find_first_not_of("0123456789") != std::string_view::npos)
            return std::nullopt;
        return std::stoi(std::string(text));
    };
    const auto h = number(hours);
    const auto m = number(minutes);
    if (!h || !m) return std::nullopt;
    const std::int64_t offset = (*h * 60 + *m) * 60;
    return minus ? -offset : offset;
}

} // namespace

std::optional<std::int64_t> zone_offset(std::string_view zone, std::int64_t seconds)
{
    if (zone.empty() || zone == "UTC") return 0;
    if (zone.find(':') != std::string_view::npos) return numeric_offset(zone);
    const auto found = zone_named(zone);
    if (!found) return std::nullopt;
    std::int64_t offset = found->first_offset;
    for (const auto& change : found->changes) {
        if (change.at > seconds) break;
        offset = change.offset;
    }
    return offset;
}

} // namespace kubecoro::cel::detail
