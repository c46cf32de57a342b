// Applies JSON patches (RFC 6902) to a document that is split as paths enter it.
#include <kubecoro/admission/detail/json_patch.hpp>

#include <kubecoro/api/detail/json_access.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

/// The bytes that operations may still write, and the maximum depth of the result.
struct patch_allowance
{
    std::size_t bytes;
    std::size_t depth;

    /// Subtracts the size of a value. @return false when it exceeds `bytes`, or `depth` at a place `depth_there` levels
    /// down.
    [[nodiscard]] bool spend(const json::value& v, std::size_t depth_there);
};

/** One value of the document. A value that no path enters stays as it is; others are split, one level at a time:
    objects into ordered maps, lists into pieces, so that adding or removing a member or item does not move all others.
    A move-only value type. */
class patch_node
{
public:
    explicit patch_node(json::value v) : content_(std::move(v)) {}

    [[nodiscard]] bool is_object();
    /// Returns the member or item; null when absent.
    [[nodiscard]] patch_node* child(std::string_view step);
    /// Sets a member, or inserts an item before an index or at "-". @return false when the step is invalid here.
    [[nodiscard]] bool add(std::string_view step, patch_node added);
    /// Removes the member or item. @return its value; empty when absent.
    [[nodiscard]] std::optional<patch_node> take(std::string_view step);

    [[nodiscard]] bool equals(const json::value& v) const;
    /// Copies the value and spends the allowance. @return empty when the allowance does not suffice.
    [[nodiscard]] std::optional<json::value> copy(patch_allowance& allowance, std::size_t depth_there) const;
    /// Reassembles and returns the value; the node is then unusable.
    [[nodiscard]] json::value release();

private:
    struct member;
    /// Members in a sorted map, whose cost no choice of names can degrade. Each records its place in the object.
    struct members
    {
        std::map<std::string, member, std::less<>> by_name;
        std::size_t next_place = 0;
    };
    struct items
    {
        std::vector<std::vector<patch_node>> pieces;
        std::size_t size = 0;

        struct place
        {
            std::size_t piece;
            std::size_t offset;
        };
        /// `index` <= size.
        [[nodiscard]] place find(std::size_t index) const;
        void insert(std::size_t index, patch_node added);
    };

    void take_apart();

    std::variant<json::value, std::unique_ptr<members>, std::unique_ptr<items>> content_;
};

struct patch_node::member
{
    std::size_t place;
    patch_node node;
};

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

/// Returns the steps of a JSON pointer; empty when `text` is not a JSON pointer.
std::optional<std::vector<std::string>> parse_pointer(std::string_view text)
{
    std::vector<std::string> steps;
    if (text.empty()) return steps;
    if (text.front() != '/') return {};
    std::string step;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '/') {
            steps.push_back(std::move(step));
            step.clear();
        } else if (text[i] == '~' && i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1')) {
            step += text[++i] == '0' ? '~' : '/';
        } else {
            step += text[i];
        }
    }
    steps.push_back(std::move(step));
    return steps;
}

/// Bounds the growth by repeated copies, each of which can double the document.
constexpr std::size_t max_touched_bytes = 32u << 20;
constexpr std::size_t max_result_depth = 256;

using pointer = std::vector<std::string>;

patch_node* walk(patch_node& doc, const pointer& steps, std::size_t count)
{
    patch_node* at = &doc;
    for (std::size_t i = 0; i < count && at; ++i) at = at->child(steps[i]);
    return at;
}

/// The place that a member of an operation names; empty when it names none.
std::optional<pointer> place_at(const json::value& operation, std::string_view member)
{
    const auto* text = member_in(operation, member);
    return text && text->is_string() ? parse_pointer(std::string_view(text->get_string())) : std::nullopt;
}

// The whole document can be replaced and tested, and nothing else, as by a kube-apiserver.

bool add(patch_node& doc, const pointer& steps, json::value v)
{
    if (steps.empty()) return false;
    auto* parent = walk(doc, steps, steps.size() - 1);
    return parent && parent->add(steps.back(), patch_node(std::move(v)));
}

/// Whether steps lead to a member that its object does not have. To a kube-apiserver it is null: it can be replaced,
/// copied, and tested for being absent.
bool is_absent_member(patch_node& doc, const pointer& steps)
{
    auto* object = steps.empty() ? nullptr : walk(doc, steps, steps.size() - 1);
    return object && object->is_object() && !object->child(steps.back());
}

bool test(patch_node& doc, const pointer& steps, const json::value& wanted)
{
    if (const auto* found = walk(doc, steps, steps.size())) return found->equals(wanted);
    return wanted.is_null() && is_absent_member(doc, steps);
}

bool replace(patch_node& doc, const pointer& steps, const json::value& value)
{
    if (is_absent_member(doc, steps)) return add(doc, steps, value);
    if (steps.empty() && !value.is_structured()) return false;
    auto* target = walk(doc, steps, steps.size());
    if (target) *target = patch_node(value);
    return target != nullptr;
}

bool remove(patch_node& doc, const pointer& steps)
{
    if (steps.empty()) return false;
    auto* parent = walk(doc, steps, steps.size() - 1);
    return parent && parent->take(steps.back());
}

bool apply_one(patch_node& doc, const json::value& operation, patch_allowance& allowance)
{
    static const json::value none;
    const auto op = text_in(operation, "op");
    const auto path = place_at(operation, "path");
    if (!path) return false;
    const auto* stated = member_in(operation, "value");
    const auto& value = stated ? *stated : none; // null, as for a kube-apiserver
    if ((op == "add" || op == "replace") && !allowance.spend(value, path->size())) return false;
    if (op == "add") return add(doc, *path, value);
    if (op == "remove") return remove(doc, *path);
    if (op == "replace") return replace(doc, *path, value);
    if (op == "test") return test(doc, *path, value);
    const auto from = place_at(operation, "from");
    if ((op != "move" && op != "copy") || !from || from->empty()) return false;
    if (op == "copy" && is_absent_member(doc, *from)) return add(doc, *path, nullptr);
    const auto* source = walk(doc, *from, from->size());
    if (!source) return false;
    auto copied = source->copy(allowance, path->size());
    if (!copied || (op == "move" && !remove(doc, *from))) return false;
    return add(doc, *path, std::move(*copied));
}

} // namespace

bool apply_json_patch(json::value& doc, const json::array& operations)
{
    patch_node root(std::move(doc));
    patch_allowance allowance{max_touched_bytes, max_result_depth};
    for (const auto& operation : operations)
        if (!apply_one(root, operation, allowance)) return false;
    doc = root.release();
    return true;
}

} // namespace kubecoro::detail
