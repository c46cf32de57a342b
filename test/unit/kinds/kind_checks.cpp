#include "kind_checks.hpp"

#include "view_fields.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/api/structs.hpp>

#include <boost/json/serialize.hpp>

#include <map>

namespace kubecoro::test {

namespace json = boost::json;

namespace {

using problems = std::vector<std::string>;

form_counts counts_of_forms;

/// Checks that the protobuf of a struct is that of its JSON.
template<class T>
void check_protobuf(const T& value, form_counts& counts, problems& out)
{
    const auto quick = detail::encode_protobuf_body(detail::struct_view{&detail::struct_of<T>(), &value}, nullptr);
    const auto whole = detail::encode_protobuf_body(to_text(value), nullptr);
    ++(quick ? counts.quick : whole ? counts.whole : counts.none);
    if (quick && !whole) out.push_back("protobuf would lose something: " + whole.error().describe());
    if (quick && whole && *quick != *whole) out.push_back("its protobuf is not that of its JSON");
}

template<class T>
void check_struct(const object& o, bool spoiled, problems& out)
{
    const auto strict = read_struct<T>(o, struct_rules::strict);
    if (strict.has_value() == spoiled) out.push_back(spoiled ? "strict reading accepts it" : strict.error().describe());
    auto value = read_struct<T>(o);
    if (!value) return out.push_back(value.error().describe());
    if (strict && !(*strict == *value)) out.push_back("strict reading gives another struct");
    T copy = *value;
    const T moved = std::move(*value);
    if (!(copy == moved)) out.push_back("a copy differs");
    const auto written = object::parse(to_text(moved));
    if (!written)
        out.push_back(written.error().describe());
    else if (!(written->root() == o.root()))
        out.push_back("it is written as " + written->to_text());
    check_protobuf(moved, counts_of_forms, out);
}

template<class T>
void check_view(const object& o, const json::object& expected, problems& out)
{
    const typed_object<T> typed(o);
    view_checker checker;
    view_fields<T>::check(checker, *typed, expected);
    for (const auto& path : checker.wrong()) out.push_back("its view differs at " + path);
}

template<class T>
problems check(const json::object& expected, bool spoiled)
{
    problems out;
    const auto text = json::serialize(expected);
    const auto alone = object::parse(text);
    // As an informer keeps it: names by number.
    static const auto encoding = detail::make_object_encoding();
    const auto shared = decode_object(text, {}, encoding);
    if (!alone || !shared) return {"it is refused"};
    check_struct<T>(*alone, spoiled, out);
    check_view<T>(*alone, expected, out);
    check_view<T>(*shared, expected, out);
    return out;
}

template<class T>
json::object carried_definition()
{
    if constexpr (detail::defined_struct<T>)
        return definition_of<T>().value();
    else
        return {};
}

struct kind_check
{
    problems (*check)(const json::object&, bool spoiled);
    json::object (*definition)();
};

/// By apiVersion and kind.
const std::map<std::string, kind_check>& checks()
{
    static const auto all = [] {
        std::map<std::string, kind_check> out;
        each_kind([&out]<class T>() {
            const auto type = T::resource();
            out[type.api_version() + ' ' + type.kind] = {&check<T>, &carried_definition<T>};
        });
        return out;
    }();
    return all;
}

std::string key_of(std::string_view api_version, std::string_view kind)
{
    return std::string(api_version) + ' ' + std::string(kind);
}

} // namespace

bool has_struct(std::string_view api_version, std::string_view kind)
{
    return checks().contains(key_of(api_version, kind));
}

std::size_t struct_count() { return checks().size(); }

form_counts forms_of_structs() noexcept { return counts_of_forms; }

std::vector<std::string> problems_of(const json::object& json, bool spoiled)
{
    const auto& kind = checks().at(key_of(json.at("apiVersion").as_string(), json.at("kind").as_string()));
    return kind.check(json, spoiled);
}

json::object definition_in_code(std::string_view api_version, std::string_view kind)
{
    return checks().at(key_of(api_version, kind)).definition();
}

} // namespace kubecoro::test
