// RFC 6902 and RFC 7386.
#include "json_text.hpp"
#include "patch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <charconv>
#include <optional>
#include <vector>

namespace kubecoro::apiserver {
namespace {

/// The steps of a JSON pointer; empty when it is none.
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

std::optional<std::size_t> parse_index(std::string_view text)
{
    std::size_t index = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (text.empty() || ec != std::errc{} || end != text.data() + text.size()) return {};
    return index;
}

json::value* step_into(json::value& at, const std::string& step)
{
    if (auto* object = at.if_object()) return object->if_contains(step);
    if (auto* array = at.if_array())
        if (const auto index = parse_index(step); index && *index < array->size()) return &(*array)[*index];
    return nullptr;
}

json::value* walk(json::value& doc, const std::vector<std::string>& steps, std::size_t count)
{
    json::value* at = &doc;
    for (std::size_t i = 0; i < count && at; ++i) at = step_into(*at, steps[i]);
    return at;
}

/// Copies of copies double a document with every operation; this is where it ends.
constexpr std::size_t max_touched_bytes = 32u << 20;
constexpr std::size_t max_result_depth = 256;

/// Adds what a value weighs; false once it is too heavy or too deep.
bool weigh(const json::value& v, std::size_t depth, std::size_t& bytes)
{
    bytes += 16 + (v.is_string() ? v.get_string().size() : 0);
    if (depth > max_result_depth || bytes > max_touched_bytes) return false;
    if (const auto* array = v.if_array()) {
        for (const auto& item : *array)
            if (!weigh(item, depth + 1, bytes)) return false;
    } else if (const auto* object = v.if_object()) {
        for (const auto& member : *object) {
            bytes += member.key().size();
            if (!weigh(member.value(), depth + 1, bytes)) return false;
        }
    }
    return true;
}

bool add(json::value& doc, const std::vector<std::string>& steps, json::value v)
{
    if (steps.empty()) {
        doc = std::move(v);
        return true;
    }
    auto* parent = walk(doc, steps, steps.size() - 1);
    if (!parent) return false;
    if (auto* object = parent->if_object()) {
        (*object)[steps.back()] = std::move(v);
        return true;
    }
    auto* array = parent->if_array();
    if (!array) return false;
    if (steps.back() == "-") {
        array->push_back(std::move(v));
        return true;
    }
    const auto index = parse_index(steps.back());
    if (!index || *index > array->size()) return false;
    array->insert(array->begin() + static_cast<std::ptrdiff_t>(*index), std::move(v));
    return true;
}

bool remove(json::value& doc, const std::vector<std::string>& steps)
{
    if (steps.empty()) return false;
    auto* parent = walk(doc, steps, steps.size() - 1);
    if (!parent) return false;
    if (auto* object = parent->if_object()) return object->stable_erase(steps.back()) == 1;
    auto* array = parent->if_array();
    const auto index = parse_index(steps.back());
    if (!array || !index || *index >= array->size()) return false;
    array->erase(array->begin() + static_cast<std::ptrdiff_t>(*index));
    return true;
}

bool apply_one(json::value& doc, const json::value& operation, std::size_t& touched)
{
    const auto op = text_at(operation, "op");
    const auto path = parse_pointer(text_at(operation, "path"));
    const auto* value = find_at(operation, "value");
    if (!path || !find_at(operation, "path")) return false;
    if ((op == "add" || op == "replace") && value && !weigh(*value, path->size(), touched)) return false;
    if (op == "add") return value && add(doc, *path, *value);
    if (op == "remove") return remove(doc, *path);
    if (op == "replace") {
        auto* target = walk(doc, *path, path->size());
        if (!target || !value) return false;
        *target = *value;
        return true;
    }
    if (op == "test") {
        const auto* target = walk(doc, *path, path->size());
        return target && value && *target == *value;
    }
    if (op != "move" && op != "copy") return false;
    const auto from = parse_pointer(text_at(operation, "from"));
    const auto* source = from ? walk(doc, *from, from->size()) : nullptr;
    if (!source || !weigh(*source, path->size(), touched)) return false;
    json::value moved = *source;
    if (op == "move" && !remove(doc, *from)) return false;
    return add(doc, *path, std::move(moved));
}

} // namespace

bool apply_json_patch(json::value& doc, const json::array& operations)
{
    std::size_t touched = 0;
    for (const auto& operation : operations)
        if (!apply_one(doc, operation, touched)) return false;
    return true;
}

void apply_merge_patch(json::value& doc, const json::value& patch)
{
    const auto* changes = patch.if_object();
    if (!changes) {
        doc = patch;
        return;
    }
    if (!doc.is_object()) doc = json::object{};
    auto& target = doc.get_object();
    for (const auto& [key, value] : *changes) {
        if (value.is_null())
            target.stable_erase(key);
        else
            apply_merge_patch(target[key], value);
    }
}

} // namespace kubecoro::apiserver
