// Tests of jobs' defaults and cron jobs' schedules.
#include "support.hpp"

#include "schema/pod_validation.hpp"

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string batch = "/apis/batch/v1/namespaces/default/";

std::string job(const std::string& metadata, const std::string& pod_metadata, const std::string& spec = {})
{
    return R"({"metadata":{)" + metadata + R"(},"spec":{)" + spec + R"("template":{"metadata":{)" + pod_metadata +
           R"(},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})";
}

} // namespace

TEST_CASE("cron schedule: five fields of numbers, names, ranges and steps", "[apiserver][jobs]")
{
    using apiserver::cron_schedule_problem;
    for (const char* good : {"* * * * *", "*/5 0-23/2 1,15 JAN-mar mon", "0 0 31 12 6", "? ? ? ? ?", "@daily",
                             "@every 1h30m", " 0  0 1 1 * ", "5/15 * * * *"}) {
        INFO(good);
        CHECK(cron_schedule_problem(good).empty());
    }
    const std::pair<const char*, const char*> bad[]{
        {"bogus", "expected exactly 5 fields, found 1: [bogus]"},
        {"* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"},
        {"60 * * * *", "end of range (60) above maximum (59): 60"},
        {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
        {"* * * * 7", "end of range (7) above maximum (6): 7"},
        {"5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"},
        {"*/0 * * * *", "step of range should be a positive number: */0"},
        {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
        {"*/1/2 * * * *", "too many slashes: */1/2"},
        {"x * * * *", R"(failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax)"},
        {"@never", "unrecognized descriptor: @never"},
    };
    for (const auto& [schedule, problem] : bad) CHECK(cron_schedule_problem(schedule) == problem);
}

TEST_CASE("cron schedule: a cron job whose schedule is not understood is refused", "[apiserver][jobs]")
{
    server s;
    const auto cron = [](const std::string& schedule) {
        return R"({"metadata":{"name":"c"},"spec":{"schedule":")" + schedule +
               R"(","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c",)"
               R"("image":"i"}]}}}}}})";
    };
    const auto refused = s.expect(422, "POST", batch + "cronjobs", cron("bogus"));
    CHECK(refused.at("message") == R"(CronJob.batch "c" is invalid: spec.schedule: Invalid value: "bogus": expected )"
                                   R"(exactly 5 fields, found 1: [bogus])");
    CHECK(s.expect(422, "POST", batch + "cronjobs", cron("")).at_pointer("/details/causes/0/reason") ==
          "FieldValueRequired");
    s.expect(201, "POST", batch + "cronjobs", cron("*/5 * * * *"));
}

TEST_CASE("jobs: a job without labels has those of its pods, and each has the defaults of a kube-apiserver",
          "[apiserver][jobs]")
{
    server s;
    const auto made = [&](const std::string& body) { return s.expect(201, "POST", batch + "jobs", body); };
    const auto plain = made(job(R"("name":"a")", {}));
    const auto& labels = plain.at_pointer("/metadata/labels");
    CHECK(labels.at("job-name") == "a");
    CHECK(labels.at("batch.kubernetes.io/controller-uid") == plain.at_pointer("/metadata/uid"));
    CHECK(labels == plain.at_pointer("/spec/template/metadata/labels"));
    CHECK(plain.at_pointer("/spec/manualSelector") == json::value(false));
    CHECK(plain.at_pointer("/spec/podReplacementPolicy") == "TerminatingOrFailed");
    CHECK(made(job(R"("name":"b")", R"("labels":{"t":"u"})")).at_pointer("/metadata/labels/t") == "u");
    const auto labelled = made(job(R"("name":"c","labels":{"x":"y"})", R"("labels":{"t":"u"})"));
    CHECK(labelled.at_pointer("/metadata/labels") == json::parse(R"({"x":"y"})"));
    const auto policy =
        R"("podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"X","status":"True"}]}]},)";
    CHECK(made(job(R"("name":"d")", {}, policy)).at_pointer("/spec/podReplacementPolicy") == "Failed");
}
