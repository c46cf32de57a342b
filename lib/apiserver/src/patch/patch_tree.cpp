#include "patch/patch_tree.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>

namespace kubecoro::apiserver {

namespace json = boost::json;

namespace {

/// Maximum number of items in a piece: a list of a million items has some thousands of pieces.
constexpr std::size_t piece_items = 512;

/// A negative index counts from the end, as in a kube-apiserver. @param count  The number of places in the list.
std::optional<std::size_t> parse_index(std::string_view text, std::size_t count)
{
    const bool from_end = text.starts_with('-');
    if (from_end) text.remove_prefix(1);
    std::size_t index = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || ec != std::errc{} || end != text.data() + text.size()) return {};
    if (!from_end || index == 0) return index;
    return index <= count ? std::optional(count - index) : std::nullopt;
}

} // namespace

bool patch_allowance::spend(const json::value& v, std::size_t depth_there)
{
    const std::size_t weight = 16 + (v.is_string() ? v.get_string().size() : 0);
    if (depth_there > depth || weight > bytes) return false;
    bytes -= weight;
    if (const auto* array = v.if_array())
        return std::all_of(array->begin(), array->end(),
                           [&](const auto& item) { return spend(item, depth_there + 1); });
    const auto* object = v.if_object();
    if (!object) return true;
    return std::all_of(object->begin(), object->end(), [&](const auto& m) {
        if (m.key().size() > bytes) return false;
        bytes -= m.key().size();
        return spend(m.value(), depth_there + 1);
    });
}

patch_node::items::place patch_node::items::find(std::size_t index) const
{
    place at{0, index};
    while (at.piece < pieces.size() && at.offset > pieces[at.piece].size()) at.offset -= pieces[at.piece++].size();
    return at;
}

void patch_node::items::insert(std::size_t index, patch_node added)
{
    if (pieces.empty()) pieces.emplace_back();
    const place at = find(index);
    auto& piece = pieces[at.piece];
    piece.insert(piece.begin() + static_cast<std::ptrdiff_t>(at.offset), std::move(added));
    ++size;
    if (piece.size() <= piece_items) return;
    const auto half = piece.begin() + static_cast<std::ptrdiff_t>(piece.size() / 2);
    std::vector<patch_node> upper(std::make_move_iterator(half), std::make_move_iterator(piece.end()));
    piece.erase(half, piece.end());
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(at.piece) + 1, std::move(upper));
}

void patch_node::take_apart()
{
    auto* whole = std::get_if<json::value>(&content_);
    if (!whole) return;
    if (auto* object = whole->if_object()) {
        auto out = std::make_unique<members>();
        for (auto& m : *object)
            out->by_name.emplace(std::string(m.key()), member{out->next_place++, patch_node(std::move(m.value()))});
        content_ = std::move(out);
    } else if (auto* array = whole->if_array()) {
        auto out = std::make_unique<items>();
        out->size = array->size();
        for (auto& item : *array) {
            if (out->pieces.empty() || out->pieces.back().size() == piece_items) out->pieces.emplace_back();
            out->pieces.back().emplace_back(std::move(item));
        }
        content_ = std::move(out);
    }
}

bool patch_node::is_object()
{
    take_apart();
    return std::holds_alternative<std::unique_ptr<members>>(content_);
}

patch_node* patch_node::child(std::string_view step)
{
    take_apart();
    if (auto* object = std::get_if<std::unique_ptr<members>>(&content_)) {
        const auto found = (*object)->by_name.find(step);
        return found == (*object)->by_name.end() ? nullptr : &found->second.node;
    }
    auto* list = std::get_if<std::unique_ptr<items>>(&content_);
    const auto index = list ? parse_index(step, (*list)->size) : std::nullopt;
    if (!index || *index >= (*list)->size) return nullptr;
    const auto at = (*list)->find(*index + 1); // the position after the item, so that the piece contains the item
    return &(*list)->pieces[at.piece][at.offset - 1];
}

bool patch_node::add(std::string_view step, patch_node added)
{
    take_apart();
    if (auto* object = std::get_if<std::unique_ptr<members>>(&content_)) {
        auto& all = **object;
        const auto found = all.by_name.find(step);
        if (found != all.by_name.end())
            found->second.node = std::move(added);
        else
            all.by_name.emplace(std::string(step), member{all.next_place++, std::move(added)});
        return true;
    }
    auto* list = std::get_if<std::unique_ptr<items>>(&content_);
    if (!list) return false;
    const auto index = step == "-" ? std::optional((*list)->size) : parse_index(step, (*list)->size + 1);
    if (!index || *index > (*list)->size) return false;
    (*list)->insert(*index, std::move(added));
    return true;
}

