// The replay server over loopback, with a plain HTTP client.
#include "certificates.hpp"
#include "data/record_file.hpp"
#include "protobuf_wire.hpp"
#include "raw_client.hpp"
#include "replay_server.hpp"
#include "test_objects.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/eventually.hpp>

#include <boost/json.hpp>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace kubecoro;
using namespace kubecoro::bench;
using apiserver::raw_client;
namespace json = boost::json;

namespace {

constexpr std::uint32_t count = 40;

class served
{
public:
    explicit served(replay_options options = {}, std::uint32_t objects = count)
    {
        options.data.objects = objects;
        server = replay_server::start(options).value();
    }

    raw_client client() const { return raw_client({"127.0.0.1", server->port(), false}); }

    json::value get(const std::string& target) const
    {
        auto c = client();
        const auto answer = c.get(target);
        REQUIRE(answer.status == 200);
        REQUIRE_FALSE(answer.broken);
        return json::parse(answer.body);
    }

    std::string command(const std::string& method, const std::string& target) const
    {
        raw_client c({"127.0.0.1", server->control_port(), false});
        return c.request(method, target, "", method == "POST" ? " " : "").body;
    }

    std::unique_ptr<replay_server> server;
};

std::vector<json::value> lines(const std::string& text)
{
    std::vector<json::value> out;
    for (std::size_t at = 0, end = text.find('\n'); end != std::string::npos; at = end + 1, end = text.find('\n', at))
        out.push_back(json::parse(text.substr(at, end - at)));
    return out;
}

/// Opens a watch on an idle connection and reads its head.
void watch(raw_client& c, const std::string& query, const std::string& headers = {},
           const std::string& path = "/api/v1/pods")
{
    c.send("GET " + path + "?watch=1&" + query + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
    REQUIRE(c.head().status == 200);
}

/// All events of a watch that an expiry ends, without the final error.
std::vector<json::value> events_of(const served& s, raw_client& c)
{
    s.server->objects().expire(0);
    REQUIRE(c.body_ended());
    auto out = lines(c.body_until("\n"));
    REQUIRE_FALSE(out.empty());
    CHECK(out.back().at("type") == "ERROR");
    out.pop_back();
    return out;
}

std::uint64_t now()
{
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t version_of(const json::value& list)
{
    return std::stoull(std::string(list.at("metadata").at("resourceVersion").as_string()));
}

std::string text_at(const json::value& event, std::string_view member)
{
    return std::string(event.at("object").at("metadata").at(member).as_string());
}

std::uint64_t stamp_of(const json::value& event)
{
    const auto& text = event.at("object").at("metadata").at("annotations").at("bench.example.com/stamp").as_string();
    CHECK(text.size() == 19);
    return std::stoull(std::string(text));
}

std::string file_text(const std::filesystem::path& path)
{
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Three workloads of 50, 50 and 20 pods; the second one is alone in its namespace.
constexpr std::uint32_t split_count = 120;
constexpr std::size_t pods_of_ns_1 = 50;

replay_options two_namespaces()
{
    replay_options options;
    options.data.namespaces = 2;
    return options;
}

struct temporary_directory
{
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("replay-" + std::to_string(::getpid()));
    temporary_directory() { std::filesystem::create_directories(path); }
    ~temporary_directory() { std::filesystem::remove_all(path); }
};

} // namespace

TEST_CASE("a list has all objects, also in pages")
{
    served s;
    const json::value whole = s.get("/api/v1/pods");
    CHECK(whole.at("kind") == "PodList");
    CHECK(version_of(whole) == first_version + count);
    REQUIRE(whole.at("items").as_array().size() == count);
    CHECK_FALSE(whole.at("items").at(0).as_object().contains("kind"));
    json::array paged;
    std::string token;
    do {
        const json::value page = s.get("/api/v1/pods?limit=17" + (token.empty() ? "" : "&continue=" + token));
        for (const json::value& item : page.at("items").as_array()) paged.push_back(item);
        const json::object& metadata = page.at("metadata").as_object();
        token = metadata.contains("continue") ? std::string(metadata.at("continue").as_string()) : "";
        if (!token.empty()) CHECK(metadata.at("remainingItemCount") == count - paged.size());
    } while (!token.empty());
    CHECK(paged == whole.at("items").as_array());
    CHECK(s.get("/api/v1/pods?limit=3&resourceVersion=0") == whole);
}

TEST_CASE("a namespace is listed by itself, also in pages")
{
    const served s(two_namespaces(), split_count);
    const json::array all = s.get("/api/v1/pods").at("items").as_array();
    json::array apart;
    for (const std::string path : {"/api/v1/namespaces/ns-0/pods", "/api/v1/namespaces/ns-1/pods"}) {
        const json::value first = s.get(path + "?limit=30");
        const std::string token(first.at("metadata").at("continue").as_string());
        const json::value rest = s.get(path + "?limit=100&continue=" + token);
        CHECK(version_of(rest) == first_version + split_count);
        CHECK(first.at("metadata").at("remainingItemCount") == rest.at("items").as_array().size());
        for (const json::value& page : {first, rest})
            for (const json::value& item : page.at("items").as_array()) {
                CHECK(path.find(item.at("metadata").at("namespace").as_string()) != std::string::npos);
                apart.push_back(item);
            }
    }
    CHECK(apart == all);
    CHECK(s.get("/api/v1/namespaces/ns-2/pods").at("items").as_array().empty());
    auto c = s.client();
    const std::string elsewhere = std::to_string(first_version + split_count) + "-0";
    CHECK(c.get("/api/v1/namespaces/ns-1/pods?continue=" + elsewhere).status == 400);
    for (const char* path : {"/api/v1/namespaces/ns-0", "/api/v1/namespaces//pods", "/api/v1/namespaces/ns-0/widgets"})
        CHECK(c.get(path).status == 404);
}

TEST_CASE("a watch of a namespace receives its initial, missed and later events only")
{
    const served s(two_namespaces(), split_count);
    const std::string start = std::to_string(first_version + split_count);
    s.server->objects().play(split_count, 0);
    auto initial = s.client(), late = s.client();
    watch(initial, "sendInitialEvents=true", {}, "/api/v1/namespaces/ns-1/pods");
    watch(late, "resourceVersion=" + start, {}, "/api/v1/namespaces/ns-1/pods");
    REQUIRE(test::eventually([&] { return s.server->objects().counts().open_watches == 2; }));
    s.server->objects().play(split_count, 0);
    // After the expiry no watch is open, so each is read to its end at once.
    s.server->objects().expire(0);
    for (raw_client* c : {&initial, &late}) {
        REQUIRE(c->body_ended());
        auto events = lines(c->body_until("\n"));
        REQUIRE(events.size() == 2 * pods_of_ns_1 + 1);
        events.pop_back();
        for (const json::value& e : events) CHECK(text_at(e, "namespace") == "ns-1");
    }
}

TEST_CASE("custom resources are listed with their kind")
{
    replay_options options;
    options.data.kind = data_kind::custom;
    served s(options);
    const json::value list = s.get("/apis/bench.example.com/v1/widgets?limit=5");
    CHECK(list.at("kind") == "WidgetList");
    CHECK(list.at("items").at(4).at("kind") == "Widget");
    CHECK(s.get("/apis/bench.example.com/v1").at("resources").at(0).at("name") == "widgets");
}

TEST_CASE("requests that clients make at the start are answered, others refused")
{
    served s;
    for (const char* path : {"/version", "/api", "/apis", "/api/v1"}) CHECK(s.get(path).is_object());
    auto c = s.client();
    CHECK(c.get("/readyz").body == "ok");
    const auto missing = c.get("/apis/bench.example.com/v1/widgets");
    CHECK(missing.status == 404);
    CHECK(json::parse(missing.body).at("reason") == "NotFound");
    CHECK(c.request("POST", "/api/v1/pods", "", "{}").status == 405);
    CHECK(c.get("/api/v1/pods?continue=nonsense").status == 400);
    CHECK(c.get("/api/v1/pods?continue=1-1").status == 410);
    CHECK(c.get("/api/v1/pods", "Accept: application/vnd.kubernetes.protobuf\r\n").status == 406);
    const auto fallen =
        c.get("/api/v1/pods?limit=1",
              "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json\r\n");
    CHECK(json::parse(fallen.body).at("kind") == "PodList");
    c.send("nonsense\r\n\r\n");
    CHECK(c.answer().status == 400);
    CHECK(c.closed_by_server());
}

TEST_CASE("events reach every watch, stamped when they are sent")
{
    served s;
    auto one = s.client(), two = s.client();
    const std::string version = std::to_string(first_version + count);
    watch(one, "resourceVersion=" + version);
    watch(two, "resourceVersion=" + version);
    REQUIRE(test::eventually([&] { return s.server->objects().counts().open_watches == 2; }));
    const std::uint64_t before = now();
    CHECK(s.command("POST", "/events?count=100&rate=0").starts_with(R"({"sent":100,)"));
    CHECK(s.command("POST", "/events?count=5&rate=10000").starts_with(R"({"sent":5,)"));
    const std::uint64_t after = now();
    for (raw_client* c : {&one, &two}) {
        const auto events = events_of(s, *c);
        REQUIRE(events.size() == 105);
        std::uint64_t earlier = before;
        for (std::size_t i = 0; i < events.size(); ++i) {
            CHECK(events[i].at("type") == "MODIFIED");
            CHECK(events[i].at("object").at("kind") == "Pod");
            CHECK(text_at(events[i], "resourceVersion") == std::to_string(first_version + count + 1 + i));
            CHECK(stamp_of(events[i]) >= earlier);
            earlier = stamp_of(events[i]);
            // The same object again after all the others; after two rounds in its first state.
            if (i >= count) CHECK(text_at(events[i], "uid") == text_at(events[i - count], "uid"));
            if (i >= count) CHECK(events[i].at("object").at("status") != events[i - count].at("object").at("status"));
            if (i >= 2 * count)
                CHECK(events[i].at("object").at("status") == events[i - 2 * count].at("object").at("status"));
        }
        CHECK(earlier <= after);
    }
    CHECK(json::parse(s.command("GET", "/stats")).at("watches") == 2);
}

TEST_CASE("a watch from an older version receives the missed events")
{
    served s;
    const std::uint64_t start = first_version + count;
    s.server->objects().play(count + 10, 0);
    auto c = s.client();
    watch(c, "resourceVersion=" + std::to_string(start + 5) + "&timeoutSeconds=1");
    REQUIRE(c.body_ended());
    const auto events = lines(c.body_until("\n"));
    REQUIRE(events.size() == count);
    CHECK(text_at(events.front(), "resourceVersion") == std::to_string(start + 11));
    CHECK(text_at(events.back(), "resourceVersion") == std::to_string(start + count + 10));
    // The connection accepts another request afterwards.
    CHECK(c.get("/readyz").body == "ok");
}

TEST_CASE("initial events are streamed, ended by a bookmark if requested")
{
    served s;
    auto c = s.client();
    watch(c, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
    const json::value list = s.get("/api/v1/pods");
    const auto events = events_of(s, c);
    REQUIRE(events.size() == count + 1);
    for (std::uint32_t i = 0; i < count; ++i) CHECK(events[i].at("type") == "ADDED");
    CHECK(events.back().at("type") == "BOOKMARK");
    CHECK(text_at(events.back(), "resourceVersion") == std::to_string(first_version + count));
    json::value last = events[count - 1].at("object");
    last.as_object().erase("kind");
    last.as_object().erase("apiVersion");
    CHECK(last == list.at("items").at(count - 1));
}

TEST_CASE("bookmarks are sent in between if requested")
{
    replay_options options;
    options.stage.bookmark_interval = std::chrono::milliseconds{1};
    served s(options);
    auto c = s.client();
    watch(c, "resourceVersion=" + std::to_string(first_version + count) + "&allowWatchBookmarks=true&timeoutSeconds=1");
    REQUIRE(c.body_ended());
    const auto events = lines(c.body_until("\n"));
    REQUIRE_FALSE(events.empty());
    CHECK(events[0].at("type") == "BOOKMARK");
    CHECK_FALSE(events[0].at("object").at("metadata").as_object().contains("annotations"));
}

TEST_CASE("after an expiry watches end with 410, and lists show the changes")
{
    served s;
    const json::value before = s.get("/api/v1/pods");
    const std::string version = std::to_string(first_version + count);
    auto c = s.client();
    watch(c, "resourceVersion=" + version);
    REQUIRE(test::eventually([&] { return s.server->objects().counts().open_watches == 1; }));
    CHECK(s.command("POST", "/expire?changed=10") == "{\"changed\":4}\n");
    REQUIRE(c.body_ended());
    const auto events = lines(c.body_until("\n"));
    REQUIRE(events.size() == 1);
    CHECK(events[0].at("object").at("reason") == "Expired");
    const json::value after = s.get("/api/v1/pods");
    int changed = 0;
    for (std::uint32_t i = 0; i < count; ++i) changed += before.at("items").at(i) != after.at("items").at(i) ? 1 : 0;
    CHECK(changed == 4);
    CHECK(version_of(after) == first_version + count + 4);
    watch(c, "resourceVersion=" + version);
    REQUIRE(c.body_ended());
    CHECK(lines(c.body_until("\n")).at(0).at("object").at("code") == 410);
}

TEST_CASE("protobuf lists and watches are framed, patched and selected by Accept")
{
    const temporary_directory directory;
    const std::string file = (directory.path / "pods").string();
    auto records = record_writer::create(file).value();
    for (const char* phase : {"Running", "Pending"})
        for (std::uint32_t i = 0; i < count; ++i) records.add(pod_message("pod-" + std::to_string(i), i, phase));
    REQUIRE(records.finish());
    replay_options options;
    options.protobuf = file;
    served s(options);
    auto c = s.client();
    const std::string accept = "Accept: application/vnd.kubernetes.protobuf,application/json\r\n";
    const auto answer = c.get("/api/v1/pods?limit=7", accept);
    CHECK(answer.headers.at("content-type") == "application/vnd.kubernetes.protobuf");
    std::string kind;
    protobuf::reader list(open_envelope(answer.body, kind));
    CHECK(kind == "PodList");
    CHECK(protobuf::find(list.next()->bytes, 3) == std::to_string(first_version + count) + "-7");
    for (int i = 0; i < 7; ++i)
        CHECK(list.next()->bytes == pod_message("pod-" + std::to_string(i), static_cast<std::uint64_t>(i), "Running"));
    CHECK_FALSE(list.next());
    CHECK_FALSE(list.damaged());

    watch(c, "sendInitialEvents=true&allowWatchBookmarks=true", accept);
    REQUIRE(c.body_until("initial-events-end").find("initial-events-end") != std::string::npos);
    s.server->objects().play(3, 0);
    const std::string last = std::to_string(first_version + count + 3);
    s.server->objects().expire(0);
    REQUIRE(c.body_ended());
    const auto events = read_frames(c.body_until(last));
    REQUIRE(events.size() == count + 5);
    CHECK(events[count].type == "BOOKMARK");
    CHECK(events[count + 4].type == "ERROR");
    const std::string_view pod = events[count + 3].message;
    CHECK(protobuf::find(protobuf::find(pod, 1), 6) == last);
    CHECK(protobuf::find(protobuf::find(protobuf::find(pod, 1), 12), 2) != "0000000000000000000");
    CHECK(protobuf::find(protobuf::find(pod, 3), 1) == "Pending");
    const auto plain = c.get("/api/v1/pods?limit=1");
    CHECK(plain.headers.at("content-type") == "application/json");

    options.data.objects = count;
    options.protobuf = (directory.path / "none").string();
    CHECK_FALSE(replay_server::start(options));
    options.protobuf = file;
    options.data.objects = 3 * count;
    CHECK_FALSE(replay_server::start(options));
}

TEST_CASE("everything works under TLS as well")
{
    const temporary_directory directory;
    REQUIRE(provide_certificates(directory.path.string()));
    const std::string authority = file_text(directory.path / "ca.crt");
    REQUIRE(provide_certificates(directory.path.string()));
    CHECK(file_text(directory.path / "ca.crt") == authority);
    replay_options options;
    options.tls = directory.path.string();
    served s(options);
    apiserver::raw_tls trust;
    trust.ca = authority;
    raw_client c({"127.0.0.1", s.server->port(), true}, trust);
    CHECK(json::parse(c.get("/api/v1/pods").body).at("items").as_array().size() == count);
    watch(c, "resourceVersion=" + std::to_string(first_version + count));
    REQUIRE(test::eventually([&] { return s.server->objects().counts().open_watches == 1; }));
    s.server->objects().play(2, 0);
    CHECK(events_of(s, c).size() == 2);
}

TEST_CASE("the control port ends the program, and refuses unknown commands")
{
    served s;
    CHECK(s.command("GET", "/events") == "unknown command\n");
    CHECK(s.command("POST", "/quit") == "{}\n");
    s.server->wait_for_quit();
}

TEST_CASE("a client that goes away is forgotten")
{
    served s;
    {
        auto c = s.client();
        watch(c, "resourceVersion=" + std::to_string(first_version + count));
    }
    CHECK(test::eventually([&] { return s.server->objects().counts().open_watches == 0; }));
    CHECK(s.server->objects().play(10, 0).sent == 10);
}
