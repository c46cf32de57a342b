#include "corpus.hpp"

#include <kubecoro/api/decode.hpp>

#include <array>
#include <functional>

namespace kubecoro::bench {

using namespace detail;

namespace {

/// Caches make(kind) for each kind.
template<class T>
const T& once(data_kind kind, T (*make)(data_kind))
{
    static std::array<T, 4> made;
    auto& it = made[static_cast<std::size_t>(kind)];
    if (it.empty()) it = make(kind);
    return it;
}

std::vector<std::string> make_corpus(data_kind kind)
{
    data_set data({.kind = kind, .objects = corpus_size});
    std::vector<std::string> texts(data.size());
    for (std::uint32_t i = 0; i < data.size(); ++i) data.append(texts[i], i, object_state::first);
    return texts;
}

std::vector<object> encode(data_kind kind)
{
    const auto encoding = make_object_encoding();
    std::vector<object> objects;
    for (const auto& text : corpus(kind)) objects.push_back(decode_object(text, {}, encoding).value());
    return objects;
}

std::string make_list(data_kind kind)
{
    std::string text = R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1000000000"},"items":[)";
    for (const auto& item : corpus(kind)) {
        if (text.back() != '[') text += ',';
        text += item;
    }
    return text + "]}";
}

std::string make_watch(data_kind kind)
{
    std::string text;
    for (const auto& item : corpus(kind)) text += R"({"type":"MODIFIED","object":)" + item + "}\n";
    return text;
}

} // namespace

const std::vector<std::string>& corpus(data_kind kind) { return once(kind, make_corpus); }
const std::vector<object>& encoded_corpus(data_kind kind) { return once(kind, encode); }
const std::string& list_text(data_kind kind) { return once(kind, make_list); }
const std::string& watch_text(data_kind kind)
{
    static std::array<std::string, 4> made;
    auto& text = made[static_cast<std::size_t>(kind)];
    if (text.empty()) text = make_watch(kind);
    return text;
}

} // namespace kubecoro::bench