std::optional<patch_node> patch_node::take(std::string_view step)
{
    take_apart();
    if (auto* object = std::get_if<std::unique_ptr<members>>(&content_)) {
        auto& all = (*object)->by_name;
        const auto found = all.find(step);
        if (found == all.end()) return {};
        std::optional<patch_node> taken(std::move(found->second.node));
        all.erase(found);
        return taken;
    }
    auto* list = std::get_if<std::unique_ptr<items>>(&content_);
    const auto index = list ? parse_index(step, (*list)->size) : std::nullopt;
    if (!index || *index >= (*list)->size) return {};
    auto& all = **list;
    const auto at = all.find(*index + 1);
    auto& piece = all.pieces[at.piece];
    const auto place = piece.begin() + static_cast<std::ptrdiff_t>(at.offset) - 1;
    std::optional<patch_node> taken(std::move(*place));
    piece.erase(place);
    --all.size;
    if (piece.empty()) all.pieces.erase(all.pieces.begin() + static_cast<std::ptrdiff_t>(at.piece));
    return taken;
}

bool patch_node::equals(const json::value& v) const
{
    if (const auto* whole = std::get_if<json::value>(&content_)) return *whole == v;
    if (const auto* object = std::get_if<std::unique_ptr<members>>(&content_)) {
        const auto* other = v.if_object();
        if (!other || other->size() != (*object)->by_name.size()) return false;
        return std::all_of(other->begin(), other->end(), [&](const auto& m) {
            const auto mine = (*object)->by_name.find(std::string_view(m.key()));
            return mine != (*object)->by_name.end() && mine->second.node.equals(m.value());
        });
    }
    const auto& list = *std::get<std::unique_ptr<items>>(content_);
    const auto* other = v.if_array();
    if (!other || other->size() != list.size) return false;
    auto theirs = other->begin();
    for (const auto& piece : list.pieces)
        for (const auto& item : piece)
            if (!item.equals(*theirs++)) return false;
    return true;
}

std::optional<json::value> patch_node::copy(patch_allowance& allowance, std::size_t depth_there) const
{
    if (const auto* whole = std::get_if<json::value>(&content_)) {
        if (!allowance.spend(*whole, depth_there)) return {};
        return *whole;
    }
    if (!allowance.spend(json::value(), depth_there)) return {};
    if (const auto* object = std::get_if<std::unique_ptr<members>>(&content_)) {
        json::object out;
        for (const auto& [name, m] : (*object)->by_name) {
            auto copied = allowance.bytes < name.size() ? std::nullopt : m.node.copy(allowance, depth_there + 1);
            if (!copied) return {};
            allowance.bytes -= std::min(allowance.bytes, name.size());
            out.emplace(name, std::move(*copied));
        }
        return out;
    }
    json::array out;
    for (const auto& piece : std::get<std::unique_ptr<items>>(content_)->pieces)
        for (const auto& item : piece) {
            auto copied = item.copy(allowance, depth_there + 1);
            if (!copied) return {};
            out.push_back(std::move(*copied));
        }
    return out;
}

json::value patch_node::release()
{
    if (auto* whole = std::get_if<json::value>(&content_)) return std::move(*whole);
    if (auto* object = std::get_if<std::unique_ptr<members>>(&content_)) {
        std::vector<decltype((*object)->by_name)::pointer> in_order;
        for (auto& m : (*object)->by_name) in_order.push_back(&m);
        std::sort(in_order.begin(), in_order.end(),
                  [](const auto* a, const auto* b) { return a->second.place < b->second.place; });
        json::object out;
        out.reserve(in_order.size());
        for (auto* m : in_order) out.emplace(m->first, m->second.node.release());
        return out;
    }
    auto& list = *std::get<std::unique_ptr<items>>(content_);
    json::array out;
    out.reserve(list.size);
    for (auto& piece : list.pieces)
        for (auto& item : piece) out.push_back(item.release());
    return out;
}

} // namespace kubecoro::apiserver
