// Compares lists, pages and watches with a plain map under random operations.
#include "support.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <map>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

const std::string maps = "/api/v1/configmaps";

/// namespace/name -> (version, value of data.k, label).
struct entry
{
    std::string version;
    std::string value;
    std::string label;
    friend bool operator==(const entry&, const entry&) = default;
};
using model = std::map<std::string, entry>;

entry entry_of(const json::value& object)
{
    const auto* labels = object.at("metadata").as_object().if_contains("labels");
    return {std::string(object.at_pointer("/metadata/resourceVersion").as_string()),
            std::string(object.at_pointer("/data/k").as_string()),
            labels ? std::string(labels->at("l").as_string()) : std::string{}};
}

std::string key_of(const json::value& object)
{
    return std::string(object.at_pointer("/metadata/namespace").as_string()) + "/" +
           std::string(object.at_pointer("/metadata/name").as_string());
}

/// A client that keeps the objects of a list and the watch after it.
struct follower
{
    std::string selector;
    model objects;
    std::string version;
    std::unique_ptr<apiserver::watch_body> watch;
    int relists = 0;

    void relist(server& s)
    {
        ++relists;
        objects.clear();
        std::string token;
        do {
            const auto page = s.expect(
                200, "GET", maps + "?limit=3&labelSelector=" + selector + (token.empty() ? "" : "&continue=" + token));
            for (const auto& item : page.at("items").as_array()) {
                REQUIRE(objects.emplace(key_of(item), entry_of(item)).second);
            }
            version = std::string(page.at_pointer("/metadata/resourceVersion").as_string());
            const auto* next = page.at("metadata").as_object().if_contains("continue");
            token = next ? std::string(next->as_string()) : "";
        } while (!token.empty());
        rewatch(s);
    }
    void rewatch(server& s)
    {
        watch = s.watch(maps + "?watch=1&allowWatchBookmarks=true&labelSelector=" + selector +
                        "&resourceVersion=" + version);
    }
    void follow(server& s)
    {
        for (int rounds = 0; rounds < 1000; ++rounds) {
            const auto out = watch->next(s.now, 700);
            for (const auto& line : out.lines) apply(json::parse(*line));
            if (version.empty()) {
                relist(s);
            } else if (out.ended) {
                rewatch(s);
            } else if (!out.more) {
                return;
            }
        }
        FAIL("the watch never becomes idle");
    }
    void apply(const json::value& event)
    {
        const auto& type = event.at("type").as_string();
        const auto& object = event.at("object");
        if (type == "ERROR") {
            REQUIRE(object.at("code") == 410);
            version.clear();
            return;
        }
        const std::string next(object.at_pointer("/metadata/resourceVersion").as_string());
        REQUIRE(std::stoull(next) > std::stoull(version));
        version = next;
        if (type == "BOOKMARK") return;
        const auto key = key_of(object);
        REQUIRE(objects.contains(key) == (type != "ADDED"));
        if (type == "DELETED")
            objects.erase(key);
        else
            objects[key] = entry_of(object);
    }
};

model selected(const model& all, const std::string& label)
{
    model out;
    for (const auto& [key, e] : all)
        if (label.empty() || e.label == label) out.emplace(key, e);
    return out;
}

/// Performs one random write and updates the model from the server's answer.
void mutate(server& s, model& truth, detail::random_source& random)
{
    const std::string ns = random() % 2 ? "default" : "kube-public";
    const std::string name = "m" + std::to_string(random() % 8);
    const auto at = "/api/v1/namespaces/" + ns + "/configmaps";
    const std::string label = random() % 3 ? R"("labels":{"l":"a"})" : R"("labels":{"l":"b"})";
    const std::string value = std::to_string(random() % 3);
    const auto key = ns + "/" + name;
    const bool exists = truth.contains(key);
    apiserver::http_response r;
    switch (random() % 4) {
    case 0:
        r = s.ask("POST", at,
                  R"({"metadata":{"name":")" + name + "\"," + label + R"(},"data":{"k":")" + value + "\"}}");
        CHECK(r.status == (exists ? 409 : 201));
        break;
    case 1:
        r = s.ask("PUT", at + "/" + name,
                  R"({"metadata":{"name":")" + name + "\"," + label + R"(},"data":{"k":")" + value + "\"}}");
        CHECK(r.status == (exists ? 200 : 404));
        break;
    case 2:
        r = s.ask("PATCH", at + "/" + name, R"({"data":{"k":")" + value + "\"}}",
                  {{"Content-Type", std::string(merge_type)}});
        CHECK(r.status == (exists ? 200 : 404));
        break;
    default:
        r = s.ask("DELETE", at + "/" + name);
        CHECK(r.status == (exists ? 200 : 404));
        if (exists) truth.erase(key);
        return;
    }
    if (r.status < 300) truth[key] = entry_of(json::parse(r.body));
}

} // namespace

TEST_CASE("model: lists, pages and watches agree with a plain map under random writes", "[apiserver][model]")
{
    int relists = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        server s({.history = 16, .seed = seed});
        detail::random_source random(seed);
        model truth;
        std::vector<follower> followers(3);
        followers[1].selector = "l%3Da";
        followers[2].selector = "l%21%3Da";
        for (auto& f : followers) f.relist(s);
        for (int step = 0; step < 150; ++step) {
            for (auto writes = random() % 9; writes > 0; --writes) mutate(s, truth, random);
            if (random() % 40 == 0) s.state.compact();
            if (random() % 8 == 0) s.now += std::chrono::seconds{70};
            auto& f = followers[random() % followers.size()];
            if (random() % 10 == 0 && !f.version.empty()) f.rewatch(s); // as after a broken connection
            f.follow(s);
        }
        for (auto& f : followers) f.follow(s);
        CHECK(followers[0].objects == truth);
        CHECK(followers[1].objects == selected(truth, "a"));
        CHECK(followers[2].objects == selected(truth, "b"));
        for (const auto& f : followers) relists += f.relists;
    }
    CHECK(relists > 60); // the history was short enough to cause relists
}

TEST_CASE("model: a list at any version in the history is the state at that version", "[apiserver][model]")
{
    server s({.history = 40});
    detail::random_source random(7);
    model truth;
    std::map<std::uint64_t, model> moments;
    for (int i = 0; i < 120; ++i) {
        mutate(s, truth, random);
        moments[s.state.resource_version()] = truth;
        const auto asked = std::next(moments.begin(), static_cast<std::ptrdiff_t>(random() % moments.size()));
        const auto r = s.get(maps + "?resourceVersionMatch=Exact&resourceVersion=" + std::to_string(asked->first));
        if (r.status == 410) {
            CHECK(moments.size() > 39);
            continue;
        }
        REQUIRE(r.status == 200);
        model got;
        const auto list = json::parse(r.body);
        for (const auto& item : list.at("items").as_array()) got.emplace(key_of(item), entry_of(item));
        CHECK(got == asked->second);
    }
}
