// The code in golden/expected compiles, together, with the warnings of the project.
#include <kubecoro/api/structs.hpp>

#include <golden/forms_v1/atlas.hpp>
#include <golden/forms_v1/choice.hpp>
#include <golden/forms_v1/release.hpp>
#include <golden/forms_v1/scalar.hpp>
#include <golden/forms_v1/shelf.hpp>
#include <golden/forms_v2alpha1/release.hpp>
#include <golden/hidden_v1/a_.hpp>
#include <golden/hidden_v1/boost_.hpp>
#include <golden/hidden_v1/config.hpp>
#include <golden/hidden_v1/detail_.hpp>
#include <golden/hidden_v1/hidden_v1_.hpp>
#include <golden/hidden_v1/kubecoro_.hpp>
#include <golden/hidden_v1/meta_v1_.hpp>
#include <golden/hidden_v1/other_fields_.hpp>
#include <golden/hidden_v1/resource_.hpp>
#include <golden/hidden_v1/std_.hpp>
#include <golden/hidden_v1/template_.hpp>
#include <golden/loose_v1/box.hpp>
#include <golden/loose_v1/puzzle.hpp>
#include <golden/loose_v1/wrapper.hpp>
#include <golden/names_v1/letter.hpp>
#include <golden/names_v1/union_.hpp>
#include <golden/names_v1/well.hpp>
#include <golden/wide_v1/region.hpp>

#include <boost/json/parse.hpp>

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
namespace json = boost::json;

namespace {

/// Whether an object with this spec is the same after it was read and written as a T.
template<class T>
bool survives(std::string_view kind, std::string_view group_version, std::string_view spec)
{
    const auto text = R"({"apiVersion":")" + std::string(group_version) + R"(","kind":")" + std::string(kind) +
                      R"(","metadata":{"name":"a"},"spec":)" + std::string(spec) + '}';
    const auto read = read_struct<T>(typed_object<T>(object::parse(text).value()), struct_rules::strict);
    return read && json::parse(to_text(*read)) == json::parse(text);
}

} // namespace

TEST_CASE("golden: objects survive their types", "[codegen][golden]")
{
    CHECK(survives<forms_v1::scalar>("Scalar", "forms.example.com/v1",
                                     R"({"text":"a","count":1,"share":0.5,"size":"1Gi","port":"http"})"));
    CHECK(survives<names_v1::union_>(
        "Union", "names.example.com/v1",
        R"({"class":"a","class_":"b","assert":"h","NULL":"i","URL":"a","port":80,"with-dash":{"a":"c"},"withDash":{"b":"d"},"quo\"te\\":"e","":"f","what??/":"g"})"));
    CHECK(survives<names_v1::well>("Well", "names.example.com/v1",
                                   R"({"a":{"b":[{"c":{"k":[{"d":{"e":[{"x":{"f":true}}]}}]}}]}})"));
    CHECK_FALSE(wide_v1::region::resource().namespaced);
}

TEST_CASE("golden: types and members do not hide each other", "[codegen][golden]")
{
    const hidden_v1::config config{.config_ = "a", .spec = {.config_spec_ = "b"}};
    CHECK(json::parse(to_text(config)).at("config") == "a");
    CHECK(json::parse(to_text(config)).at("spec").at("config_spec") == "b");
    const hidden_v1::template_ named{.template_2_ = hidden_v1::template_template{.template_template_ = "a"}};
    CHECK(json::parse(to_text(named)).at("template").at("template_template") == "a");
    CHECK(hidden_v1::detail_::resource().kind == "Detail");
    const typed_object<hidden_v1::a_> read(
        object::parse(R"({"apiVersion":"hidden.example.com/v1","kind":"A","metadata":{"name":"n"},"a":"b"})").value());
    CHECK(read->a() == hidden_v1::a_::a_values::b);
    CHECK(hidden_v1::resource_::resource().kind == "Resource");
    CHECK(hidden_v1::std_{} == hidden_v1::std_{});
}

TEST_CASE("golden: the values of an enumeration are constants beside the field, and others are kept",
          "[codegen][golden]")
{
    using values = forms_v1::choice_spec::mode_values;
    const forms_v1::choice made{.spec = {.mode = values::fast, .days = {forms_v1::choice_spec::days_values::tue}}};
    const auto text = to_text(made);
    CHECK(json::parse(text).at("spec") == json::parse(R"({"mode":"Fast","days":["Tue"]})"));
    const typed_object<forms_v1::choice> object(object::parse(text).value());
    CHECK(object->spec().mode() == values::fast);
    CHECK(made.spec.mode == values::fast);
    CHECK(values::a_b == std::string_view("a\"b"));
    CHECK(survives<forms_v1::choice>("Choice", "forms.example.com/v1", R"({"mode":"Newer","note":"n"})"));
    using spec = forms_v1::choice_spec;
    const forms_v1::choice numbers{
        .spec = {.level = spec::level_values::n2,
                 .size = spec::size_values::m,
                 .ratio = spec::ratio_values::minus_1,
                 .steps = {spec::steps_values::minus_10},
                 .store = forms_v1::choice_spec_store{.medium = forms_v1::choice_spec_store::medium_values::cloud}}};
    CHECK(json::parse(to_text(numbers)).at("spec") ==
          json::parse(R"({"level":2,"size":"M","ratio":-1,"steps":[-10],"store":{"medium":"Cloud"}})"));
}
