#include "chart.hpp"
#include "comparison.hpp"
#include "plan.hpp"
#include "report.hpp"
#include "summary.hpp"
#include "targets.hpp"

#include <kubecoro/test/catch.hpp>

#include <array>

using namespace kubecoro::bench;

namespace {

constexpr target lower{.work = "sync",
                       .workload = "sync",
                       .metric = "cpu",
                       .subject = "kubecoro/plain",
                       .data = "small",
                       .objects = 100,
                       .against = "client-go/protobuf",
                       .reach = 1 / 4.,
                       .stretch = 1 / 8.};

row sync_row(std::string subject, double value, std::string workload = "sync", std::string metric = "cpu")
{
    return {.what = {.workload = std::move(workload),
                     .subject = std::move(subject),
                     .data = "small",
                     .objects = 100,
                     .metric = std::move(metric),
                     .unit = "us"},
            .value = summarise({value})};
}

verdict outcome(const target& t, double ours, double theirs)
{
    return judge(t, {sync_row("kubecoro/plain", ours), sync_row("client-go/protobuf", theirs)}).outcome;
}

} // namespace

TEST_CASE("targets: ours against a peer's")
{
    CHECK(outcome(lower, 11, 40) == verdict::not_reached);
    CHECK(outcome(lower, 10, 40) == verdict::reached);
    CHECK(outcome(lower, 5, 40) == verdict::stretch_reached);
    auto higher = lower;
    higher.more = true;
    higher.reach = 5;
    higher.stretch = 0;
    CHECK(outcome(higher, 49, 10) == verdict::not_reached);
    CHECK(outcome(higher, 50, 10) == verdict::reached);
    CHECK(wish_text(lower) == "at most 1/4.00 of client-go/protobuf (stretch 1/8.00)");
    const std::vector<row> rows{sync_row("kubecoro/plain", 20), sync_row("client-go/protobuf", 40)};
    CHECK(verdict_text(judge(lower, rows)) == "NOT reached: 20.0 us = 1/2.00 of 40.0");
}

TEST_CASE("targets: without a number there is no verdict")
{
    CHECK(judge(lower, {}).absent == "kubecoro/plain");
    const auto alone = judge(lower, {sync_row("kubecoro/plain", 1)});
    CHECK(alone.outcome == verdict::not_measured);
    CHECK(verdict_text(alone) == "not measured: no number of client-go/protobuf");

    auto stopped = sync_row("client-go/protobuf", 0);
    stopped.what.metric = "all";
    stopped.value = {};
    stopped.missing = "gave up after 180 s";
    const auto known = judge(lower, {sync_row("kubecoro/plain", 1), stopped});
    CHECK(verdict_text(known) == "not measured: gave up after 180 s, client-go/protobuf");
}

TEST_CASE("targets: absolute ones, and ours against our own steady memory")
{
    auto t = lower;
    t.against = {};
    t.reach = 0;
    t.stretch = 0;
    CHECK(judge(t, {sync_row("kubecoro/plain", 0)}).outcome == verdict::reached);
    CHECK(judge(t, {sync_row("kubecoro/plain", 1)}).outcome == verdict::not_reached);
    t.against = "own steady";
    t.reach = 1.4;
    CHECK(judge(t, {sync_row("kubecoro/plain", 14), sync_row("kubecoro/plain", 10, "steady", "rss")}).outcome ==
          verdict::reached);
    CHECK(judge(t, {sync_row("kubecoro/plain", 15), sync_row("kubecoro/plain", 10, "steady", "rss")}).outcome ==
          verdict::not_reached);
}

TEST_CASE("targets: every one has a limit")
{
    for (const auto& t : all_targets()) {
        INFO(t.work);
        CHECK((t.subject.starts_with("kubecoro/") || t.workload == "micro"));
        if (t.stretch > 0) CHECK((t.more ? t.stretch > t.reach : t.stretch < t.reach));
    }
}

TEST_CASE("targets: a complete run measures every number they need")
{
    const auto subjects = all_subjects({}, {});
    const auto plan = make_plan({}, subjects);
    auto measured = [&](const target& t, std::string_view subject) {
        for (const auto& group : plan)
            for (const auto& s : group.sessions)
                for (const auto& w : s.workloads)
                    if (s.label(w) == t.workload && subjects[s.subject].name == subject && s.data.name == t.data &&
                        s.data.objects == t.objects)
                        return true;
        return false;
    };
    for (const auto& t : all_targets()) {
        if (t.workload == "micro") continue;
        INFO(t.work << ", " << t.workload << ", " << t.subject << " against " << t.against);
        CHECK(measured(t, t.subject));
        if (!t.against.empty() && t.against != "own steady") CHECK(measured(t, t.against));
    }
}

TEST_CASE("report: the summary compares kubecoro with the best of each library")
{
    std::vector<row> rows{sync_row("kubecoro/plain", 10), sync_row("client-go/protobuf", 40),
                          sync_row("client-go/json", 80), sync_row("kube-rs/best", 30),
                          sync_row("kube-rs/best-stripped", 1)};
    for (auto& r : rows) r.what.objects = 150'000;
    const auto t = summary_table(rows);
    CHECK(t.lines.at(0) == std::vector<std::string>{"cold sync, CPU per pod", "10.0 us (plain)", "40.0 us (protobuf)",
                                                    "30.0 us (best)", "1/4.00", "1/3.00"});
    CHECK(t.lines.at(1) == std::vector<std::string>{"cold sync, CPU per pod, compressed", "not measured",
                                                    "40.0 us (protobuf)", "30.0 us (best)", "-", "-"});
}

