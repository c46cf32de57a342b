#include <kubecoro/client/detail/incoming_head.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace kubecoro::detail {
namespace {

bool is_alphanumeric(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_one_of(char c, const char* set) noexcept { return c != '\0' && std::strchr(set, c) != nullptr; }
bool is_token_character(char c) noexcept { return is_alphanumeric(c) || is_one_of(c, "!#$%&'*+-.^_`|~"); }
/// A character of a name, an address or a port, with its escapes.
bool is_host_character(char c) noexcept { return is_alphanumeric(c) || is_one_of(c, "-._~!$&'()*+,;=:[]%"); }
bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_token(std::string_view text) noexcept
{
    return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) noexcept
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) noexcept
{
    constexpr const char* blanks = " \t";
    const auto begin = text.find_first_not_of(blanks);
    return begin == text.npos ? std::string_view() : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Calls the function with each element of a list.
template<class Use>
void for_each_element(std::string_view list, Use use)
{
    for (std::size_t at = 0; at <= list.size();) {
        const auto end = std::min(list.find(',', at), list.size());
        use(trimmed(list.substr(at, end - at)));
        at = end + 1;
    }
}

} // namespace

incoming_head::incoming_head(std::size_t max_bytes, std::size_t max_headers) noexcept
    : max_bytes_(max_bytes), max_headers_(max_headers)
{
}

std::size_t incoming_head::feed(std::string_view bytes)
{
    if (where_ != state::idle && where_ != state::partial) return 0;
    // Some clients send a line end after a body, which belongs to no request.
    if (!skipped_line_ && bytes.starts_with("\r\n")) {
        skipped_line_ = true;
        seen_ = 0;
        where_ = state::idle;
        return 2 + feed(bytes.substr(2));
    }
    if (bytes.empty()) return 0;
    where_ = state::partial;
    const auto size = find_end(bytes);
    if (where_ != state::partial || size == 0) return 0;
    text_ = bytes.substr(0, size);
    where_ = parse();
    return size;
}

std::size_t incoming_head::find_end(std::string_view bytes)
{
    for (; seen_ < bytes.size(); ++seen_) {
        if (seen_ >= max_bytes_) break;
        const char c = bytes[seen_];
        const bool after_return = seen_ > line_ && bytes[seen_ - 1] == '\r';
        if (after_return != (c == '\n') || (is_control(c) && !is_one_of(c, "\r\n\t"))) {
            where_ = state::malformed;
            return 0;
        }
        if (c != '\n') continue;
        const bool is_empty = seen_ - line_ == 1;
        if (is_empty && lines_ == 0) where_ = state::malformed;
        if (is_empty) return seen_ + 1;
        line_ = seen_ + 1;
        if (lines_++ > max_headers_) break;
    }
    if (seen_ < bytes.size() || seen_ >= max_bytes_) where_ = state::too_large;
    return 0;
}

incoming_head::state incoming_head::parse()
{
    std::string_view rest = text_;
    for (bool is_first = true; rest != "\r\n"; is_first = false) {
        const auto line = rest.substr(0, rest.find('\r'));
        rest.remove_prefix(line.size() + 2);
        if (!(is_first ? parse_request_line(line) : parse_field(line))) return state::malformed;
    }
    if (!parse_host()) return state::malformed;
    keep_alive_ = parse_keep_alive();
    return parse_framing();
}

bool incoming_head::parse_request_line(std::string_view line)
{
    method_ = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), method_.size() + 1));
    const auto target = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), target.size() + 1));
    if (!is_token(method_) || target.empty() || target.find('\t') != target.npos) return false;
    if (line != "HTTP/1.1" && line != "HTTP/1.0") return false;
    minor_version_ = line.back() - '0';
    target_ = target;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!same_word(target.substr(0, scheme.size()), scheme)) continue;
        const auto rest = target.substr(scheme.size());
        host_ = rest.substr(0, rest.find_first_of("/?"));
        if (host_.empty()) return false;
        target_ = rest.substr(host_.size());
        if (!target_.starts_with('/')) target_.insert(0, 1, '/');
    }
    return true;
}

/// A folded line begins with white space, which is no name.
bool incoming_head::parse_field(std::string_view line)
{
    const auto colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon))) return false;
    fields_.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    return true;
}

bool incoming_head::parse_host()
{
    const auto hosts =
        std::count_if(fields_.begin(), fields_.end(), [](const field& f) { return same_word(f.first, "host"); });
    if (hosts > 1 || (hosts == 0 && reads_chunks())) return false;
    const auto said = value("host");
    if (host_.empty()) host_ = said;
    return std::all_of(said.begin(), said.end(), is_host_character) &&
           std::all_of(host_.begin(), host_.end(), is_host_character);
}

incoming_head::state incoming_head::parse_framing()
{
    std::size_t lengths = 0, codings = 0, chunks = 0;
    bool ends_in_chunks = false;
    for (const auto& [name, value] : fields_) {
        if (same_word(name, "content-length")) {
            ++lengths;
            const auto* const end = value.data() + value.size();
            const auto [stop, error] = std::from_chars(value.data(), end, content_length_);
            if (error != std::errc() || stop != end) return state::malformed;
        }
        if (same_word(name, "transfer-encoding"))
            for_each_element(value, [&](std::string_view coding) {
                ++codings;
                ends_in_chunks = same_word(coding, "chunked");
                if (ends_in_chunks) ++chunks;
            });
    }
    if (lengths + (codings > 0 ? 1 : 0) > 1) return state::malformed;
    if (codings == 0) return state::complete;
    // Servers before HTTP/1.1 know no codings: one of them may have passed the request on.
    if (!ends_in_chunks || chunks > 1 || !reads_chunks()) return state::malformed;
    chunked_ = true;
    return codings == 1 ? state::complete : state::unknown_coding;
}

bool incoming_head::parse_keep_alive() const
{
    bool closes = false, keeps = false;
    for (const auto& [name, value] : fields_)
        if (same_word(name, "connection"))
            for_each_element(value, [&](std::string_view option) {
                closes = closes || same_word(option, "close");
                keeps = keeps || same_word(option, "keep-alive");
            });
    return !closes && (keeps || reads_chunks());
}

std::string_view incoming_head::value(std::string_view name) const noexcept
{
    for (const auto& [own, value] : fields_)
        if (same_word(own, name)) return value;
    return {};
}

} // namespace kubecoro::detail
