// The embedded server serves the kinds that structs define, and refuses what the structs forbid.
#include "typed_fixture.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>

#include <boost/json.hpp>

using namespace typed_test;
namespace json = boost::json;

namespace press {

struct page
{
    std::string name;
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(page, (), (name, number))

struct book_spec
{
    std::string title;
    int copies = 1;
    bool bound = false;
    double price = 0;
    quantity weight;
    timestamp printed;
    go_duration loan;
    int_or_string shelf;
    bytes cover;
    json::value notes;
    std::optional<std::int64_t> number;
    boxed<page> foreword;
    std::vector<page> pages;
    std::map<std::string, quantity> costs;
    static std::vector<field_rule> field_rules()
    {
        return {{.field = "title", .required = true},
                {.field = "copies", .default_value = 1, .minimum = 0, .maximum = 9},
                {.field = "pages", .list_type = "map", .list_map_keys = {"name"}}};
    }
};
BOOST_DESCRIBE_STRUCT(book_spec, (),
                      (title, copies, bound, price, weight, printed, loan, shelf, cover, notes, number, foreword, pages,
                       costs))

struct book_status
{
    std::optional<int> copies;
};
BOOST_DESCRIBE_STRUCT(book_status, (), (copies))

struct book
{
    static resource_type resource() { return {"press.example.com", "v1", "books", "Book"}; }
    meta_v1::object_meta metadata;
    book_spec spec;
    book_status status;
};
BOOST_DESCRIBE_STRUCT(book, (), (metadata, spec, status))

struct old_book
{
    static resource_type resource() { return {"press.example.com", "v1beta1", "books", "Book"}; }
    meta_v1::object_meta metadata;
    page spec;
};
BOOST_DESCRIBE_STRUCT(old_book, (), (metadata, spec))

book some_book()
{
    book b;
    b.metadata.name = "atlas";
    b.spec.title = "An atlas";
    b.spec.copies = 3;
    b.spec.price = 1.5;
    b.spec.weight = quantity::milli(1500);
    b.spec.printed = timestamp(std::chrono::sys_days{std::chrono::year{2026} / 1 / 31});
    b.spec.loan = go_duration(std::chrono::hours(168));
    b.spec.shelf = "b7";
    b.spec.cover = bytes{"\x01\x02"};
    b.spec.notes = {{"any", {1, "x"}}};
    b.spec.number = 5'000'000'000;
    b.spec.foreword = page{"foreword", 1};
    b.spec.pages = {{"world", 2}, {"europe", 3}};
    b.spec.costs["print"] = quantity::milli(2500);
    return b;
}

} // namespace press

namespace {

void define(world& w, const crd_options& options)
{
    const auto definition = definition_of<press::book>(options);
    REQUIRE(definition);
    const json::value body = *definition;
    const auto kind = untyped::custom_resource_definition::resource();
    const auto made = w.run.run(w.cluster.create(kind, "", body));
    INFO((made ? std::string() : made.error().describe()));
    REQUIRE(made);
}

} // namespace

TEST_CASE("typed definition: the server takes it, and an object of the struct comes back as it was", "[typed]")
{
    world w;
    define(w, {.short_names = {"bk"},
               .version = {.scale = scale_paths{.wanted = ".spec.copies", .present = ".status.copies"},
                           .columns = {{.name = "Title", .json_path = ".spec.title"}}},
               .other_versions = {version_of<press::old_book>()}});
    const auto books = w.cluster.resource<press::book>("default");
    const auto wanted = press::some_book();
    const auto made = w.run.run(books.create(wanted));
    INFO((made ? std::string() : made.error().describe()));
    REQUIRE(made);
    const auto back = read_struct(*made);
    REQUIRE(back);
    CHECK(json::parse(to_text(back->spec)) == json::parse(to_text(wanted.spec)));
}

TEST_CASE("typed definition: the server fills in defaults and refuses what the struct forbids", "[typed]")
{
    world w;
    define(w, {});
    const auto books = w.cluster.resource(press::book::resource(), "default");
    const auto create = [&](const auto& change) {
        auto body = json::parse(to_text(press::some_book()));
        change(body.at("spec").as_object());
        return w.run.run(books.create(body));
    };
    const auto filled = create([](json::object& spec) { spec.erase("copies"); });
    REQUIRE(filled);
    CHECK(filled->root()["spec"]["copies"].as_int64() == 1);

    const auto refused = [&](const auto& change) {
        const auto made = create(change);
        REQUIRE_FALSE(made);
        CHECK(made.error() == cond::invalid);
        return made.error().describe();
    };
    using Catch::Contains;
    CHECK_THAT(refused([](json::object& spec) { spec["copies"] = 10; }), Contains("spec.copies"));
    CHECK_THAT(refused([](json::object& spec) { spec.erase("title"); }), Contains("spec.title"));
    CHECK_THAT(refused([](json::object& spec) { spec.erase("bound"); }), Contains("spec.bound"));
    CHECK_THAT(refused([](json::object& spec) { spec["weight"] = true; }), Contains("spec.weight"));
    CHECK_THAT(refused([](json::object& spec) { spec["pages"].as_array()[0].as_object().erase("name"); }),
               Contains("spec.pages"));
}
