// A client's traffic in a file: whole, bounded, without secrets, and never in its way.
#include "rest_fixture.hpp"

#include "record/mask_core.hpp"
#include "record/recording_file.hpp"

#include <kubecoro/client/recording_transport.hpp>
#include <kubecoro/testing/recording.hpp>

#include <boost/json.hpp>

#include <cerrno>
#include <mutex>

using namespace kubecoro;
using namespace kubecoro::detail;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace json = boost::json;
namespace kt = kubecoro::testing;

namespace {

/// A folder that is removed with the test.
class folder
{
public:
    folder() { std::filesystem::create_directory(path_); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    ~folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::string file(const std::string& name = "it.rec") const { return (path_ / name).string(); }

private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("kubecoro-recording-test-" + std::to_string(::getpid()));
};

std::string text_of(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<recorded_exchange> exchanges_in(const std::string& file)
{
    const auto text = text_of(file);
    const auto records = read_records(text);
    REQUIRE(records);
    CHECK(records->cut_off == 0);
    return exchanges_of(*records);
}

/// A client whose traffic is recorded.
struct recorded_world : world
{
    folder home;
    kt::recording_logger log;
    std::shared_ptr<recording_transport> recorder;

    client make_recorded(recording_options o = {})
    {
        o.file = home.file();
        o.time = run.shared_clock();
        o.log = log.handle();
        recorder = std::make_shared<recording_transport>(net, std::move(o));
        client_options how;
        how.time = net->time = run.shared_clock();
        how.log = logger::silent();
        how.wrap_transport = [this](const auto&) { return recorder; };
        return client(run.executor(), net, std::move(how), {.token = "tok-static"});
    }
};

request get(std::string target)
{
    request r;
    r.method = "GET";
    r.target = std::move(target);
    return r;
}

/// Writes that fail after some bytes.
class failing_disk
{
public:
    explicit failing_disk(std::size_t room, bool creates = true) : room_(room), creates_(creates) {}

    [[nodiscard]] file_calls calls()
    {
        return {[this](const std::string&) {
                    errno = EACCES;
                    return creates_ ? 1 : -1;
                },
                [this](int, const char* at, std::size_t n) -> std::ptrdiff_t {
                    const std::lock_guard lock(mutex_);
                    if (std::exchange(interrupted_, !interrupted_)) {
                        errno = EINTR;
                        return -1;
                    }
                    if (room_ == 0) {
                        errno = ENOSPC;
                        return -1;
                    }
                    const auto written = std::min({n, room_, std::size_t{7}});
                    room_ -= written;
                    text_.append(at, written);
                    return static_cast<std::ptrdiff_t>(written);
                },
                [](int) {}};
    }
    [[nodiscard]] std::string text() const
    {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::size_t room_;
    bool creates_;
    bool interrupted_ = false;
    std::string text_;
};

void write_some(recording_file& file, int requests)
{
    for (int i = 0; i < requests; ++i) {
        const auto id = file.begin("GET /api\n\n", {});
        file.answer(id, "200\n");
        file.data(id, "{}");
        file.end(id, {});
    }
}

} // namespace

TEST_CASE("recording: requests and answers with their times")
{
    recorded_world w;
    {
        auto c = w.make_recorded();
        w.net->replies.push_back({.body = {list_of("a", "5")}, .head_pause = 2s});
        w.net->replies.push_back({.status = 201, .body = {pod("b")}});
        w.net->replies.push_back({.status = 404, .body = {expired}});
        CHECK(w.run.run(c.list(pods, "default")));
        w.run.advance(3s);
        CHECK(w.run.run(c.create(pods, "default", json::parse(pod("b")))));
        CHECK_FALSE(w.run.run(c.get(pods, "default", "x")));
        CHECK_FALSE(w.run.run(c.get(pods, "default", "y")));
    }
    w.recorder.reset();
    const auto text = text_of(w.home.file());
    CHECK(text.find("tok-static") == text.npos);
    const auto all = exchanges_in(w.home.file());
    REQUIRE(all.size() >= 4);
    CHECK(all[0].method == "GET");
    CHECK(all[0].target.starts_with("/api/v1/namespaces/default/pods"));
    CHECK(all[0].sent == 0s);
    CHECK(all[0].answered == 2s);
    CHECK(all[0].body == list_of("a", "5"));
    CHECK(all[0].ended == 2s);
    CHECK(all[1].method == "POST");
    CHECK(all[1].sent == 5s);
    CHECK(all[1].status == 201);
    CHECK(json::parse(all[1].sent_body) == json::parse(pod("b")));
    CHECK(all[2].status == 404);
    CHECK(all.back().status == 0);
    CHECK(all.back().broken.find("no reply scripted") != std::string::npos);
}

TEST_CASE("recording: events of a watch, whatever their pieces")
{
    recorded_world w;
    {
        auto c = w.make_recorded();
        const std::string event = R"({"type":"ADDED","object":)" + pod("a") + "}\n";
        w.net->replies.push_back({.body = {event + event.substr(0, 9), event.substr(9)}, .pause = 1s});
        auto watching = w.run.run(c.watch(pods, "default"));
        REQUIRE(watching);
        for (std::size_t seen = 0; seen < 2;) {
            const auto batch = w.run.run((*watching)->next());
            REQUIRE(batch);
            REQUIRE_FALSE(batch->empty());
            seen += batch->size();
        }
    }
    w.recorder.reset();
    const auto all = exchanges_in(w.home.file());
    REQUIRE(all.size() == 1);
    CHECK(all[0].is_watch());
    REQUIRE(all[0].events.size() == 2);
    CHECK(all[0].events[0].at == 1s);
    CHECK(all[0].events[1].at == 2s);
    CHECK(json::parse(all[0].events[1].text).at("type") == "ADDED");
    CHECK(all[0].dropped);
}

TEST_CASE("recording: answers with secrets are masked, and asked for as plain JSON")
{
    recorded_world w;
    const std::string secret = R"({"kind":"Secret","metadata":{"name":"a"},"data":{"password":"aHVudGVyMg=="}})";
    {
        auto c = w.make_recorded();
        auto r = get("/api/v1/secrets?watch=true");
        r.accept = "application/vnd.kubernetes.protobuf,application/json";
        r.headers.emplace_back("Accept-Encoding", "gzip");
        const std::string event = R"({"type":"ADDED","object":)" + secret + "}\n";
        w.net->replies.push_back({.body = {event.substr(0, 60), event.substr(60) + event + "{\"hunter2"}});
        w.net->replies.push_back({.body = {secret.substr(0, 70), secret.substr(70)}});
        w.net->replies.push_back({.body = {secret}, .broken = failure(cond::unreachable, "cut")});
        w.net->replies.push_back({.status = 201, .body = {R"({"status":{"token":"tok-next"}})"}});
        CHECK(w.run.run(c.raw(r)));
        CHECK(w.run.run(c.raw(get("/api/v1/namespaces/x/secrets/a"))));
        CHECK_FALSE(w.run.run(c.raw(get("/api/v1/namespaces/x/secrets/a"))));
        auto made = get("/api/v1/namespaces/x/serviceaccounts/a/token");
        made.method = "POST";
        made.body = R"({"spec":{"token":"tok-first"}})";
        CHECK(w.run.run(c.raw(made)));
    }
    w.recorder.reset();
    CHECK(w.net->seen.at(0).accept == "application/json");
    CHECK(w.net->header(0, "Accept-Encoding").empty());
    const auto text = text_of(w.home.file());
    for (const auto* const word : {"aHVudGVyMg==", "hunter2", "tok-next", "tok-first"})
        CHECK(text.find(word) == text.npos);
    const auto all = exchanges_in(w.home.file());
    REQUIRE(all.size() >= 4);
    REQUIRE(all[0].events.size() == 2);
    // Equal values are equal words.
    CHECK(json::parse(all[0].events[0].text).at("object") == json::parse(all[1].body));
    CHECK(all[2].body == "\"masked\"");
}

TEST_CASE("masks: values of secrets wherever they are written")
{
    const secret_mask mask(hash_secrets::of(1));
    const auto in = [&](const std::string& text) { return json::parse(mask.masked(text)); };
    const auto plain = in(R"({"stringData":{"p":"hunter2"}})").at("stringData").at("p").as_string();
    CHECK(plain.starts_with("masked-"));
    CHECK(plain != in(R"({"stringData":{"p":"hunter3"}})").at("stringData").at("p").as_string());
    const auto encoded = in(R"({"data":{"p":"aHVudGVyMg==","q":"?","r":7,"s":null}})").at("data");
    CHECK(bytes::from_base64(encoded.at("p").as_string()).value().data == plain);
    CHECK(bytes::from_base64(encoded.at("q").as_string()));
    CHECK(encoded.at("r").is_null());
    const auto list = in(R"({"items":[{"data":{"p":"aHVudGVyMg=="}}]})");
    CHECK(list.at("items").at(0).at("data").at("p") == encoded.at("p"));
    const auto patch =
        in(R"([{"op":"add","path":"/data/p","value":"aHVudGVyMg=="},{"op":"add","path":"/x","value":{"a":["v"]}}])");
    CHECK(patch.at(0).at("value") == encoded.at("p"));
    CHECK(patch.at(1).at("value").at("a").at(0).as_string().starts_with("masked-"));
    const auto annotated = mask.masked(
        R"({"metadata":{"managedFields":[{"fieldsV1":{"f:data":{"f:p":{}}}}],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"p\":\"aHVudGVyMg==\"},\"stringData\":{\"q\":\"hunter2\"}}"}}})");
    CHECK(annotated.find("hunter2") == std::string::npos);
    CHECK(annotated.find("aHVudGVyMg==") == std::string::npos);
    CHECK(annotated.find("f:p") != std::string::npos);
    const auto broken =
        mask.masked(R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter2"}}})");
    CHECK(broken.find("hunter2") == std::string::npos);
    CHECK(mask.masked("{\"stringData\":{\"p\":\"hunter2") == "\"masked\"");
    CHECK(mask.masked("").empty());
    for (const auto* const target : {"/api/v1/secrets", "/api/v1/namespaces/a/secrets/b?x=y", "/api/v1/watch/secrets",
                                     "/api/v1/namespaces/a/serviceaccounts/b/token", "/api/v1/sec%72ets",
                                     "/apis/authentication.k8s.io/v1/tokenreviews"})
        CHECK(secret_mask::covers(target));
    for (const auto* const target : {"/api/v1/pods?fieldSelector=secrets", "/api/v1/configmaps/secretsx", "/", ""})
        CHECK_FALSE(secret_mask::covers(target));
}

