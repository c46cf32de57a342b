// Tests of label selectors on stored objects.
#include "objects/label_match.hpp"
#include "support.hpp"

#include <kubecoro/base/detail/random.hpp>

using namespace kubecoro;
using namespace kubecoro::test;

namespace {

apiserver::stored_object object_with(std::vector<std::pair<std::string, std::string>> labels)
{
    apiserver::stored_object o;
    std::sort(labels.begin(), labels.end());
    o.labels = std::move(labels);
    return o;
}

bool matches(const std::string& selector, const apiserver::stored_object& o)
{
    const auto parsed = label_selector::parse(selector);
    REQUIRE(parsed);
    return apiserver::label_match(*parsed).matches(o);
}

} // namespace

TEST_CASE("label match: all requirements for a label count, as one", "[apiserver][list]")
{
    const auto o = object_with({{"a", "1"}, {"b", "x"}});
    for (const auto* selector : {"", "a", "a=1", "a==1,b=x", "a in (1,2),a in (1,3)", "a!=2", "a notin (2,3),a!=4",
                                 "!c", "c!=1", "c notin (1)", "a>0", "a<2,a>0", "a,b,!c,!d,c!=1"})
        CHECK(matches(selector, o));
    for (const auto* selector : {"c", "a=2", "a=1,b=y", "a in (1,2),a in (2,3)", "a!=1", "a notin (2,1)", "!a", "a>1",
                                 "a<1", "b>0", "c>0", "a,!a", "a=1,c=1", "a,b,c", "c in (1)"})
        CHECK_FALSE(matches(selector, o));
    CHECK_FALSE(matches("a", object_with({})));
    CHECK(matches("!a", object_with({})));
}

TEST_CASE("label match: as each requirement by itself, for any selector", "[apiserver][list]")
{
    using op = label_selector::op;
    detail::random_source random(7);
    const auto pick = [&](std::uint64_t n) { return static_cast<std::size_t>(random() % n); };
    const std::string keys = "abcd", values = "012";
    int matched = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::pair<std::string, std::string>> labels;
        for (const char key : keys)
            if (pick(2) == 0) labels.emplace_back(std::string(1, key), std::string(1, values[pick(3)]));
        std::vector<label_selector::requirement> all;
        bool expected = true;
        for (auto left = pick(5); left > 0; --left) {
            const std::string key(1, keys[pick(4)]);
            const auto operation = static_cast<op>(pick(8));
            std::vector<std::string> wanted;
            if (operation != op::exists && operation != op::not_exists) wanted.emplace_back(1, values[pick(3)]);
            if ((operation == op::in || operation == op::not_in) && pick(2) == 0)
                wanted.emplace_back(1, values[pick(3)]);
            all.push_back({key, operation, wanted});
            const auto found =
                std::find_if(labels.begin(), labels.end(), [&](const auto& l) { return l.first == key; });
            const bool exists = found != labels.end();
            const bool among = exists && std::find(wanted.begin(), wanted.end(), found->second) != wanted.end();
            const bool one = operation == op::exists                          ? exists
                             : operation == op::not_exists                    ? !exists
                             : operation == op::greater                       ? exists && found->second > wanted.front()
                             : operation == op::less                          ? exists && found->second < wanted.front()
                             : operation == op::equals || operation == op::in ? among
                                                                              : !among;
            expected = expected && one;
        }
        const label_selector selector(std::move(all));
        INFO(selector.to_string());
        CHECK(apiserver::label_match(selector).matches(object_with(labels)) == expected);
        matched += expected;
    }
    CHECK(matched > 1000);
}

TEST_CASE("label match: a LabelSelector has labels and expressions", "[apiserver][list]")
{
    const auto o = object_with({{"a", "1"}, {"b", "x"}});
    const auto of = [&](const std::string& text) {
        const auto match = apiserver::label_match::of(json::parse(text));
        return match && match->matches(o);
    };
    CHECK(of("{}"));
    CHECK(of(R"({"matchLabels":{"a":"1"},"matchExpressions":[{"key":"b","operator":"In","values":["x","y"]}]})"));
    CHECK(of(R"({"matchExpressions":[{"key":"b","operator":"Exists"},{"key":"c","operator":"DoesNotExist"}]})"));
    CHECK_FALSE(of(R"({"matchLabels":{"a":"2"}})"));
    CHECK_FALSE(of(R"({"matchExpressions":[{"key":"b","operator":"NotIn","values":["x"]}]})"));
    for (const auto* wrong :
         {R"({"matchExpressions":[{"key":"b","operator":"Odd"}]})",
          R"({"matchExpressions":[{"key":"b","operator":"In"}]})",
          R"({"matchExpressions":[{"key":"b","operator":"Exists","values":["x"]}]})",
          R"({"matchExpressions":[{"key":"-b","operator":"Exists"}]})", R"({"matchLabels":{"a":"not a value"}})",
          R"({"matchLabels":{"not a key":"1"}})", R"({"matchLabels":[]})", "null"}) {
        INFO(wrong);
        CHECK_FALSE(apiserver::label_match::of(json::parse(wrong)));
    }
}

TEST_CASE("field selection: all requirements for a field count, as one", "[apiserver][list]")
{
    server s;
    const std::string pods = "/api/v1/namespaces/default/pods";
    for (const std::string name : {"a", "b", "c"})
        s.expect(201, "POST", pods,
                 R"({"metadata":{"name":")" + name + R"("},"spec":{"nodeName":"n)" + name +
                     R"(","containers":[{"name":"c","image":"i"}]}})");
    const auto found = [&](const std::string& selector) {
        std::string out;
        const auto list = s.expect(200, "GET", pods + "?fieldSelector=" + selector);
        for (const auto& item : list.at("items").as_array())
            out += std::string(item.at_pointer("/metadata/name").as_string());
        return out;
    };
    CHECK(found("metadata.name!%3Db,metadata.name!%3Dx") == "ac");
    CHECK(found("metadata.name%3Db,metadata.name%3Db") == "b");
    CHECK(found("metadata.name%3Db,metadata.name%3Dc").empty());
    CHECK(found("metadata.name!%3Db,metadata.name%3Db").empty());
    CHECK(found("spec.nodeName%3Dnc,metadata.name!%3Da,metadata.namespace%3Ddefault") == "c");
    CHECK(found("spec.nodeName!%3Dnc,status.phase%3DPending") == "ab");
}
