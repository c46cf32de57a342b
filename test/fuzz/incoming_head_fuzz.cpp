// A client that sends anything. Chunking must not change what is read, and a head is within its limits.
#include "fuzz.hpp"

#include <kubecoro/client/detail/incoming_head.hpp>

#include <algorithm>
#include <memory>
#include <string>

using kubecoro::detail::incoming_head;
using state = incoming_head::state;

namespace {

constexpr std::size_t max_bytes = 512, max_headers = 8;

struct reading
{
    std::unique_ptr<incoming_head> head = std::make_unique<incoming_head>(max_bytes, max_headers);
    /// Bytes that were not consumed.
    std::string rest = {};
};

/// As a server reads it: unused bytes are passed again together with the next ones.
reading read(std::string_view text, std::size_t chunk)
{
    reading out;
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) {
        out.rest += text.substr(0, chunk);
        const auto consumed = out.head->feed(out.rest);
        fuzz::require(consumed <= out.rest.size(), "no more than the input is consumed");
        out.rest.erase(0, consumed);
    }
    return out;
}

bool is_complete(const reading& r) { return r.head->where() == state::complete; }

void check_limits(const incoming_head& head)
{
    fuzz::require(head.text().size() <= max_bytes, "a head is within its limit of bytes");
    fuzz::require(head.fields().size() <= max_headers, "a head is within its limit of headers");
    fuzz::require(!head.chunked() || head.content_length() == 0, "a body has one length");
    fuzz::require(head.text().ends_with("\r\n\r\n"), "a head ends with an empty line");
    std::size_t hosts = 0;
    for (const auto& [name, value] : head.fields()) {
        hosts +=
            name.size() == 4 && std::ranges::equal(name, std::string_view("host"), {}, [](char c) { return c | 32; });
        fuzz::require(value.find_first_of("\r\n") == value.npos, "a value is one line");
    }
    fuzz::require(hosts <= 1, "a request has one host");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = fuzz::text(data, size);
    const auto whole = read(text, std::max<std::size_t>(size, 1));
    const auto parts = read(text, fuzz::chunk_of(size));
    fuzz::require(is_complete(whole) == is_complete(parts), "chunking does not affect whether a head is read");
    if (!is_complete(whole)) return 0;
    check_limits(*whole.head);
    fuzz::require(whole.head->text() == parts.head->text(), "chunking does not affect a head");
    fuzz::require(whole.head->fields() == parts.head->fields(), "chunking does not affect headers");
    fuzz::require(whole.rest == parts.rest, "chunking does not affect what follows a head");
    return 0;
}
