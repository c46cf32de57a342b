// Compressed responses, as kube-apiserver sends them.
#include "render/gzip_stream.hpp"
#include "support.hpp"

#include <kubecoro/test/gzip_bytes.hpp>

#include <random>

using namespace kubecoro;
using namespace kubecoro::apiserver;
using namespace kubecoro::test;

namespace {

const std::string config_maps = "/api/v1/namespaces/default/configmaps";
const server::headers gzip_accepted{{"Accept-Encoding", "gzip"}};

void add(server& s, const std::string& name, std::size_t size)
{
    s.expect(201, "POST", config_maps,
             R"({"metadata":{"name":")" + name + R"("},"data":{"k":")" + std::string(size, 'v') + R"("}})");
}

/// A body in parts that counts how often it is asked.
class counted_parts final : public body_stream
{
public:
    counted_parts(std::string part, int parts, int& taken) : part_(std::move(part)), left_(parts), taken_(taken) {}
    bool next(std::string& out, std::size_t) override
    {
        ++taken_;
        out += part_;
        return --left_ > 0;
    }

private:
    std::string part_;
    int left_;
    int& taken_;
};

} // namespace

TEST_CASE("gzip: Accept-Encoding is read as by kube-apiserver", "[apiserver][gzip]")
{
    for (const char* text : {"gzip", "gzip, deflate", "br,\tgzip", "identity , gzip "}) CHECK(accepts_gzip(text));
    for (const char* text : {"", "*", "br", "gzip;q=1", "GZIP", "x-gzip", "gzipped, xgzip", ","})
        CHECK_FALSE(accepts_gzip(text));
}

TEST_CASE("gzip: bodies of more than 128 KiB are compressed on request", "[apiserver][gzip]")
{
    for (const std::size_t size : {128u * 1024, 128u * 1024 + 1}) {
        http_response r;
        r.body = std::string(size, 'x');
        compress_long(r);
        const bool compressed = size > 128u * 1024;
        CHECK((r.header("content-encoding") == "gzip") == compressed);
        CHECK((r.header("vary") == "Accept-Encoding") == compressed);
        r.complete_body();
        CHECK((compressed ? gunzipped(r.body) : r.body) == std::string(size, 'x'));
    }
}

TEST_CASE("gzip: objects and lists equal their plain form", "[apiserver][gzip]")
{
    server s;
    add(s, "big", 200'000);
    for (int i = 0; i < 30; ++i) add(s, "c" + std::to_string(i), 30'000);
    const std::string protobuf = "application/vnd.kubernetes.protobuf";
    for (const std::string& accept : {std::string("application/json"), protobuf}) {
        for (const std::string& target :
             {config_maps, config_maps + "/big", config_maps + "?pretty=true", config_maps + "?limit=20",
              std::string("/api/v1/configmaps?labelSelector=!a")}) {
            INFO(accept << " " << target);
            const auto plain = s.ask("GET", target, {}, {{"Accept", accept}});
            const auto packed = s.ask("GET", target, {}, {{"Accept", accept}, {"Accept-Encoding", "br, gzip"}});
            CHECK(plain.header("content-encoding").empty());
            CHECK(plain.header("vary").empty());
            CHECK(packed.status == 200);
            CHECK(packed.header("content-encoding") == "gzip");
            CHECK(packed.header("vary") == "Accept-Encoding");
            CHECK(packed.header("content-type") == plain.header("content-type"));
            CHECK(packed.body.size() * 10 < plain.body.size());
            CHECK(gunzipped(packed.body) == plain.body);
        }
    }
    CHECK(s.ask("GET", config_maps + "/c1", {}, gzip_accepted).header("content-encoding").empty());
    CHECK(s.ask("GET", config_maps + "/none", {}, gzip_accepted).header("content-encoding").empty());
}

TEST_CASE("gzip: watches are not compressed", "[apiserver][gzip]")
{
    server s;
    add(s, "big", 200'000);
    auto opened = s.ask("GET", config_maps + "?watch=1&resourceVersion=0", {}, gzip_accepted);
    CHECK(opened.header("content-encoding").empty());
    REQUIRE(opened.watch);
    const auto events = lines(opened.watch->next(s.now));
    REQUIRE(events.size() == 1);
    CHECK(brief(events[0]).starts_with("ADDED big@"));
}

TEST_CASE("gzip: a long body is compressed part by part, when its parts are taken", "[apiserver][gzip]")
{
    std::mt19937 random(7);
    std::string part;
    while (part.size() < 100'000) part += static_cast<char>('a' + random() % 64);
    int taken = 0;
    http_response r;
    r.body = part + part;
    r.rest = std::make_unique<counted_parts>(part, 30, taken);
    compress_long(r);
    CHECK(taken == 0);
    CHECK(r.body.empty());
    std::string all;
    int parts = 0;
    for (bool more = true; more; ++parts) {
        std::string out;
        const int before = taken;
        more = r.rest->next(out, 100'000);
        CHECK(taken - before <= 1);
        CHECK(out.size() < 200'000);
        all += out;
    }
    CHECK(parts == 32);
    std::string whole;
    for (int i = 0; i < 32; ++i) whole += part;
    CHECK(gunzipped(all) == whole);
}
