#include <kubecoro/api/detail/merge_problems.hpp>

#include <kubecoro/api/detail/field_set.hpp>
#include <kubecoro/api/detail/go_format.hpp>
#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/api/detail/typed_value.hpp>
#include <kubecoro/base/hash.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

using form = merge_type::form;
using wanted = merge_type::wanted;

constexpr std::size_t most_problems = 100;
/// Bytes of their texts: a long name may stand above many of them.
constexpr std::size_t most_problem_bytes = std::size_t{1} << 20;

/// As Go prints the pointer to a value.
std::string shown_by_go(const json::value& v) { return "&{" + go_plain(v) + "}"; }

std::string_view go_type(const json::value& v)
{
    if (v.is_string()) return "string";
    if (v.is_bool()) return "bool";
    if (v.is_array()) return "[]interface {}";
    return v.is_object() ? "map[string]interface {}" : v.is_double() ? "float64" : "int64";
}

/// Why a value cannot be of a type, not looking at what is in it; empty if it can.
std::string misfit_of(const merge_type& type, const json::value& v)
{
    if (v.is_null()) return {};
    switch (type.wants()) {
    case wanted::object:
        return v.is_object() ? std::string{} : "expected map, got " + shown_by_go(v);
    case wanted::array:
        return v.is_array() ? std::string{} : "expected list, got " + shown_by_go(v);
    case wanted::text:
        return v.is_string() ? std::string{}
                             : "expected string, got &value.valueUnstructured{Value:" + go_syntax(v) + "}";
    case wanted::number:
        return v.is_number() ? std::string{} : "expected numeric (int or float), got " + std::string(go_type(v));
    case wanted::boolean:
        return v.is_bool() ? std::string{} : "expected boolean, got " + shown_by_go(v);
    case wanted::anything:
        break;
    }
    return {};
}

std::string why_no_element(const item_keys& keys, const json::value& item)
{
    if (!keys.by_key()) {
        if (item.is_object()) return "associative list without keys has an element that's a map type";
        if (item.is_array()) return "not supported: associative list with lists as elements";
        return "associative list without keys has an element that's an explicit null";
    }
    if (item.is_null()) return "associative list with keys may not have a null element";
    if (!item.is_object()) return "associative list with keys may not have non-map elements";
    std::string names;
    for (const auto& key : keys.keys()) names += (names.empty() ? "" : " ") + go_quoted(key.name);
    return "associative list with keys has an element that omits all key fields [" + names +
           "] (and doesn't have default values for any key fields)";
}

class problem_finder
{
public:
    explicit problem_finder(equal_keys equal) : equal_(equal) {}

    std::vector<std::string> problems;

    void walk(const json::value& v, const merge_type& type)
    {
        if (is_full()) return;
        if (auto why = misfit_of(type, v); !why.empty()) {
            report(std::move(why));
            return;
        }
        // Values that are merged as a whole are checked as well.
        const auto f = type.form_of(v);
        const auto* array = v.if_array();
        const auto* object = v.if_object();
        if (array && (f == form::set || f == form::by_key))
            walk_list(*array, type, f);
        else if (array && type.wants() == wanted::array)
            walk_items(*array, type);
        else if (object && (f == form::members || type.wants() == wanted::object))
            walk_members(*object, type);
    }

private:
    void report(std::string why)
    {
        const auto path = path_text(path_);
        problems.push_back(path.empty() ? std::move(why) : path + ": " + why);
        bytes_ += problems.back().size();
    }
    [[nodiscard]] bool is_full() const { return problems.size() >= most_problems || bytes_ >= most_problem_bytes; }

    void walk_members(const json::object& object, const merge_type& type)
    {
        for (const auto& [name, value] : object) {
            path_.push_back(name_element(name));
            if (!is_full() && !type.allows(name))
                report("field not declared in schema");
            else
                walk(value, type.member(name));
            path_.pop_back();
        }
    }

    void walk_items(const json::array& array, const merge_type& type)
    {
        const auto item_type = type.item();
        for (std::size_t i = 0; i < array.size() && !is_full(); ++i) {
            path_.push_back("i:" + std::to_string(i));
            walk(array[i], item_type);
            path_.pop_back();
        }
    }

    void walk_list(const json::array& array, const merge_type& type, form f)
    {
        const item_keys keys(type, f);
        std::unordered_map<std::string, bool, text_hash> seen;
        const auto item_type = type.item();
        for (std::size_t i = 0; i < array.size() && !is_full(); ++i) {
            auto element = keys.element_of(array[i]);
            if (element.empty()) {
                report("element " + std::to_string(i) + ": " + why_no_element(keys, array[i]));
                return;
            }
            const auto [at, added] = seen.emplace(element, false);
            if (!added && equal_ == equal_keys::refused && !std::exchange(at->second, true))
                report("duplicate entries for key " + path_text({element}));
            path_.push_back(std::move(element));
            walk(array[i], item_type);
            path_.pop_back();
        }
    }

    equal_keys equal_;
    field_path path_;
    std::size_t bytes_ = 0;
};

} // namespace

std::vector<std::string> merge_problems(const json::value& v, const merge_type& type, equal_keys equal)
{
    problem_finder finder(equal);
    finder.walk(v, type);
    return std::move(finder.problems);
}

std::string typed_patch_problem(const json::value& config, std::string_view type, std::vector<std::string> problems)
{
    const auto* metadata = member_in(config, "metadata");
    std::string list;
    std::sort(problems.begin(), problems.end());
    for (const auto& problem : problems) list += (problems.size() > 1 ? "\n  " : "") + problem;
    return "failed to create typed patch object (" + std::string(text_in(metadata, "namespace")) + "/" +
           std::string(text_in(metadata, "name")) + "; " + std::string(type) +
           "): " + (problems.size() > 1 ? "errors:" : "") + list;
}

std::string merge_type_text(std::string_view api_version, std::string_view kind)
{
    const bool core = api_version.find('/') == std::string_view::npos;
    return (core ? "/" : "") + std::string(api_version) + ", Kind=" + std::string(kind);
}

} // namespace kubecoro::detail
