// Requests with the answers of a kube-apiserver: data/*.jsonl, which record.py writes.
#include "cluster_under_test.hpp"

#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace kubecoro;
using namespace kubecoro::conformance;

namespace json = boost::json;

namespace {

using texts = std::set<std::string>;

std::string replaced(std::string text, std::string_view what, std::string_view by)
{
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Objects are shown as Go has them in memory: only the words behind them count.
std::string without_object(std::string cause)
{
    const auto begin = cause.find(" Invalid value: ");
    if (begin == cause.npos) return cause;
    const auto value = begin + 16;
    if (cause.compare(value, 1, "{") != 0 && cause.compare(value, 2, "[{") != 0) return cause;
    for (const std::string_view end : {"}]: ", "}: "})
        if (const auto at = cause.rfind(end); at != cause.npos)
            return cause.substr(0, value) + "..." + cause.substr(at);
    return cause;
}

texts texts_in(const json::object& line, std::string_view member)
{
    texts out;
    if (const auto* list = line.if_contains(member))
        for (const auto& each : list->as_array()) out.insert(without_object(std::string(each.as_string())));
    return out;
}

texts causes_of(const json::value& status)
{
    texts out;
    const auto* details = status.as_object().if_contains("details");
    const auto* causes = details ? details->as_object().if_contains("causes") : nullptr;
    if (!causes) return out;
    const auto text = [](const json::value& cause, std::string_view member) {
        const auto* v = cause.as_object().if_contains(member);
        return v ? std::string(v->as_string()) : std::string();
    };
    for (const auto& each : causes->as_array())
        out.insert(without_object(text(each, "field") + " " + text(each, "reason") + " " + text(each, "message")));
    return out;
}

texts warnings_of(const client::raw_answer& answer)
{
    texts out;
    for (const auto& [name, value] : answer.head.headers)
        if (name == "Warning" || name == "warning")
            out.insert(std::string(json::parse(value.substr(value.find('"'))).as_string()));
    return out;
}

/// A value of the answer; null where there is none.
json::value value_at(const json::value& body, std::string_view pointer)
{
    boost::system::error_code none;
    const auto* found = body.find_pointer(pointer, none);
    return found ? *found : json::value(nullptr);
}

void check_line(cluster_under_test& c, const json::object& line)
{
    const auto text = [&](std::string_view member, std::string otherwise) {
        const auto* v = line.if_contains(member);
        return v ? replaced(std::string(v->as_string()), "{ns}", c.ns()) : otherwise;
    };
    INFO(text("case", {}));
    const auto* body = line.if_contains("body");
    const auto got = c.send(text("method", "POST"), text("target", {}), text("type", "application/json"),
                            body ? json::serialize(*body) : std::string());
    REQUIRE(got);
    INFO(got->body);
    const auto answer = json::parse(got->body);
    CHECK(got->head.status == line.at("code").as_int64());
    CHECK(causes_of(answer) == texts_in(line, "causes"));
    if (line.contains("message")) CHECK(std::string(answer.at("message").as_string()) == text("message", {}));
    CHECK(warnings_of(*got) == texts_in(line, "warnings"));
    if (const auto* at = line.if_contains("at"))
        for (const auto& [pointer, value] : at->as_object()) {
            INFO(std::string_view(pointer));
            CHECK(value_at(answer, pointer) == value);
        }
}

void check_file(const std::string& name)
{
    cluster_under_test c;
    std::ifstream in(KUBECORO_TEST_DATA "/" + name);
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) check_line(c, json::parse(line).as_object());
    CHECK(count > 0);
}

} // namespace

TEST_CASE("recorded: definitions", "[conformance][recorded]") { check_file("definitions.jsonl"); }

TEST_CASE("recorded: built-in kinds", "[conformance][recorded]") { check_file("kinds.jsonl"); }
