// A recording as lines, and the event that caused a run.
#include "print/recorded_steps.hpp"

#include <kubecoro/test/catch.hpp>

#include <string>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::tool;
using namespace kubecoro::detail;
using namespace std::chrono_literals;

namespace {

std::string note(const std::string& version, const std::string& text)
{
    return R"({"kind":"Note","metadata":{"name":"one","namespace":"default","uid":"u1","resourceVersion":")" + version +
           R"("},"spec":{"text":")" + text + R"("}})";
}

const std::string child =
    R"({"kind":"ConfigMap","metadata":{"name":"one-map","namespace":"default","uid":"u2","resourceVersion":"7","ownerReferences":[{"uid":"u1"}]}})";

/// An operator that makes a config map of a note, and changes it later.
std::string recorded()
{
    auto out = recording_head(wall_time(), 1);
    append_record(out, record_kind::request, 0us, 1, "GET /apis/desk.example.com/v1/notes?watch=true\n\n");
    append_record(out, record_kind::answer, 1ms, 1, "200\ncontent-type: application/json\n");
    append_record(out, record_kind::data, 1s, 1, R"({"type":"ADDED","object":)" + note("5", "hello") + "}\n");
    append_record(out, record_kind::request, 1s, 2, "POST /api/v1/namespaces/default/configmaps\n\n", child);
    append_record(out, record_kind::answer, 1002ms, 2, "201\n");
    append_record(out, record_kind::data, 1002ms, 2, child);
    append_record(out, record_kind::request, 1s, 3, "GET /api/v1/configmaps?watch=true\n\n");
    append_record(out, record_kind::answer, 1s, 3, "200\n");
    append_record(out, record_kind::data, 1003ms, 3, R"({"type":"ADDED","object":)" + child + "}\n");
    append_record(out, record_kind::data, 2s, 1,
                  R"({"type":"MODIFIED","object":)" + note("9", "by\\u001b[31me") + "}\n");
    append_record(out, record_kind::request, 2s, 4, "PATCH /api/v1/namespaces/default/configmaps/one-map\n\n", "{}");
    append_record(out, record_kind::end, 3s, 4, "unreachable: cut");
    append_record(out, record_kind::request, 4s, 5, "GET /api/v1/namespaces/default/configmaps/another\n\n");
    return out;
}

std::vector<recorded_step> steps()
{
    const auto text = recorded();
    return steps_of(exchanges_of(read_records(text).value()));
}

} // namespace

TEST_CASE("recorded steps: requests and events in order")
{
    std::vector<std::string> lines;
    for (const auto& s : steps()) lines.push_back(line_of(s));
    CHECK(lines == std::vector<std::string>{
                       "     0.000  #1 watch notes.desk.example.com: 200 after 0.001 s",
                       "     1.000  #1   ADDED notes.desk.example.com default/one: version 5",
                       "     1.000  #2 create configmaps default/one-map: 201 after 0.002 s",
                       "     1.000  #3 watch configmaps: 200 after 0.000 s",
                       "     1.003  #3   ADDED configmaps default/one-map: version 7",
                       "     2.000  #1   MODIFIED notes.desk.example.com default/one: version 9",
                       "     2.000  #4 patch configmaps default/one-map: unreachable: cut",
                       "     4.000  #5 get configmaps default/another: no answer",
                   });
}

TEST_CASE("recorded causes: the event before a request, and what it changed")
{
    const auto key = parse_recorded_key("notes/default/one").value();
    CHECK(lines_of_causes(steps(), key) ==
          std::vector<std::string>{
              "     1.000  #1   ADDED notes.desk.example.com default/one: version 5",
              "         1.000  #2 create configmaps default/one-map: 201 after 0.002 s",
              "     1.003  #3   ADDED configmaps default/one-map: version 7 (by request #2)",
              "     2.000  #1   MODIFIED notes.desk.example.com default/one: version 9, changed spec.text",
              "         2.000  #4 patch configmaps default/one-map: unreachable: cut",
          });
    // The same from the side of the child.
    CHECK(lines_of_causes(steps(), parse_recorded_key("configmaps/default/one-map").value()).size() == 5);
    CHECK(lines_of_causes(steps(), parse_recorded_key("pods/default/one").value()).empty());
}

TEST_CASE("recorded keys: KIND/NAME and KIND/NS/NAME")
{
    CHECK(parse_recorded_key("nodes/n1")->ns.empty());
    CHECK(parse_recorded_key("deployments.apps/web/shop")->ns == "web");
    for (const auto* const wrong : {"", "notes", "notes/", "/a/b", "a/b/c/d"})
        CHECK(parse_recorded_key(wrong).error() == cond::invalid);
}