TEST_CASE("report: a comparison has every number that both commits have")
{
    auto failed = sync_row("kubecoro/plain@before", 0, "relist");
    failed.value = {};
    failed.missing = "failed: why";
    const std::vector<row> rows{sync_row("kubecoro/plain", 9.7),
                                sync_row("kubecoro/plain@before", 10),
                                sync_row("kubecoro/plain@before", 3, "events", "rate"),
                                sync_row("kubecoro/plain", 0, "relist", "spurious_calls"),
                                sync_row("kubecoro/plain@before", 0, "relist", "spurious_calls"),
                                sync_row("kubecoro/plain", 5, "relist"),
                                failed};
    CHECK(comparison_table(rows).lines ==
          std::vector<std::vector<std::string>>{
              {"kubecoro/plain", "sync, 100 small", "cpu us", "9.70", "10.0", "0.970"},
              {"kubecoro/plain", "relist, 100 small", "spurious_calls us", "0.00", "0.00", "-"}});
    CHECK(terminal_report(rows).find("0.970") != std::string::npos);
    CHECK(comparison_table({sync_row("kubecoro/plain", 9.7)}).lines.empty());
    CHECK(terminal_report({sync_row("kubecoro/plain", 9.7)}).find("before") == std::string::npos);
}

TEST_CASE("report: the generated part replaces the text between the markers")
{
    const std::string document = "# Numbers\n<!-- results: begin -->\nold\n<!-- results: end -->\nby hand\n";
    const auto renewed = put_between_markers(document, "new\n");
    REQUIRE(renewed);
    CHECK(*renewed == "# Numbers\n<!-- results: begin -->\n\nnew\n\n<!-- results: end -->\nby hand\n");
    CHECK(*put_between_markers(*renewed, "new\n") == *renewed);
    CHECK_FALSE(put_between_markers("# Numbers\n", "new\n"));
    CHECK_FALSE(put_between_markers("<!-- results: end -->\n<!-- results: begin -->\n", "new\n"));
}

TEST_CASE("report: a reason is shown with a missed target")
{
    CHECK(parse_reasons("# why\n\nsync, plain: the disk: slow\nnonsense\n") ==
          std::map<std::string, std::string>{{"sync, plain", "the disk: slow"}});
    auto missed = sync_row("kubecoro/plain", 1'000);
    missed.what.objects = 150'000;
    const auto part = document_part({missed}, {.lines = {{"cores", "2"}}}, {{"cold sync, protobuf", "Too few cores."}});
    CHECK(part.find("NOT reached: 1,000 us. Too few cores.") != std::string::npos);
    CHECK(part.find("Machine and versions: cores 2.\n") != std::string::npos);
    CHECK(part.starts_with("**Summary**"));

    const auto other = sync_row("kubecoro/plain", 3, "tail");
    const auto documents = documented(std::array{lower}, {sync_row("kubecoro/plain", 1), other},
                                      {.lines = {{"cores", "2"}, {"Boost", "1.88"}}}, {});
    CHECK(documents.find("**sync, 100 small**\n\n| subject | cpu us |") != std::string::npos);
    CHECK(documents.find("cores 2, Boost 1.88.\n") != std::string::npos);
    CHECK(documents.find("**tail") == std::string::npos); // no target
}

TEST_CASE("charts: bars in proportion, of the panels and subjects that have numbers")
{
    const std::vector<panel> panels{{"Sync", "sync", "cpu", "small", 100}, {"Events", "events", "rate", "small", 100}};
    const std::vector<chart_line> lines{
        {"kubecoro/plain", "kubecoro"}, {"client-go/protobuf", "client-go"}, {"kube-rs/best", "kube-rs"}};
    const std::vector<row> rows{sync_row("kubecoro/plain", 1), sync_row("client-go/protobuf", 4)};
    const auto svg = to_svg("Costs", panels, lines, rows);
    CHECK(svg.starts_with("<svg "));
    CHECK(svg.find("prefers-color-scheme:dark") != std::string::npos);
    CHECK(svg.find(R"(width="39" height="16" class="own")") != std::string::npos);
    CHECK(svg.find(R"(width="156" height="16" class="peer")") != std::string::npos);
    CHECK(svg.find(">4.00 us<") != std::string::npos);
    CHECK(svg.find("kube-rs") == std::string::npos);
    CHECK(svg.find("Events") == std::string::npos);
    CHECK(to_svg("Costs", panels, lines, {sync_row("client-go/protobuf", 4)}).empty());
}

TEST_CASE("charts: beside the document, and shown in it")
{
    CHECK(chart_file("docs/benchmarks.md", "real") == "docs/benchmarks-real.svg");
    CHECK(chart_line_of("docs/benchmarks.md", "real", "Costs", "<svg") == "![Costs](benchmarks-real.svg)\n\n");
    CHECK(chart_line_of("docs/benchmarks.md", "real", "Costs", {}).empty());
    CHECK(chart_of({}).empty());
}
