// Annotations, and the pace at which a workload that loses them is adopted again.
#include "adoption_pace.hpp"
#include "marks.hpp"

#include <kubecoro/api/structs.hpp>
#include <kubecoro/apps_v1/stateful_set.hpp>
#include <kubecoro/test/catch.hpp>

#include <string>

using namespace kubecoro;
using namespace kubecoro::config_reloader;
using namespace std::chrono_literals;

namespace {

/// @param on_workload, on_template  Members of the annotations.
object workload(const std::string& on_workload, const std::string& on_template = {})
{
    return object::parse(R"({"metadata":{"name":"a","namespace":"web","resourceVersion":"7","annotations":{)" +
                         on_workload + R"(}},"spec":{"template":{"metadata":{"annotations":{)" + on_template + "}}}}}")
        .value();
}

std::string last_applied(const object& o)
{
    const typed_object<apps_v1::stateful_set> set(o);
    return std::string(marks::last_applied(set, set->spec().template_()));
}

std::string rolling(const object& o, std::string_view sum)
{
    return to_text(marks::rolling_patch(typed_object<apps_v1::stateful_set>(o), sum));
}

std::string recording(const object& o, std::string_view sum)
{
    return to_text(marks::recording_patch(typed_object<apps_v1::stateful_set>(o), sum));
}

std::string reload(const std::string& value) { return R"("config-reloader.kubecoro.dev/reload":)" + value; }

} // namespace

TEST_CASE("config-reloader: opting in", "[marks]")
{
    CHECK(marks::asked(workload(reload("\"true\""))).value());
    CHECK_FALSE(marks::asked(workload(reload("\"false\""))).value());
    CHECK_FALSE(marks::asked(workload("")).value());
    CHECK_FALSE(marks::mentioned(workload("")));
    for (const std::string value : {"\"\"", "\"True\"", "\"yes\"", "true", "null", "[\"true\"]", "{}"}) {
        const auto o = workload(reload(value));
        CHECK(marks::mentioned(o));
        CHECK_FALSE(marks::asked(o));
    }
    const auto huge = marks::asked(workload(reload("\"" + std::string(200'000, 'x') + "\"")));
    REQUIRE_FALSE(huge);
    CHECK(huge.error() == cond::invalid);
    CHECK(huge.error().message().size() < 200);
}

TEST_CASE("config-reloader: the workload's annotation takes precedence over the template's", "[marks]")
{
    const std::string applied = R"("config-reloader.kubecoro.dev/applied":"one")";
    const std::string on_template = R"("config-reloader.kubecoro.dev/checksum":"two")";
    CHECK(last_applied(workload("")).empty());
    CHECK(last_applied(workload(applied)) == "one");
    CHECK(last_applied(workload("", on_template)) == "two");
    CHECK(last_applied(workload(applied, on_template)) == "one");
}

TEST_CASE("config-reloader: patches are valid for one version", "[marks]")
{
    const auto o = workload("");
    CHECK(
        rolling(o, "abc") ==
        R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"resourceVersion":"7","annotations":{"config-reloader.kubecoro.dev/applied":"abc"}},)"
        R"("spec":{"template":{"metadata":{"annotations":{"config-reloader.kubecoro.dev/checksum":"abc"}}}}})");
    CHECK(
        recording(o, "abc") ==
        R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"resourceVersion":"7","annotations":{"config-reloader.kubecoro.dev/applied":"abc"}}})");
}

TEST_CASE("config-reloader: a patch always changes the template", "[marks]")
{
    const std::string checksum = R"("config-reloader.kubecoro.dev/checksum":)";
    const auto set_back = workload("", checksum + "\"abc\"");
    CHECK(rolling(set_back, "abc").find(checksum + "\"abc-again\"") != std::string::npos);
    const auto twice = workload("", checksum + "\"abc-again\"");
    CHECK(rolling(twice, "abc").find(checksum + "\"abc\"") != std::string::npos);
    CHECK(last_applied(twice) == "abc");
}

TEST_CASE("config-reloader: a workload that loses its marks repeatedly waits longer each time", "[marks]")
{
    adoption_pace pace;
    time_point now{};
    const object_key key{"web", "a"};
    CHECK(pace.wait(key, "u1", now) == 0s);
    duration expected = adoption_pace::first_wait;
    for (int i = 0; i < 10; ++i) {
        pace.adopted(key, "u1", now);
        CHECK(pace.wait(key, "u1", now) == expected);
        CHECK(pace.wait(key, "u1", now + 10s) == expected - 10s);
        CHECK(pace.wait({"web", "b"}, "u1", now) == 0s);
        now += expected;
        CHECK(pace.wait(key, "u1", now) == 0s);
        expected = std::min<duration>(expected * 2, adoption_pace::longest_wait);
    }
    // Another workload of the same name, or the same one after its deletion.
    CHECK(pace.wait(key, "u2", now) == 0s);
    pace.adopted(key, "u2", now);
    CHECK(pace.wait(key, "u2", now) == adoption_pace::first_wait);
    pace.forget(key);
    CHECK(pace.wait(key, "u2", now) == 0s);
}

TEST_CASE("config-reloader: workloads that were adopted long ago are forgotten", "[reloader]")
{
    adoption_pace pace;
    time_point now{1000h};
    for (int i = 0; i < 10'000; ++i) {
        const object_key key{"tenant", "w" + std::to_string(i)};
        pace.adopted(key, "u", now);
        CHECK(pace.wait(key, "u", now) == adoption_pace::first_wait);
        now += 1min;
    }
    CHECK(pace.size() < 200); // those of the last two hours, at most twice
    const object_key last{"tenant", "w9999"};
    pace.adopted(last, "u", now);
    CHECK(pace.wait(last, "u", now) == 2 * adoption_pace::first_wait);
}
