// Compares the scanner with Boost.JSON's parser: the same texts are accepted and give the same tape, in any chunking.
#include "fuzz.hpp"

#include "json/tape_sink.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/boost_tape.hpp>
#include <kubecoro/test/scan_in_parts.hpp>

#include <algorithm>
#include <string>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

using tape_bytes = std::optional<std::vector<unsigned char>>;

constexpr std::size_t max_depth = 30;
// Containers of a list around the member of an item.
constexpr std::size_t around = 3;

tape_bytes scan_whole(std::string_view text)
{
    static const field_filter nothing;
    pruned_tape tape({.max_object_bytes = largest_tape, .max_depth = max_depth}, nothing, nullptr);
    tape.clear(false);
    if (scan_value(text, tape) != scanned::complete) return std::nullopt;
    const auto bytes = tape.tape().bytes();
    return std::vector<unsigned char>(bytes.begin(), bytes.end());
}

void check_value(std::string_view text, const tape_bytes& wanted)
{
    static test::scan_in_parts scan{max_depth};
    fuzz::require(scan(text, text.size() + 1) == wanted, "the scanner agrees with Boost.JSON");
    fuzz::require(scan(text, fuzz::chunk_of(text.size())) == wanted, "and in parts");
    fuzz::require(scan(text, 1) == wanted, "and byte by byte");
    fuzz::require(scan_whole(text) == wanted, "and as one value");
}

/// The text as an ignored field of a list, and in an item.
void check_list(std::string_view text, bool accepted)
{
    const std::string list = R"({"other":)" + std::string(text) + R"(,"items":[{"v":)" + std::string(text) + "}]}";
    list_decoder decoder({.limits = {.max_depth = max_depth + 1}});
    const std::size_t size = 7 * fuzz::chunk_of(text.size());
    result<> fed;
    for (std::size_t at = 0; fed && at < list.size(); at += size) fed = decoder.feed(list.substr(at, size));
    const bool listed = fed && decoder.finish();
    fuzz::require(!accepted || listed, "a list may contain the value");
    fuzz::require(!listed || test::boost_tape(list, max_depth + around), "a list is a JSON document");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    // For exponents within the number of digits of the largest, the other parser's answer depends on its input's size.
    if (text.find("21474") != std::string_view::npos) return 0;
    const tape_bytes wanted = test::boost_tape(text, max_depth);
    check_value(text, wanted);
    check_list(text, wanted.has_value());
    return 0;
}