TEST_CASE("recording: ends at its limit, says so once, and the client goes on")
{
    recorded_world w;
    {
        auto c = w.make_recorded({.max_bytes = 8192});
        for (int i = 0; i < 40; ++i) {
            w.net->replies.push_back({.body = {list_of("a" + std::string(200, 'x'), "5")}});
            CHECK(w.run.run(c.list(pods, "default")));
        }
        CHECK(w.recorder->stats().full);
        CHECK(w.recorder->stats().lost > 0);
        CHECK_FALSE(w.recorder->stats().failed);
    }
    w.recorder.reset();
    CHECK(std::filesystem::file_size(w.home.file()) <= 8192);
    CHECK(w.log.count("its file has reached the limit") == 1);
    const auto text = text_of(w.home.file());
    const auto records = read_records(text).value();
    CHECK(records.records.back().kind == record_kind::full);
}

TEST_CASE("recording: a file that rotates begins with the requests in progress")
{
    recorded_world w;
    {
        auto c = w.make_recorded({.max_bytes = 8192, .rotate = true});
        w.net->replies.push_back({.body = {"{}\n"}, .hangs_in_body = true});
        auto watching = w.run.run(c.send(get("/api/v1/pods?watch=true")));
        REQUIRE(watching);
        for (int i = 0; i < 40; ++i) {
            w.net->replies.push_back({.body = {list_of("a" + std::string(200, 'x'), "5")}});
            CHECK(w.run.run(c.list(pods, "default")));
        }
        CHECK(w.run.run((*watching)->read_some()));
        w.net->replies.push_back({.body = {std::string(9000, ' ')}}); // fits into no file
        (void)w.run.run(c.list(pods, "default"));
        CHECK(w.recorder->stats().lost == 1);
        CHECK_FALSE(w.recorder->stats().full);
    }
    w.recorder.reset();
    CHECK(w.log.lines().empty());
    for (const auto& file : {w.home.file(), w.home.file("it.rec.1")}) {
        const auto text = text_of(file);
        CHECK(text.size() <= 8192);
        const auto records = read_records(text);
        REQUIRE(records);
        CHECK(records->part > 1);
        const auto all = exchanges_of(*records);
        CHECK(all.front().target == "/api/v1/pods?watch=true");
        CHECK(all.front().status == 200);
    }
    CHECK(text_of(w.home.file()).find("\nL ") != std::string::npos);
}

