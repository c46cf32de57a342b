// The properties of decoded lists, for both forms on the wire.
#pragma once

#include "fuzz.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>
#include <kubecoro/test/read_everything.hpp>

#include <algorithm>
#include <memory>
#include <string_view>

namespace fuzz {

/// Returns a known object for every object of version 1.
class version_1_is_known final : public kubecoro::detail::known_objects
{
public:
    [[nodiscard]] kubecoro::object find(kubecoro::object_key_view, std::string_view,
                                        std::string_view resource_version) const override
    {
        return resource_version == "1" ? one_ : kubecoro::object{};
    }

private:
    kubecoro::object one_ = kubecoro::object::parse(R"({"kind":"Known"})").value();
};

inline kubecoro::result<kubecoro::list_page>
decode_list(std::string_view text, std::size_t chunk, const kubecoro::decode_options& options,
            const std::shared_ptr<const kubecoro::detail::known_objects>& known, kubecoro::wire_form form)
{
    kubecoro::detail::list_decoder decoder(options, nullptr, known, form);
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size())))
        if (auto fed = decoder.feed(text.substr(0, chunk)); !fed) return fed.error();
    return decoder.finish();
}

/// Chunking must not change the page or whether it is accepted. Returns the page.
inline kubecoro::result<kubecoro::list_page>
check_list(std::string_view text, const kubecoro::decode_options& options,
           const std::shared_ptr<const kubecoro::detail::known_objects>& known, kubecoro::wire_form form)
{
    auto whole = decode_list(text, text.size() + 1, options, known, form);
    const auto parts = decode_list(text, chunk_of(text.size()), options, known, form);
    require(whole.has_value() == parts.has_value(), "chunking does not affect whether a list is accepted");
    if (!whole) return whole;
    require(whole->kind == parts->kind && whole->api_version == parts->api_version &&
                whole->resource_version == parts->resource_version && whole->continue_token == parts->continue_token &&
                whole->remaining == parts->remaining && whole->shard_selector == parts->shard_selector &&
                whole->items.size() == parts->items.size() && whole->left_out.size() == parts->left_out.size(),
            "chunking does not change the page");
    for (std::size_t i = 0; i < whole->left_out.size(); ++i)
        require(!whole->left_out[i].key.name.empty() && whole->left_out[i].key == parts->left_out[i].key,
                "chunking does not change the names of objects left out");
    for (std::size_t i = 0; i < whole->items.size(); ++i) {
        require(whole->items[i].to_text() == parts->items[i].to_text(), "chunking does not change an item");
        require(options.prune.drop.empty() || !whole->items[i]["spec"]["a"], "dropped fields are absent");
        kubecoro::test::read_everything(whole->items[i].root());
    }
    return whole;
}

} // namespace fuzz
