// Any text as a list: the same page, or a failure, whatever the chunks.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/test/read_everything.hpp>

#include <algorithm>

using namespace kubecoro;

namespace {

result<list_page> decode(std::string_view text, std::size_t chunk)
{
    list_decoder decoder;
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        if (auto fed = decoder.feed(text.substr(0, chunk)); !fed) return fed.error();
    return decoder.finish();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    const auto whole = decode(text, size + 1);
    const auto parts = decode(text, fuzz::chunk_of(size));
    fuzz::require(whole.has_value() == parts.has_value(), "chunks do not decide whether a list is accepted");
    if (!whole) return 0;
    fuzz::require(whole->kind == parts->kind && whole->resource_version == parts->resource_version &&
                      whole->continue_token == parts->continue_token && whole->items.size() == parts->items.size(),
                  "chunks do not change the page");
    for (std::size_t i = 0; i < whole->items.size(); ++i) {
        fuzz::require(whole->items[i].to_text() == parts->items[i].to_text(), "chunks do not change an item");
        test::read_everything(whole->items[i].root());
    }
    return 0;
}