TEST_CASE("recording: the file of an earlier start is kept")
{
    folder home;
    for (const auto* const word : {"first", "second"}) {
        recording_file file({.file = home.file(), .log = logger::silent()});
        (void)file.begin(word, {});
    }
    CHECK(text_of(home.file()).find("second") != std::string::npos);
    CHECK(text_of(home.file("it.rec.1")).find("first") != std::string::npos);
    CHECK((std::filesystem::status(home.file()).permissions() & std::filesystem::perms::group_read) ==
          std::filesystem::perms::none);
}

TEST_CASE("recording: a full disk costs records, and one line of the log")
{
    // At each byte of three requests, whose times have one length.
    const auto clock = std::make_shared<kt::virtual_clock>();
    failing_disk roomy(1'000'000);
    {
        recording_file file({.time = clock, .log = logger::silent()}, roomy.calls());
        write_some(file, 3);
    }
    const auto whole = roomy.text();
    REQUIRE(read_records(whole).value().records.size() == 12);
    for (std::size_t room = 0; room < whole.size(); room += 11) {
        kt::recording_logger log;
        failing_disk disk(room);
        {
            recording_file file({.file = "it", .time = clock, .log = log.handle()}, disk.calls());
            write_some(file, 3);
        }
        CHECK(log.count("its file cannot be written") == 1);
        CHECK(disk.text().size() == room);
    }
}

