#include <kubecoro/client/detail/yaml_text.hpp>
#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json.hpp>

#include <string>

using namespace kubecoro;
namespace json = boost::json;

namespace {

std::string complaint(const std::string& text)
{
    const auto read = parse_documents(text, "a.yaml");
    return read ? "read" : std::string(read.error().message());
}

std::string lines(std::size_t count, const char* form)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        auto line = std::string(form) + "\n";
        for (auto at = line.find('#'); at != line.npos; at = line.find('#')) line.replace(at, 1, std::to_string(i));
        out += line;
    }
    return out;
}

} // namespace

TEST_CASE("yaml: what cannot be read is named with file, line and column", "[yaml]")
{
    CHECK(complaint("a: 1\nb: [1,\n") == "a.yaml: line 3, column 1: did not find expected node content");
    CHECK(complaint("a: 1\n---\nb: 1\nc: \"d\ne: f\n") == "a.yaml: line 6, column 1: found unexpected end of stream");
    CHECK(complaint("a: 1\n\tb: 1\n").find("line 2, column") != std::string::npos);
    CHECK(complaint("a: 1\n--- b\n") == "a.yaml: line 2, column 1: invalid document separator: b");
    CHECK(complaint("{\"a\":1}\n{\"b\":2}\n{\"c\" 3}\n").find("a.yaml: line 3, column 6: not JSON") == 0);
    CHECK(complaint("a: *b\n") == "a.yaml: line 1, column 4: unknown anchor 'b' referenced");
    CHECK(complaint("a:\n  b: !!int secret\n") == "a.yaml: line 2, column 6: cannot decode !!str as a !!int");
    CHECK(complaint("a: .inf\n") == "a.yaml: line 1, column 4: unsupported value: .inf");
    CHECK(complaint("? ~\n: 1\n") == "a.yaml: line 1, column 3: unsupported map key: null");
    CHECK(complaint("a: 1\nb: c\x01\n") == "a.yaml: line 2, column 5: control characters are not allowed");
    CHECK(complaint("a: 1\nb: c\xff\n") == "a.yaml: line 2, column 5: invalid leading UTF-8 octet");
}

TEST_CASE("yaml: large files are read, and bounded", "[yaml]")
{
    const auto keys = parse_documents(lines(15'000, "key#: #"), "a.yaml");
    REQUIRE(keys);
    CHECK(keys->front().get_object().size() == 15'000);
    CHECK(keys->front().at("key14999") == 14'999);

    const std::string deep(200, '[');
    CHECK(complaint(deep + "1" + std::string(200, ']')) == "read");
    CHECK(complaint("[" + deep + "1" + std::string(201, ']')).find("nested too deeply") != std::string::npos);
    CHECK(complaint("{\"a\":" + deep + "1" + std::string(200, ']') + "}").find("nested too deeply") !=
          std::string::npos);
    CHECK(complaint(std::string(100'000, '[')).find("nested too deeply") != std::string::npos);

    CHECK(complaint(lines(20'001, "key#: 1")).find("too many members") != std::string::npos);
    CHECK(complaint(lines(100'001, "---\na")).find("more than 100000 documents") != std::string::npos);
}

TEST_CASE("yaml: what aliases stand for is bounded", "[yaml]")
{
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        const auto before = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
        for (int n = 0; n < 8; ++n) bomb += ", " + before;
        bomb += "]\n";
    }
    CHECK(complaint(bomb).find("document contains excessive aliasing") != std::string::npos);
    const auto long_text = "a: &a " + std::string(1'000'000, 'x') + "\n" + lines(90, "b#: *a");
    CHECK(complaint(long_text).find("aliases of too long texts") != std::string::npos);
    CHECK(detail::parse_yaml("a: &a [1, 2, 3]\nb: *a\n", 100).has_value());
    CHECK(detail::parse_yaml("a: &a [1, 2, 3]\nb: *a\n", 8).error().find("too many nodes") != std::string::npos);
    // Each amendment of a text costs a pass.
    CHECK(complaint("[" + lines(30, "a:,") + "]").find("found unexpected ':'") != std::string::npos);
}

TEST_CASE("yaml: items of a typed list have the kind of the list", "[yaml]")
{
    const auto read = load_manifests(
        "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n- {apiVersion: v1, kind: Secret}\n", "a");
    REQUIRE(read);
    REQUIRE(read->size() == 2);
    CHECK(json::serialize(read->at(0)) == R"({"metadata":{"name":"a"},"kind":"ConfigMap","apiVersion":"v1"})");
    CHECK(read->at(1).at("kind") == "Secret");
    CHECK_FALSE(load_manifests("apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n", "a"));
    CHECK_FALSE(load_manifests("apiVersion: v1\nkind: ConfigMapList\nitems: [{kind: Secret}]\n", "a"));
}

TEST_CASE("yaml: keys that a map has twice are named as kube-apiserver names them", "[yaml]")
{
    const auto read =
        detail::parse_yaml("a: 1\nb: {c: 1}\na: 2\n1: x\n1:\n  y\n\"1\": z\ne: &x {d: 1}\nf: {d: 2, <<: *x}\n", 1000);
    REQUIRE(read.has_value());
    CHECK(read->value.at("a") == 2);
    CHECK(read->value.at("f").at("d") == 1);
    CHECK(read->duplicates == std::vector<std::string>{"line 3: key \"a\" already set in map",
                                                       "line 6: key 1 already set in map",
                                                       "line 8: key \"d\" already set in map"});
}

TEST_CASE("yaml: numbers have the types that kubectl sends", "[yaml]")
{
    const auto read = [](const std::string& text) {
        return json::serialize(parse_documents(text, "a").value().front());
    };
    CHECK(read("[2.0, 1e3, -0.0, 4e18, 1e19, 2.5, 18446744073709551615]") ==
          "[2,1000,0,4000000000000000000,1E19,2.5E0,18446744073709551615]");
    CHECK(read("{\"a\":[2.0, 1e3, -0.0, 4e18, 2.5]}") == "{\"a\":[2,1000,0,4000000000000000000,2.5E0]}");
}
