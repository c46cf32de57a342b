// Decodes arbitrary lines as documents of one encoding, one by one and as items of a list. Each must equal its
// self-contained encoding and Boost.JSON's reading, independent of the documents before it, and so must what filters leave.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/json_oracle.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

// Texts, containers and repeats need several sightings each before they are shared.
constexpr int rounds = 6;
constexpr std::size_t most_documents = 16;

struct document
{
    std::string text;
    object alone;
    /// Empty if Boost.JSON rejects the text.
    std::optional<boost::json::value> oracle;
};

std::vector<document> documents_in(std::string_view text)
{
    std::vector<document> all;
    while (!text.empty() && all.size() < most_documents) {
        const auto newline = std::min(text.find('\n'), text.size());
        document d{std::string(text.substr(0, newline)), {}, {}};
        text.remove_prefix(std::min(newline + 1, text.size()));
        const auto alone = object::parse(d.text);
        if (!alone) continue;
        d.alone = *alone;
        try {
            d.oracle = test::oracle(d.text);
        } catch (const std::exception&) {
            d.oracle.reset();
        }
        all.push_back(std::move(d));
    }
    return all;
}

void check(const object& o, const document& d)
{
    fuzz::require(o.to_text() == d.alone.to_text(), "the text equals that of the self-contained object");
    fuzz::require(o.root() == d.alone.root(), "an object equals the self-contained one");
    fuzz::require(!d.oracle || test::same_json(o.to_json(), *d.oracle), "an object equals Boost.JSON's reading");
}

/// Frees the text after decoding, like the buffer of a connection.
object decode_once(const std::string& text, const std::shared_ptr<object_encoding>& encoding)
{
    const auto buffer = std::make_unique<char[]>(text.size());
    std::copy(text.begin(), text.end(), buffer.get());
    auto o = decode_object({buffer.get(), text.size()}, {}, encoding);
    fuzz::require(o.has_value(), "a vocabulary rejects no object");
    return std::move(*o);
}

/// Filters of one encoding must not affect each other.
void check_pruned(const document& d, const std::shared_ptr<object_encoding>& encoding)
{
    const std::vector<prune_options> filters{{.keep = {"spec", "*.*.a"}}, {.drop = {"spec.a", "spec.*.b", "*.a.*.b"}}};
    for (const auto& prune : filters) {
        const auto alone = decode_object(d.text, {.prune = prune});
        const auto o = decode_object(d.text, {.prune = prune}, encoding);
        fuzz::require(alone && o && o->to_text() == alone->to_text(), "a filter leaves the same with a vocabulary");
    }
}

void check_list(const std::vector<document>& documents, const std::shared_ptr<object_encoding>& encoding)
{
    std::string text = R"({"items":[)";
    for (const auto& d : documents) text += (text.back() == '[' ? "" : ",") + d.text;
    text += "]}";
    list_decoder decoder({}, encoding);
    const std::size_t chunk = 16 * fuzz::chunk_of(text.size());
    for (std::size_t at = 0; at < text.size(); at += chunk) {
        const std::size_t size = std::min(chunk, text.size() - at);
        const auto buffer = std::make_unique<char[]>(size);
        std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), size, buffer.get());
        fuzz::require(decoder.feed({buffer.get(), size}).has_value(), "a list of valid objects is accepted");
    }
    const auto page = decoder.finish();
    fuzz::require(page && page->items.size() == documents.size(), "a list has all its items");
    for (std::size_t i = 0; i < documents.size(); ++i) check(page->items[i], documents[i]);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto documents = documents_in(fuzz::text(data, size));
    if (documents.empty()) return 0;
    const auto encoding = make_object_encoding();
    for (int i = 0; i < rounds; ++i) {
        for (const auto& d : documents) check(decode_once(d.text, encoding), d);
        for (const auto& d : documents) check_pruned(d, encoding);
        check_list(documents, encoding);
    }
    return 0;
}
