#include "image.hpp"

#include "envelope.hpp"
#include "protobuf_wire.hpp"

#include <algorithm>
#include <optional>

namespace kubecoro::bench {
namespace {

constexpr std::uint32_t stamp_digits = 19;
constexpr std::uint32_t version_digits = 10;
constexpr std::string_view stamp_key = "bench.example.com/stamp";
/// Differences closer than this are merged into one.
constexpr std::size_t gap = 8;

struct places
{
    std::size_t stamp;
    std::size_t version;
};

std::optional<std::size_t> behind(std::string_view text, std::string_view what)
{
    const std::size_t at = text.find(what);
    if (at == std::string_view::npos) return std::nullopt;
    return at + what.size();
}

std::optional<places> json_places(std::string_view object)
{
    const auto stamp = behind(object, "\"bench.example.com/stamp\":\"");
    const auto version = behind(object, "\"resourceVersion\":\"");
    if (!stamp || !version) return std::nullopt;
    return places{*stamp, *version};
}

/// Pod { 1: ObjectMeta { 6: resourceVersion, 12: annotations { 1: key, 2: value } } }
std::optional<places> protobuf_places(std::string_view pod)
{
    const std::string_view metadata = protobuf::find(pod, 1);
    const std::string_view version = protobuf::find(metadata, 6);
    std::string_view stamp;
    protobuf::reader fields(metadata);
    while (const auto f = fields.next())
        if (f->number == 12 && protobuf::find(f->bytes, 1) == stamp_key) stamp = protobuf::find(f->bytes, 2);
    if (stamp.size() != stamp_digits || version.size() != version_digits) return std::nullopt;
    return places{static_cast<std::size_t>(stamp.data() - pod.data()),
                  static_cast<std::size_t>(version.data() - pod.data())};
}

void write_digits(char* to, std::uint32_t digits, std::uint64_t value)
{
    for (char* p = to + digits; p != to; value /= 10) *--p = static_cast<char>('0' + value % 10);
}

bool digits_at(std::string_view object, std::size_t at, std::uint32_t count)
{
    if (at + count > object.size()) return false;
    const std::string_view text = object.substr(at, count);
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

failure unfit(const char* why)
{
    return failure{cond::invalid, std::string("an object of the data has an unexpected form: ") + why};
}

} // namespace

image::image(image_format format, std::uint32_t objects, std::size_t bytes) : format_(format)
{
    slots_.reserve(objects);
    bytes_.reserve(static_cast<std::size_t>(objects) * (bytes + bytes / 16));
}

result<> image::add(std::string_view first, std::string_view second)
{
    std::string without_identity[2];
    if (format_ == image_format::json_pods) {
        for (std::size_t i = 0; i < 2; ++i) {
            const std::string_view whole = i == 0 ? first : second;
            if (whole.empty() && i == 1) continue;
            if (!whole.substr(1).starts_with(pod_identity))
                return unfit("it does not begin with its kind and apiVersion");
            without_identity[i] = "{" + std::string(whole.substr(1 + pod_identity.size()));
        }
        first = without_identity[0];
        second = without_identity[1];
    }
    const auto found = format_ == image_format::protobuf_pods ? protobuf_places(first) : json_places(first);
    if (!found || !digits_at(first, found->stamp, stamp_digits) || !digits_at(first, found->version, version_digits))
        return unfit("stamp or resourceVersion is missing");
    if (!second.empty() && second.size() != first.size()) return unfit("its states differ in length");
    if (format_ == image_format::protobuf_pods) protobuf::append_header(bytes_, 2, first.size());
    slots_.push_back({bytes_.size(), static_cast<std::uint32_t>(first.size()), static_cast<std::uint32_t>(found->stamp),
                      static_cast<std::uint32_t>(found->version), static_cast<std::uint32_t>(changes_.size()),
                      other_.size()});
    bytes_ += first;
    if (format_ != image_format::protobuf_pods) bytes_ += ',';
    add_changes(first, second);
    return {};
}

void image::add_changes(std::string_view first, std::string_view second)
{
    for (std::size_t at = 0; at < second.size(); ++at) {
        if (first[at] == second[at]) continue;
        std::size_t end = at + 1;
        for (std::size_t i = end; i < second.size() && i < end + gap; ++i)
            if (first[i] != second[i]) end = i + 1;
        changes_.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at)});
        other_ += second.substr(at, end - at);
        at = end;
    }
}

std::string_view image::object(std::uint32_t number) const
{
    return std::string_view(bytes_).substr(slots_[number].at, slots_[number].size);
}

std::string_view image::items(std::uint32_t first, std::uint32_t last) const
{
    if (first >= last) return {};
    std::uint64_t from = slots_[first].at;
    if (format_ == image_format::protobuf_pods) from -= protobuf::header_size(2, slots_[first].size);
    return std::string_view(bytes_).substr(from, slots_[last - 1].at + slots_[last - 1].size - from);
}

std::string_view image::event_object(std::uint32_t number) const
{
    // The brace of a pod is in the event's head, before its kind.
    return object(number).substr(format_ == image_format::json_pods ? 1 : 0);
}

void image::turn(std::uint32_t number, std::uint64_t version)
{
    const slot& s = slots_[number];
    const std::size_t end = number + 1 < slots_.size() ? slots_[number + 1].changes : changes_.size();
    char* const here = bytes_.data() + s.at;
    char* other = other_.data() + s.change_bytes;
    for (std::size_t i = s.changes; i < end; ++i)
        other = std::swap_ranges(here + changes_[i].at, here + changes_[i].at + changes_[i].size, other);
    write_digits(here + s.version, version_digits, version);
    stamp(number, 0);
}

void image::stamp(std::uint32_t number, std::uint64_t nanoseconds)
{
    write_digits(bytes_.data() + slots_[number].at + slots_[number].stamp, stamp_digits, nanoseconds);
}

} // namespace kubecoro::bench
