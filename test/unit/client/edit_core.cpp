// The steps of writes that depend on the present state.
#include "writing/edit_core.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <stdexcept>
#include <string>

using namespace kubecoro;
using detail::edit_core;
using detail::edit_rules;
namespace json = boost::json;

namespace {

const resource_type maps = untyped::config_map::resource();

object config(const std::string& version, const std::string& value = "1", const std::string& uid = "u-1")
{
    json::object o = new_object(maps, {"web", "shop"});
    field(o, "metadata", "uid") = uid;
    field(o, "metadata", "resourceVersion") = version;
    field(o, "data", "k") = value;
    field(o, "data", "other") = "kept";
    return object::from_json(o).value();
}

edit_rules rules(edit_rules::absence absent = edit_rules::absence::fail, bool patches = false)
{
    edit_rules out;
    out.type = maps;
    out.key = {"web", "shop"};
    out.absent = absent;
    out.patches = patches;
    return out;
}

void set_two(json::object& o) { field(o, "data", "k") = "2"; }

const failure conflict(cond::conflict, "changed");
const failure missing(cond::not_found, "no such thing");

template<class T>
const T& as(const edit_core::step& s)
{
    REQUIRE(std::holds_alternative<T>(s));
    return std::get<T>(s);
}

const result<written>& ended(const edit_core::step& s) { return as<result<written>>(s); }

std::string text(const json::object& o) { return json::serialize(o); }

} // namespace

TEST_CASE("edit core: an object is read, edited and replaced at the version that was read", "[client][writing]")
{
    edit_core core(rules(), set_two, {});
    as<edit_core::read>(core.begin({}));
    const auto step = core.have_read(config("7"));
    CHECK(
        text(as<edit_core::update>(step).body) ==
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop","namespace":"web","uid":"u-1","resourceVersion":"7"},"data":{"k":"2","other":"kept"}})");
    const auto end = core.have_written(config("8", "2"));
    REQUIRE(ended(end));
    CHECK(ended(end)->effect == write_effect::updated);
    CHECK(ended(end)->now.resource_version() == "8");
}

TEST_CASE("edit core: an edit that changes nothing sends nothing", "[client][writing]")
{
    edit_core core(rules(), set_two, {});
    const auto end = core.have_read(config("7", "2"));
    REQUIRE(ended(end));
    CHECK(ended(end)->effect == write_effect::unchanged);
    CHECK(ended(end)->now.resource_version() == "7");
    const auto at_once = core.begin(config("7", "2"));
    CHECK(ended(at_once)->effect == write_effect::unchanged);
}

TEST_CASE("edit core: a write that leaves the object as it was changed nothing", "[client][writing]")
{
    // A spec that is assigned whole lacks the server's defaults, which the server adds again.
    edit_core core(rules(), set_two, {});
    as<edit_core::update>(core.have_read(config("7")));
    CHECK(ended(core.have_written(config("7")))->effect == write_effect::unchanged);
}

TEST_CASE("edit core: without an object it creates, fails, or is done, as the verb says", "[client][writing]")
{
    edit_core creating(rules(edit_rules::absence::create), set_two, {});
    const auto step = creating.have_read(missing);
    CHECK(text(as<edit_core::create>(step).body) ==
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"shop","namespace":"web"},"data":{"k":"2"}})");
    CHECK(ended(creating.have_written(config("1", "2")))->effect == write_effect::created);

    edit_core failing(rules(), set_two, {});
    CHECK(ended(failing.have_read(missing)).error() == cond::not_found);
    edit_core accepting(rules(edit_rules::absence::accept), set_two, {});
    const auto accepted = accepting.have_read(missing);
    REQUIRE(ended(accepted));
    CHECK_FALSE(ended(accepted)->now);
    // Any other failure is one.
    edit_core forbidden(rules(edit_rules::absence::accept), set_two, {});
    CHECK(ended(forbidden.have_read(failure(cond::forbidden, "no"))).error() == cond::forbidden);
}

TEST_CASE("edit core: after a conflict the newest state is read and edited again", "[client][writing]")
{
    int edits = 0;
    const auto count = [&edits](json::object& o) {
        ++edits;
        set_two(o);
    };
    edit_core core(rules(), count, {});
    as<edit_core::update>(core.have_read(config("7")));
    CHECK(as<edit_core::wait>(core.have_written(conflict)).length >= std::chrono::milliseconds(10));
    as<edit_core::read>(core.have_waited());
    const auto second = core.have_read(config("9"));
    CHECK(*find_field(as<edit_core::update>(second).body, "metadata", "resourceVersion") == "9");
    CHECK(edits == 2);
    // Somebody else made the same change meanwhile.
    as<edit_core::wait>(core.have_written(conflict));
    CHECK(ended(core.have_read(config("10", "2")))->effect == write_effect::unchanged);
}

TEST_CASE("edit core: conflicts end after the attempts, with the last one's failure", "[client][writing]")
{
    retry_policy twice{.attempts = 2};
    edit_core core(rules(), set_two, twice);
    as<edit_core::update>(core.have_read(config("7")));
    as<edit_core::wait>(core.have_written(conflict));
    as<edit_core::update>(core.have_read(config("8")));
    const auto end = core.have_written(conflict);
    CHECK(ended(end).error() == cond::conflict);
    CHECK(ended(end).error().message() == "other writers were first in each attempt");
    REQUIRE(ended(end).error().cause() != nullptr);
    CHECK(ended(end).error().cause()->message() == "changed");
}

