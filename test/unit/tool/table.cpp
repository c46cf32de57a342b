#include "print/server_table.hpp"
#include "print/text_table.hpp"
#include "select/followed_rows.hpp"
#include "select/table_pages.hpp"

#include <kubecoro/test/catch.hpp>

using namespace kubecoro;
using namespace kubecoro::tool;

namespace {

table::row row(std::vector<std::string> cells, const char* shown)
{
    table::row out;
    out.cells = std::move(cells);
    out.shown = object::parse(shown).value();
    return out;
}

table pods()
{
    table out;
    out.columns.resize(3);
    out.columns[0].name = "Name";
    out.columns[1].name = "Status";
    out.columns[2].name = "Node";
    out.columns[2].priority = 1;
    out.rows.push_back(row({"web-1", "Running", "n1"},
                           R"({"metadata":{"name":"web-1","namespace":"web","labels":{"app":"web","x":"y"}}})"));
    out.rows.push_back(row({"w", "", "2"}, R"({"metadata":{"name":"w","namespace":"jobs"}})"));
    out.continue_token = "next";
    return out;
}

} // namespace

TEST_CASE("tool: columns are three apart and as wide as their widest cell", "[tool]")
{
    CHECK(to_text({{"NAME", "B"}, {{"a", "1"}, {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f!", "2"}, {"x"}}}) ==
          "NAME    B\na       1\n\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f!   2\nx\n");
    CHECK(to_text({{"NAME"}, {{"a"}}}, {.with_head = false}) == "a\n");
}

TEST_CASE("tool: a cell can neither begin a line nor control the terminal", "[tool]")
{
    CHECK(to_text({{"NAME", "B"}, {{"a\nforged", "\x1b[2Jx"}}}) == "NAME       B\na forged    [2Jx\n");
    CHECK(to_text({{"\x1b[2J"}, {}}) == " [2J\n");
}

TEST_CASE("tool: colours do not change the layout", "[tool]")
{
    CHECK(to_text({{"A", "B"}, {{"Running", "x"}, {"Failed", "y"}, {"Pending", "z"}}}, {.colours = true}) ==
          "\x1b[1mA\x1b[0m         \x1b[1mB\x1b[0m\n\x1b[32mRunning\x1b[0m   x\n\x1b[31mFailed\x1b[0m    y\n"
          "\x1b[33mPending\x1b[0m   z\n");
}

TEST_CASE("tool: a server's table, narrow and wide", "[tool]")
{
    CHECK(to_text(to_text_table(pods(), {})) == "NAME    STATUS\nweb-1   Running\nw       \n");
    table_layout layout;
    layout.wide = layout.with_namespace = layout.with_labels = true;
    layout.label_columns = {"app", "example.com/none"};
    layout.name_prefix = "pod/";
    CHECK(to_text(to_text_table(pods(), layout)) ==
          "NAMESPACE   NAME        STATUS    NODE   APP      NONE     LABELS\n"
          "web         pod/web-1   Running   n1     web      <none>   app=web,x=y\n"
          "jobs        pod/w                 2      <none>   <none>   <none>\n");
}

TEST_CASE("tool: pages are put together, also when a later one has no columns or other cells", "[tool]")
{
    auto all = pods();
    table more;
    more.rows.push_back(row({}, "{}"));
    more.rows.push_back(row({"a", "b", "c", "d"}, "{}"));
    append(all, more);
    CHECK(all.rows.size() == 4);
    CHECK(all.continue_token.empty());
    CHECK(to_text(to_text_table(all, {})) == "NAME    STATUS\nweb-1   Running\nw       \n        \na       b\n");
    table none;
    append(none, pods());
    CHECK(none.columns.size() == 3);
}

TEST_CASE("tool: a table that grows has one head, and columns that do not become narrower", "[tool]")
{
    growing_table t;
    CHECK(t.next({{"NAME", "B"}, {{"long-name", "1"}}}, {}) == "NAME        B\nlong-name   1\n");
    CHECK(t.next({{"NAME", "B"}, {{"a", "2"}}}, {}) == "a           2\n");
    CHECK(t.next({{"NAME", "B"}, {{"a-longer-name", "3"}}}, {}) == "a-longer-name   3\n");
    CHECK(t.next({{"OTHER"}, {{"x"}}}, {}) == "OTHER\nx\n");
    CHECK(growing_table().next({{"NAME"}, {{"a"}}}, {.with_head = false}) == "a\n");
}

namespace {

table::row version(const std::string& name, const std::string& v, const std::string& uid = "u")
{
    const auto text =
        R"({"metadata":{"name":")" + name + R"(","uid":")" + uid + R"(","resourceVersion":")" + v + "\"}}";
    return row({name, v}, text.c_str());
}

table list_at(const std::string& v, std::vector<table::row> rows)
{
    table out;
    out.rows = std::move(rows);
    out.resource_version = v;
    return out;
}

table_event event(watch_event_type type, const std::string& name, const std::string& v)
{
    table_event out;
    out.type = type;
    out.row = version(name, v);
    out.resource_version = v;
    return out;
}

std::string cells(const std::vector<table::row>& rows)
{
    std::string out;
    for (const auto& r : rows) out += r.cells[0] + r.cells[1] + " ";
    return out;
}

} // namespace

TEST_CASE("tool: each version of a followed row is shown once", "[tool]")
{
    followed_rows rows;
    CHECK(cells(rows.take(list_at("5", {version("a", "3"), version("b", "4")}))) == "a3 b4 ");
    CHECK(rows.version() == "5");
    CHECK(cells(rows.take(event(watch_event_type::modified, "a", "6"))) == "a6 ");
    CHECK(rows.version() == "6");
    // A watch that was opened again repeats it.
    CHECK(cells(rows.take(event(watch_event_type::modified, "a", "6"))).empty());
    CHECK(cells(rows.take(event(watch_event_type::deleted, "b", "7"))) == "b7 ");
    CHECK(cells(rows.take(event(watch_event_type::added, "c", "8"))) == "c8 ");
    table_event bookmark;
    bookmark.type = watch_event_type::bookmark;
    bookmark.resource_version = "20";
    CHECK(rows.take(bookmark).empty());
    CHECK(rows.version() == "20");
    // After a gap: changed, new under an old name, gone, unchanged.
    CHECK(cells(rows.take(list_at("30", {version("a", "6"), version("d", "25"), version("b", "26")}))) ==
          "d25 b26 c8 ");
    CHECK(cells(rows.take(list_at("31", {version("a", "6", "u2"), version("d", "25"), version("b", "26")}))) == "a6 ");
    CHECK(rows.version() == "31");
}

namespace {

table page_of(const char* name, std::string token)
{
    table out;
    out.columns.resize(1);
    out.rows.push_back(row({name}, R"({"metadata":{"name":"n"}})"));
    out.continue_token = std::move(token);
    return out;
}

} // namespace

TEST_CASE("tool: the pages of a table become one, which expires once at most", "[tool]")
{
    table_pages pages(list_options{.label_selector = "a=b"});
    CHECK(pages.next()->limit == table_pages::page_size);
    CHECK(pages.next()->label_selector == "a=b");
    CHECK_FALSE(pages.on_page(page_of("a", "t1")));
    CHECK(pages.next()->continue_token == "t1");
    CHECK(pages.so_far().rows.size() == 1);
    CHECK_FALSE(pages.on_failure(failure(cond::expired)));
    CHECK(pages.so_far().rows.empty());
    CHECK(pages.next()->continue_token.empty());
    CHECK(pages.next()->limit == 0);
    CHECK(pages.on_failure(failure(cond::expired)) == cond::expired);
    CHECK_FALSE(pages.on_page(page_of("b", "")));
    CHECK_FALSE(pages.next());
    CHECK(std::move(pages).take().rows.at(0).cells.at(0) == "b");

    table_pages others(list_options{});
    CHECK_FALSE(others.on_page(page_of("a", "t1")));
    CHECK(others.on_failure(failure(cond::unreachable)) == cond::unreachable);
}

TEST_CASE("tool: a table that expires twice is a failure, and later pages carry the token alone", "[tool]")
{
    table_pages pages(list_options{.resource_version = "5", .match = version_match::not_older_than});
    CHECK(pages.next()->resource_version == "5");
    CHECK_FALSE(pages.on_page(page_of("a", "t1")));
    CHECK(pages.next()->resource_version.empty());
    CHECK(pages.next()->match == version_match::unset);
    CHECK_FALSE(pages.on_failure(failure(cond::expired)));
    CHECK(pages.next()->resource_version == "5");
    // A server that makes pages of a list without a limit.
    CHECK_FALSE(pages.on_page(page_of("a", "t2")));
    CHECK(pages.next()->continue_token == "t2");
    CHECK(pages.next()->resource_version.empty());
    CHECK(pages.next()->limit == 0);
    CHECK(pages.on_failure(failure(cond::expired)) == cond::expired);
}

TEST_CASE("tool: a table whose pages do not end is refused", "[tool]")
{
    table_pages same(list_options{});
    CHECK_FALSE(same.on_page(page_of("a", "t")));
    CHECK(same.on_page(page_of("a", "t")) == cond::corrupt);
    table_pages endless(list_options{});
    for (std::uint32_t i = 0; i < table_pages::max_pages; ++i) {
        table empty;
        empty.continue_token = std::to_string(i);
        REQUIRE_FALSE(endless.on_page(std::move(empty)));
    }
    CHECK(endless.on_page(page_of("a", "more")) == cond::corrupt);
}
