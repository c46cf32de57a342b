// Applies JSON patches (RFC 6902).
#include "patch/patch.hpp"
#include "patch/patch_tree.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <vector>

namespace kubecoro::apiserver {
namespace {

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
    const auto* text = find_at(operation, member);
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
    const auto op = text_at(operation, "op");
    const auto path = place_at(operation, "path");
    if (!path) return false;
    const auto* stated = find_at(operation, "value");
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

} // namespace kubecoro::apiserver
