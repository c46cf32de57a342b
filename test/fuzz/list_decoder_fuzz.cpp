// Decodes arbitrary text as a list: chunking must not change the page or the failure, with and without pruning and
// known objects.
#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/test/read_everything.hpp>

#include <algorithm>

using namespace kubecoro;
using namespace kubecoro::detail;

namespace {

/// Returns a known object for every object of version 1.
class known final : public known_objects
{
public:
    [[nodiscard]] object find(object_key_view, std::string_view, std::string_view resource_version) const override
    {
        return resource_version == "1" ? one_ : object{};
    }

private:
    object one_ = object::parse(R"({"kind":"Known"})").value();
};

result<list_page> decode(std::string_view text, std::size_t chunk, const decode_options& options,
                         const std::shared_ptr<const known_objects>& know)
{
    list_decoder decoder(options, nullptr, know);
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        if (auto fed = decoder.feed(text.substr(0, chunk)); !fed) return fed.error();
    return decoder.finish();
}

void check(std::string_view text, const decode_options& options,
           const std::shared_ptr<const known_objects>& know = nullptr)
{
    const auto whole = decode(text, text.size() + 1, options, know);
    const auto parts = decode(text, fuzz::chunk_of(text.size()), options, know);
    fuzz::require(whole.has_value() == parts.has_value(), "chunking does not affect whether a list is accepted");
    if (!whole) return;
    fuzz::require(whole->kind == parts->kind && whole->resource_version == parts->resource_version &&
                      whole->continue_token == parts->continue_token && whole->items.size() == parts->items.size() &&
                      whole->left_out.size() == parts->left_out.size(),
                  "chunking does not change the page");
    for (std::size_t i = 0; i < whole->left_out.size(); ++i)
        fuzz::require(!whole->left_out[i].key.name.empty() && whole->left_out[i].key == parts->left_out[i].key,
                      "chunking does not change the names of objects left out");
    for (std::size_t i = 0; i < whole->items.size(); ++i) {
        fuzz::require(whole->items[i].to_text() == parts->items[i].to_text(), "chunking does not change an item");
        fuzz::require(options.prune.drop.empty() || !whole->items[i]["spec"]["a"], "dropped fields are absent");
        test::read_everything(whole->items[i].root());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::text(data, size);
    check(text, {});
    static const auto know = std::make_shared<const known>();
    check(text, {}, know);
    check(text, {.limits = {.max_object_bytes = 64}});
    check(text, {.prune = {.keep = {"spec", "*.*.name"}, .drop = {"spec.a", "spec.*.b"}}});
    return 0;
}
