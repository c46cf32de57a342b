#include "test_objects.hpp"

#include "protobuf_wire.hpp"

#include <stdexcept>

namespace kubecoro::bench {
namespace {

void check(bool good, const char* what)
{
    if (!good) throw std::runtime_error(what);
}

/// The fields of a message, which must have exactly these numbers.
std::vector<protobuf::field> fields_of(std::string_view message, const std::vector<unsigned>& numbers)
{
    protobuf::reader reader(message);
    std::vector<protobuf::field> out;
    while (const auto f = reader.next()) out.push_back(*f);
    check(!reader.damaged() && out.size() == numbers.size(), "not the expected fields");
    for (std::size_t i = 0; i < numbers.size(); ++i) check(out[i].number == numbers[i], "not the expected field");
    return out;
}

} // namespace

std::string text_of(data_set& data, std::uint32_t object, object_state state)
{
    std::string out;
    data.append(out, object, state);
    return out;
}

std::string pod_message(std::string_view name, std::uint64_t version, std::string_view phase)
{
    std::string metadata, annotation, status, out;
    protobuf::append_bytes(annotation, 1, "bench.example.com/stamp");
    protobuf::append_bytes(annotation, 2, "0000000000000000000");
    protobuf::append_bytes(metadata, 1, name);
    protobuf::append_bytes(metadata, 6, std::to_string(first_version + version % first_version));
    protobuf::append_bytes(metadata, 12, annotation);
    protobuf::append_bytes(status, 1, phase);
    protobuf::append_bytes(out, 1, metadata);
    protobuf::append_bytes(out, 3, status);
    return out;
}

std::string_view open_envelope(std::string_view bytes, std::string& kind)
{
    check(bytes.substr(0, 4) == std::string_view("k8s\0", 4), "no magic");
    const auto unknown = fields_of(bytes.substr(4), {1, 2, 3, 4});
    const auto type = fields_of(unknown[0].bytes, {1, 2});
    check(type[0].bytes == "v1", "not v1");
    kind = type[1].bytes;
    return unknown[1].bytes;
}

std::vector<framed_event> read_frames(std::string_view bytes)
{
    std::vector<framed_event> out;
    while (!bytes.empty()) {
        check(bytes.size() > 4, "half a length");
        std::size_t size = 0;
        for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
        bytes.remove_prefix(4);
        check(size <= bytes.size(), "half a frame");
        const auto event = fields_of(bytes.substr(0, size), {1, 2});
        bytes.remove_prefix(size);
        const auto extension = fields_of(event[1].bytes, {1});
        framed_event& e = out.emplace_back();
        e.type = event[0].bytes;
        e.message = open_envelope(extension[0].bytes, e.kind);
    }
    return out;
}

} // namespace kubecoro::bench
