// An incident becomes a test: an operator is recorded beside the embedded server, and the recording is played into others.
#include "keeper.hpp"

#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/client/apply.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/client/recording_transport.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/proof/replay.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>

#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <unistd.h>

using namespace proof_test;
using namespace kubecoro;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

const resource_type notes{"desk.example.com", "v1", "notes", "Note"};

/// Runs the keeper for a minute, in which a user changes a note, and records it.
class incident
{
public:
    explicit incident(planted defect)
    {
        kt::runner run;
        apiserver::server_options serving;
        serving.time = run.shared_clock();
        serving.log = logger::silent();
        apiserver::embedded_server server(run.executor(), serving);
        const auto direct = std::make_shared<apiserver::in_process_transport>(server);
        client_options how;
        how.time = run.shared_clock();
        how.log = logger::silent();
        how.seed = 1;
        const client user(run.executor(), direct, how);
        const auto given = keeper_options();
        for (const auto& all : {given.definitions, given.objects})
            for (const auto& text : all) {
                auto objects = load_manifests(text, "the keeper's").value();
                for (auto& o : objects) {
                    auto& metadata = o.as_object().at("metadata").as_object();
                    if (o.at("kind") != "CustomResourceDefinition") metadata["namespace"] = "default";
                }
                REQUIRE(run.run(apply_all(user, std::move(objects), {.field_manager = "user"})));
            }
        {
            const auto recorder = std::make_shared<recording_transport>(
                direct, recording_options{.file = file(), .time = run.shared_clock(), .log = logger::silent()});
            manager_options managing;
            managing.name = "keeper";
            managing.time = run.shared_clock();
            managing.log = logger::silent();
            managing.seed = 1;
            managing.check_access = false;
            manager m(client(run.executor(), recorder, how), managing);
            add_keeper(m, defect, m.client());
            m.start();
            run.advance(20s);
            REQUIRE(run.run(
                user.patch(notes, "default", "one", patch_kind::merge, json::value{{"spec", {{"text", "changed"}}}})));
            run.advance(40s);
            REQUIRE(run.run(m.stop()));
        }
        run.run_until_idle();
        run.destroy_coroutines();
    }
    incident(const incident&) = delete;
    incident& operator=(const incident&) = delete;
    ~incident() { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string file() const
    {
        std::filesystem::create_directory(folder_);
        return (folder_ / "incident.rec").string();
    }
    [[nodiscard]] std::string text() const
    {
        std::ifstream in(file(), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    void rewrite(const std::string& text) const { std::ofstream(file(), std::ios::binary) << text; }
    [[nodiscard]] result<kt::replay_report> played(planted defect) const
    {
        return kt::try_replay([defect](manager& m) { add_keeper(m, defect, m.client()); }, file(), {});
    }

private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("kubecoro-replay-test-" + std::to_string(::getpid()));
};

} // namespace

TEST_CASE("replay: the same operator sends the same writes", "[replay]")
{
    const incident recorded(planted::nothing);
    const auto report = recorded.played(planted::nothing).value();
    CHECK(report);
    CAPTURE(report);
    CHECK(report.writes.size() >= 5);
    CHECK(describe(report) == describe(recorded.played(planted::nothing).value()));
}

TEST_CASE("replay: an incident shows the defect again, and the mended operator differs", "[replay]")
{
    // The note's text has changed, and the config map keeps the first one.
    const incident recorded(planted::keeps_the_first_text);
    const auto again = recorded.played(planted::keeps_the_first_text).value();
    CAPTURE(again);
    CHECK(again);
    const auto mended = recorded.played(planted::nothing).value();
    CAPTURE(mended);
    REQUIRE_FALSE(mended);
    const auto& first = mended.differences.front();
    CHECK(first.request.find("configmaps default/one") != std::string::npos);
    CHECK(first.recorded.empty());
    CHECK(first.replayed.find("changed") != std::string::npos);
    CHECK(first.at >= 20s);
    CHECK(describe(mended).find("the recording has no such request") != std::string::npos);
}

TEST_CASE("replay: writes that are missing or have another body", "[replay]")
{
    const incident recorded(planted::nothing);
    const auto report = recorded.played(planted::leaves_children).value();
    REQUIRE_FALSE(report);
    CAPTURE(report);
    CHECK(report.differences.front().what.find("ownerReferences") != std::string::npos);
    const auto idle = kt::try_replay([](manager&) {}, recorded.file(), {}).value();
    REQUIRE_FALSE(idle);
    CHECK(idle.requests == 0);
    CHECK(idle.differences.front().what == "the operator has not sent it");
}

TEST_CASE("replay: a recording that ends early is played up to there", "[replay]")
{
    const incident recorded(planted::nothing);
    const auto whole = recorded.text();
    for (const auto share : {5, 3, 2}) {
        recorded.rewrite(whole.substr(0, whole.size() / static_cast<std::size_t>(share)));
        const auto report = recorded.played(planted::nothing);
        REQUIRE(report);
        CHECK(report->ended_by.empty());
    }
}

TEST_CASE("replay: files that cannot be played, and set-ups that fail", "[replay]")
{
    const incident recorded(planted::nothing);
    CHECK(kt::try_replay([](manager&) {}, recorded.file() + "x").error() == cond::not_found);
    CHECK(kt::try_replay([](manager&) -> result<> { return failure(cond::invalid, "no"); }, recorded.file()).error() ==
          cond::misconfigured);
    recorded.rewrite("kubecoro-recording 1 0 2\n");
    CHECK(recorded.played(planted::nothing).error().message().find("has no beginning") != std::string::npos);
    recorded.rewrite("kubecoro-recording 7 0 1\n");
    CHECK(recorded.played(planted::nothing).error() == cond::invalid);
    CHECK_THROWS_AS(kt::replay([](manager&) {}, recorded.file() + "x"), kubecoro::error);
}
