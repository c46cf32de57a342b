#include <kubecoro/client/detail/recording.hpp>

#include <charconv>
#include <chrono>
#include <limits>

namespace kubecoro::detail {
namespace {

constexpr std::string_view magic = "kubecoro-recording ";
constexpr std::uint64_t version = 1;
/// The first line has fewer bytes.
constexpr std::size_t longest_head = 80;

bool is_kind(char c) noexcept { return std::string_view("RADELF").find(c) != std::string_view::npos; }

/// Takes a number and the character after it.
template<class Number>
bool take(std::string_view& text, Number& out, char after) noexcept
{
    const auto* const begin = text.data();
    const auto [end, wrong] = std::from_chars(begin, begin + text.size(), out);
    const auto n = static_cast<std::size_t>(end - begin);
    if (wrong != std::errc() || n == text.size() || *end != after) return false;
    text.remove_prefix(n + 1);
    return true;
}

template<class Number>
void append_number(std::string& out, Number n)
{
    char digits[24];
    const auto [end, wrong] = std::to_chars(digits, digits + sizeof digits, n);
    if (wrong == std::errc()) out.append(digits, end);
}

enum class next
{
    record,
    cut_off,
    damaged
};

next take_record(std::string_view& text, record_view& out)
{
    // Whether a line is damaged shows only when it is whole.
    const auto line_end = text.substr(0, record_overhead).find('\n');
    if (line_end == std::string_view::npos) return text.size() < record_overhead ? next::cut_off : next::damaged;
    auto line = text.substr(0, line_end + 1);
    if (line.size() < 3 || !is_kind(line[0]) || line[1] != ' ') return next::damaged;
    out.kind = static_cast<record_kind>(line[0]);
    line.remove_prefix(2);
    std::int64_t at = 0;
    std::uint64_t size = 0;
    if (!take(line, at, ' ') || at < 0 || !take(line, out.id, ' ') || !take(line, size, '\n') || !line.empty())
        return next::damaged;
    out.at = std::chrono::microseconds(at);
    const auto rest = text.substr(line_end + 1);
    if (size >= rest.size()) return next::cut_off;
    if (rest[static_cast<std::size_t>(size)] != '\n') return next::damaged;
    out.content = rest.substr(0, static_cast<std::size_t>(size));
    text = rest.substr(static_cast<std::size_t>(size) + 1);
    return next::record;
}

} // namespace

std::string recording_head(wall_time begin, std::uint64_t part)
{
    std::string out(magic);
    append_number(out, version);
    out += ' ';
    append_number(out, std::chrono::duration_cast<std::chrono::microseconds>(begin.time_since_epoch()).count());
    out += ' ';
    append_number(out, part);
    out += '\n';
    return out;
}

void append_record(std::string& out, record_kind kind, std::chrono::microseconds at, std::uint64_t id,
                   std::string_view first, std::string_view second)
{
    out += static_cast<char>(kind);
    out += ' ';
    append_number(out, static_cast<std::int64_t>(at.count()));
    out += ' ';
    append_number(out, id);
    out += ' ';
    append_number(out, first.size() + second.size());
    out += '\n';
    out += first;
    out += second;
    out += '\n';
}

result<record_list> read_records(std::string_view text)
{
    const auto whole = text.size();
    if (!text.starts_with(magic)) return failure(cond::corrupt, "this is no recording");
    text.remove_prefix(magic.size());
    if (text.substr(0, longest_head).find('\n') == std::string_view::npos)
        return failure(cond::corrupt, "the first line of the recording has no end");
    std::uint64_t found = 0;
    std::int64_t begin = 0;
    record_list out;
    if (!take(text, found, ' ')) return failure(cond::corrupt, "the recording has no version");
    if (found != version)
        return failure(cond::invalid, "the recording has version " + std::to_string(found) +
                                          ", and this program reads version " + std::to_string(version));
    constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max() / 1000;
    if (!take(text, begin, ' ') || begin < 0 || begin > latest || !take(text, out.part, '\n'))
        return failure(cond::corrupt, "the first line of the recording is damaged");
    out.begin = wall_time(std::chrono::duration_cast<wall_time::duration>(std::chrono::microseconds(begin)));
    while (!text.empty()) {
        record_view one;
        const auto taken = take_record(text, one);
        if (taken == next::damaged)
            return failure(cond::corrupt, "the recording is damaged at byte " + std::to_string(whole - text.size()));
        if (taken == next::cut_off) break;
        out.records.push_back(one);
    }
    out.cut_off = text.size();
    return out;
}

} // namespace kubecoro::detail