TEST_CASE("edit core: who is second to create reads, who is second to delete creates", "[client][writing]")
{
    edit_core core(rules(edit_rules::absence::create), set_two, {});
    as<edit_core::create>(core.have_read(missing));
    as<edit_core::wait>(core.have_written(failure(cond::already_exists, "there")));
    as<edit_core::read>(core.have_waited());
    as<edit_core::update>(core.have_read(config("7")));
    as<edit_core::wait>(core.have_written(missing));
    as<edit_core::create>(core.have_read(missing));
    // A creation that finds nothing lacks its namespace, and no repetition makes it.
    CHECK(ended(core.have_written(missing)).error() == cond::not_found);

    edit_core gone(rules(edit_rules::absence::accept), set_two, {});
    as<edit_core::update>(gone.have_read(config("7")));
    REQUIRE(ended(gone.have_written(missing)));
    CHECK_FALSE(ended(gone.have_written(missing))->now);
}

TEST_CASE("edit core: other refusals are not repeated", "[client][writing]")
{
    edit_core core(rules(), set_two, {});
    as<edit_core::update>(core.have_read(config("7")));
    CHECK(ended(core.have_written(failure(cond::unreachable, "cut off"))).error() == cond::unreachable);
}

TEST_CASE("edit core: a patch has the changes and the version they were made for", "[client][writing]")
{
    edit_core core(rules(edit_rules::absence::create, true), set_two, {});
    CHECK(text(as<edit_core::patch>(core.have_read(config("7"))).body) ==
          R"({"data":{"k":"2"},"metadata":{"resourceVersion":"7"}})");
}

TEST_CASE("edit core: an object that may lack fields is patched, the server's own is replaced", "[client][writing]")
{
    edit_core core(rules(), set_two, {});
    CHECK(text(as<edit_core::patch>(core.begin(config("7"))).body) ==
          R"({"data":{"k":"2"},"metadata":{"resourceVersion":"7"}})");
    as<edit_core::wait>(core.have_written(conflict));
    as<edit_core::read>(core.have_waited());
    as<edit_core::update>(core.have_read(config("8")));
}

TEST_CASE("edit core: an object of another uid is no object", "[client][writing]")
{
    auto one = rules();
    one.uid = "u-1";
    edit_core core(one, set_two, {});
    as<edit_core::update>(core.have_read(config("7")));
    as<edit_core::wait>(core.have_written(conflict));
    CHECK(ended(core.have_read(config("9", "1", "u-2"))).error() == cond::not_found);
}

TEST_CASE("edit core: failures and exceptions of the edit end it", "[client][writing]")
{
    edit_core fails(rules(), [](json::object&) -> result<> { return failure(cond::invalid, "no image"); }, {});
    CHECK(ended(fails.have_read(config("7"))).error().message() == "no image");
    edit_core throws(rules(), [](json::object&) { throw std::runtime_error("broken"); }, {});
    CHECK(ended(throws.have_read(config("7"))).error() == cond::internal);
    edit_core refuses(rules(edit_rules::absence::create),
                      [](json::object& o) { set_controller_reference(object(), o); }, {});
    CHECK(ended(refuses.have_read(missing)).error() == cond::invalid);
    // Any other result of an edit means nothing.
    edit_core says_no(rules(),
                      [](json::object& o) {
                          set_two(o);
                          return false;
                      },
                      {});
    as<edit_core::update>(says_no.have_read(config("7")));
}

TEST_CASE("edit core: an edit cannot turn to another object", "[client][writing]")
{
    const auto rename = [](json::object& o) { field(o, "metadata", "name") = "other"; };
    edit_core core(rules(), rename, {});
    const auto end = core.have_read(config("7"));
    CHECK(ended(end).error() == cond::invalid);
    CHECK(ended(end).error().message() == "the edit of configmaps \"web/shop\" changed its name or namespace");
    edit_core creating(rules(edit_rules::absence::create), rename, {});
    CHECK(ended(creating.have_read(missing)).error() == cond::invalid);
    edit_core moving(rules(), [](json::object& o) { field(o, "metadata", "namespace") = "jobs"; }, {});
    CHECK(ended(moving.have_read(config("7"))).error() == cond::invalid);
}

TEST_CASE("edit core: an edit of the status changes nothing else", "[client][writing]")
{
    auto status = rules(edit_rules::absence::fail, true);
    status.status_only = true;
    edit_core core(status, [](json::object& o) { field(o, "status", "ready") = true; }, {});
    CHECK(text(as<edit_core::patch>(core.have_read(config("7"))).body) ==
          R"({"status":{"ready":true},"metadata":{"resourceVersion":"7"}})");
    edit_core wrong(status, set_two, {});
    const auto end = wrong.have_read(config("7"));
    CHECK(ended(end).error().message() == "the edit of configmaps \"web/shop\" changed data, not only its status");
}