TEST_CASE("recording: a file that cannot be created, and what follows")
{
    kt::recording_logger log;
    failing_disk disk(0, false);
    recording_file file({.file = "it", .log = log.handle()}, disk.calls());
    while (!file.stats().failed) write_some(file, 1);
    const auto before = file.stats().lost;
    write_some(file, 2);
    CHECK(file.stats().lost == before + 8);
    CHECK(log.count("its file cannot be written") == 1);
}

TEST_CASE("records: a text that ends early is read to its last whole record")
{
    std::string text = recording_head(wall_time(1h), 3);
    const auto head = text.size();
    append_record(text, record_kind::request, 5us, 1, "GET /x\n\n", "{}");
    const auto first = text.size();
    append_record(text, record_kind::data, 6us, 1, "a\nb");
    for (std::size_t n = 0; n <= text.size(); ++n) {
        const auto read = read_records(std::string_view(text).substr(0, n));
        CHECK(read.has_value() == (n >= head));
        if (!read) continue;
        CHECK(read->part == 3);
        CHECK(read->begin == wall_time(1h));
        CHECK(read->records.size() == (n == text.size() ? 2 : n >= first ? 1 : 0));
        CHECK(read->cut_off == (n == text.size() ? 0 : n - (n >= first ? first : head)));
    }
    const auto read = read_records(text).value();
    CHECK(read.records[1].content == "a\nb");
    CHECK(read.records[1].at == 6us);
}

TEST_CASE("records: other files are refused")
{
    const auto why = [](const std::string& text) { return read_records(text).error().message(); };
    CHECK(read_records("kubecoro-recording 2 0 1\n").error() == cond::invalid);
    CHECK(why("kubecoro-recording 2 0 1\n").find("version 2") != std::string::npos);
    CHECK(why("") == "this is no recording");
    CHECK(why("{\"kind\":\"Pod\"}\n") == "this is no recording");
    CHECK(why("kubecoro-recording x 0 1\n") == "the recording has no version");
    CHECK(why("kubecoro-recording 1 -5 1\n") == "the first line of the recording is damaged");
    CHECK(why("kubecoro-recording 1 9223372036854775807 1\n") == "the first line of the recording is damaged");
    CHECK(why("kubecoro-recording 1" + std::string(90, ' ')) == "the first line of the recording has no end");
    for (const auto* const damaged : {"X 0 1 0\n\n", "D 0 1\n\n", "D x 1 0\n\n", "D -1 1 0\n\n", "D 0 1 0 \n\n",
                                      "D 0 1 1\nab\n", "D 99999999999999999999 1 0\n\n"})
        CHECK(why("kubecoro-recording 1 0 1\n" + std::string(damaged)) == "the recording is damaged at byte 25");
    CHECK(why("kubecoro-recording 1 0 1\nD 0 1 0\n\n" + std::string(80, '0')) == "the recording is damaged at byte 34");
    // A length beyond the end is a record that was not written.
    CHECK(read_records("kubecoro-recording 1 0 1\nD 0 1 18446744073709551615\n\n").value().records.empty());
}

TEST_CASE("recording: answers in protobuf and gzip are read as JSON")
{
    auto text = recording_head(wall_time(), 1);
    append_record(text, record_kind::request, 0us, 1, "GET /api/v1/pods\n\n");
    append_record(text, record_kind::answer, 0us, 1, "200\ncontent-type: application/vnd.kubernetes.protobuf\n");
    append_record(text, record_kind::data, 0us, 1, "no protobuf");
    append_record(text, record_kind::request, 0us, 2, "GET /api/v1/pods\n\n");
    append_record(text, record_kind::answer, 0us, 2, "200\ncontent-encoding: gzip\nretry-after: 3\n");
    append_record(text, record_kind::data, 0us, 2, "no gzip");
    append_record(text, record_kind::data, 0us, 9, "of a request before the file\n");
    const auto all = exchanges_of(read_records(text).value());
    REQUIRE(all.size() == 3);
    CHECK(all[0].body == "no protobuf");
    CHECK(all[1].body.empty());
    CHECK(all[1].retry_after == "3");
    CHECK_FALSE(all[0].ended);
    CHECK(all[2].method.empty());
}
