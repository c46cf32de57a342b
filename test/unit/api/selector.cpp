#include <kubecoro/test/catch.hpp>

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/selector.hpp>

using namespace kubecoro;

namespace {

bool label_match(std::string_view selector, std::string_view labels)
{
    const auto s = label_selector::parse(selector);
    INFO(selector);
    REQUIRE(s);
    const auto o = object::parse("{\"metadata\":{\"labels\":" + std::string(labels) + "}}");
    REQUIRE(o);
    return s->matches(o->labels());
}

std::string label_problem(std::string_view selector)
{
    const auto s = label_selector::parse(selector);
    INFO(selector);
    REQUIRE_FALSE(s);
    REQUIRE(s.error() == cond::invalid);
    return s.error().message();
}

} // namespace

TEST_CASE("label_selector: prints a canonical form", "[api][selector]")
{
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"   ", ""},
        {"a", "a"},
        {"!a", "!a"},
        {"! a", "!a"},
        {"a=b", "a=b"},
        {"a==b", "a=b"},
        {" a = b , c != d ", "a=b,c!=d"},
        {"c=1,a=2,b", "a=2,b,c=1"},
        {"a in (c,b,c)", "a in (b,c)"},
        {"a in(b)", "a in (b)"},
        {"a notin (b , c)", "a notin (b,c)"},
        {"a in (,b)", "a in (,b)"},
        {"a in (b,)", "a in (,b)"},
        {"a in ()", "a in ()"},
        {"a in (,)", "a in ()"},
        {"a notin ( )", "a notin ()"},
        {"a in (b,,c,b)", "a in (,b,c)"},
        {"a=", "a="},
        {"a=,b", "a=,b"},
        {"a!=", "a!="},
        {"a>1", "a>1"},
        {"a < 10", "a<10"},
        {"in in (in,notin)", "in in (in,notin)"},
        {"in", "in"},
        {"notin=in", "notin=in"},
        {"app.kubernetes.io/name=web-1_x.y", "app.kubernetes.io/name=web-1_x.y"},
        {"a=b,a=b", "a=b"},
    };
    for (const auto& [text, canonical] : cases) {
        INFO(text);
        const auto s = label_selector::parse(text);
        REQUIRE(s);
        CHECK(s->to_string() == canonical);
        CHECK(s->empty() == std::string_view(canonical).empty());
    }
}

TEST_CASE("label_selector: canonical text parses to an equal selector", "[api][selector]")
{
    for (const char* text : {"a", "!a", "a=b,c!=d", "x in (a,b),y notin (c),z>3,w<4", "a=", "a in (,b)", "a in ()"}) {
        const auto s = label_selector::parse(text);
        REQUIRE(s);
        const auto again = label_selector::parse(s->to_string());
        REQUIRE(again);
        CHECK(*again == *s);
    }
    CHECK(*label_selector::parse("b=1,a=2") == *label_selector::parse("a==2 , b=1"));
    CHECK_FALSE(*label_selector::parse("a=1") == *label_selector::parse("a in (1)"));
    CHECK(label_selector({{"k", label_selector::op::in, {"z", "a", "z"}}}).to_string() == "k in (a,z)");
}

TEST_CASE("label_selector: matches like kube-apiserver", "[api][selector]")
{
    const std::string_view labels = R"({"app":"web","tier":"","n":"5","bad":7})";
    for (const char* yes :
         {"", "app=web", "app!=db", "app in (db,web)", "app notin (db)", "app", "!nope", "nope!=x", "nope notin (x)",
          "tier=", "tier", "tier in ()", "app notin ()", "n>4", "n<6", "app=web,n>4,!nope", "!bad"}) {
        INFO(yes);
        CHECK(label_match(yes, labels));
    }
    for (const char* no :
         {"app=db", "app!=web", "app in (db)", "app notin (web)", "nope", "!app", "nope=x", "nope in (x)", "nope in ()",
          "tier notin ()", "nope=", "tier=x", "n>5", "n<5", "app>1", "nope<1", "app=web,nope", "bad"}) {
        INFO(no);
        CHECK_FALSE(label_match(no, labels));
    }
    CHECK(label_selector::parse("!a")->matches(value_view{}));
    CHECK(label_selector::parse("a!=b")->matches(value_view{}));
    CHECK_FALSE(label_selector::parse("a")->matches(value_view{}));
}

TEST_CASE("label_selector: errors name the found and the expected input and the position", "[api][selector]")
{
    const std::string unable = "unable to parse requirement: ";
    CHECK(label_problem("app===x") == unable + "found '=', expected: identifier at position 5");
    CHECK(label_problem("app in web") == unable + "found 'web' expected: '(' at position 7");
    CHECK(label_problem("=x") == "found '=', expected: !, identifier, or 'end of string' at position 0");
    CHECK(label_problem("a=b,") == "found '', expected: identifier after ',' at position 4");
    CHECK(label_problem("a b") == unable + "found 'b', expected: in, notin, =, ==, !=, gt, lt at position 2");
    CHECK(label_problem("a in (") == unable + "found '', expected: ',', ')' or identifier at position 6");
    CHECK(label_problem("a in (!)") == unable + "found '!', expected: ',', ')' or identifier at position 6");
    CHECK(label_problem("a in (b,") == unable + "found '', expected: ',', or identifier at position 8");
    CHECK(label_problem("a in (b") == unable + "found '', expected: ',' or ')' at position 7");
    CHECK(label_problem("a in (b c)") == unable + "found 'c', expected: ',' or ')' at position 8");
    CHECK(label_problem("!a=b") == "found '=', expected: ',' or 'end of string' at position 2");
    CHECK(label_problem("a=b c") == "found 'c', expected: ',' or 'end of string' at position 4");
    CHECK(label_problem("a=!") == unable + "found '!', expected: identifier at position 2");
    const std::string number = "for 'Gt', 'Lt' operators, the value must be an integer at position 2";
    CHECK(label_problem("a>x") == unable + R"(values[0]: Invalid value: "x": )" + number);
    CHECK(label_problem("a>") == unable + R"(values[0]: Invalid value: "": )" + number);
    const std::string key = " must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
                            "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
                            "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    const auto wrong_key = [&](const std::string& text) { return unable + "<nil>: Invalid value: \"" + text + "\": "; };
    CHECK(label_problem("-a=b") == wrong_key("-a") + "name part" + key + " at position 0");
    CHECK(label_problem("a/b/c") == wrong_key("a/b/c") + "a valid label key" + key +
                                        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName') at "
                                        "position 0");
    CHECK(label_problem("/a") == wrong_key("/a") + "prefix part must be non-empty at position 0");
    CHECK(label_problem("a/") == wrong_key("a/") + "name part must be non-empty; name part" + key + " at position 0");
    const std::string long_key(64, 'k');
    CHECK(label_problem(long_key) == wrong_key(long_key) + "name part must be no more than 63 bytes at position 0");
    CHECK(label_problem("U/a").starts_with(wrong_key("U/a") + "prefix part a lowercase RFC 1123 subdomain must "));
    const std::string value =
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    CHECK(label_problem("a=b/c") == unable + R"(values[0][a]: Invalid value: "b/c": )" + value + " at position 2");
    CHECK(label_problem("a in (c,-b,-d,-b)") == unable + R"([values[0][a]: Invalid value: "-b": )" + value +
                                                    R"(, values[1][a]: Invalid value: "-d": )" + value +
                                                    "] at position 6");
    std::string many = "a in (-a";
    for (int i = 0; i < 10'000; ++i) many += ",-" + std::to_string(i);
    const auto bounded = label_problem(many + ")");
    CHECK(bounded.size() < 10'000);
    CHECK(bounded.find("values[9][a]") != std::string::npos);
    CHECK(bounded.ends_with(", further values were not checked] at position 6"));
    for (const char* bad : {",", "a,,b", "!", "!!a", "a==", "a===b", "a=>b", "a in (-b)", "(a)", "a in (b))", "/x",
                            "x/", "UPPER/x", "a..b/x", "a-/x", "a,"}) {
        if (std::string_view(bad) == "a==")
            CHECK(label_selector::parse(bad));
        else
            CHECK_FALSE(label_problem(bad).empty());
    }
    CHECK(label_selector::parse(std::string(63, 'k') + "=" + std::string(63, 'v')));
    CHECK_FALSE(label_selector::parse(std::string(64, 'k')));
    CHECK_FALSE(label_selector::parse("k=" + std::string(64, 'v')));
}

TEST_CASE("field_selector: parses, prints and matches", "[api][selector]")
{
    const std::pair<const char*, const char*> cases[] = {
        {"", ""},
        {"metadata.name=a", "metadata.name=a"},
        {"metadata.name==a", "metadata.name=a"},
        {"status.phase!=Running,spec.nodeName=n1", "spec.nodeName=n1,status.phase!=Running"},
        {"spec.nodeName=", "spec.nodeName="},
        {"a=b,", "a=b"},
        {",,a=b", "a=b"},
        {R"(a=x\,y\=z\\)", R"(a=x\,y\=z\\)"},
        {"a=!b", "a=!b"},
    };
    for (const auto& [text, canonical] : cases) {
        INFO(text);
        const auto s = field_selector::parse(text);
        REQUIRE(s);
        CHECK(s->to_string() == canonical);
        CHECK(*field_selector::parse(s->to_string()) == *s);
    }
    CHECK(field_selector::parse(R"(a=x\,y\=z\\)")->requirements().at(0).value == R"(x,y=z\)");
    const auto fields = [](std::string_view path) {
        return path == "metadata.name" ? std::string("a") : std::string();
    };
    CHECK(field_selector::parse("metadata.name=a,spec.nodeName=")->matches(fields));
    CHECK(field_selector::parse("metadata.name!=b")->matches(fields));
    CHECK_FALSE(field_selector::parse("metadata.name!=a")->matches(fields));
    CHECK_FALSE(field_selector::parse("metadata.name=a,spec.nodeName=n")->matches(fields));
    CHECK(field_selector{}.matches(fields));
}

TEST_CASE("label_selector: requirements are checked as by NewRequirement", "[api][selector]")
{
    using op = label_selector::op;
    const auto refusal = [](label_selector::requirement r) -> std::string {
        try {
            const label_selector made({std::move(r)});
            CHECK(*label_selector::parse(made.to_string()) == made);
            return {};
        } catch (const error& e) {
            CHECK(e.why() == cond::invalid);
            return e.why().message();
        }
    };
    for (const auto operation : {op::equals, op::not_equals, op::in, op::not_in, op::greater, op::less}) {
        CHECK(refusal({"a/b", operation, {"1"}}).empty());
        CHECK(refusal({"a/b", operation, {}}).find("value") != std::string::npos);
        CHECK(refusal({"a/b", operation, {"1,c=d"}}).find("values[0]") != std::string::npos);
        CHECK(refusal({"a/b", operation, {std::string(64, 'x')}}).find("63") != std::string::npos);
        CHECK(refusal({"a,b", operation, {"1"}}).find("name part") != std::string::npos);
        CHECK(refusal({"", operation, {"1"}}).find("non-empty") != std::string::npos);
    }
    for (const auto operation : {op::exists, op::not_exists}) {
        CHECK(refusal({"a", operation, {}}).empty());
        CHECK(refusal({"a", operation, {"1"}}) ==
              "label selector: values set must be empty for exists and does not exist");
        CHECK_FALSE(refusal({"!a", operation, {}}).empty());
    }
    CHECK(refusal({"a", op::in, {"b", "", "b"}}).empty());
    CHECK(refusal({"a", op::equals, {""}}).empty());
    CHECK_FALSE(refusal({"a", op::equals, {"1", "2"}}).empty());
    CHECK_FALSE(refusal({"a", op::greater, {"1", "2"}}).empty());
    CHECK(refusal({"a", op::less, {"x"}}).find("must be an integer") != std::string::npos);
    CHECK(refusal({"a", static_cast<op>(99), {"x"}}).find("no such operator") != std::string::npos);
}

TEST_CASE("field_selector: values are escaped, and paths are checked", "[api][selector]")
{
    const auto text = [](std::string path, std::string value) {
        return field_selector({{std::move(path), true, std::move(value)}}).to_string();
    };
    CHECK(text("metadata.name", R"(a,b=c\)") == R"(metadata.name=a\,b\=c\\)");
    CHECK(field_selector::parse(text("metadata.name", "a,metadata.name=b"))->requirements().size() == 1);
    for (const char* path : {"", "a=b", "a!", "a,b", "metadata.name=x,spec.nodeName"}) {
        INFO(path);
        CHECK_THROWS_AS(text(path, "v"), error);
    }
}

TEST_CASE("field_selector: errors name the position", "[api][selector]")
{
    const std::pair<const char*, const char*> cases[] = {
        {"metadata.name", "found no operator, expected =, == or != at position 13"},
        {"a in (b)", "found no operator, expected =, == or != at position 8"},
        {"a=b,c", "found no operator, expected =, == or != at position 5"},
        {"=b", "expected a field path at position 0"},
        {"a=b=c", "unescaped '=' in a value at position 3"},
        {R"(a=b\)", "unexpected end, expected ',', '=' or '\\' after a backslash at position 4"},
        {R"(a=b\n)", "found 'n', expected ',', '=' or '\\' after a backslash at position 4"},
        {"a!b", "found no operator, expected =, == or != at position 1"},
        {"a!", "found no operator, expected =, == or != at position 1"},
    };
    for (const auto& [text, why] : cases) {
        INFO(text);
        const auto s = field_selector::parse(text);
        REQUIRE_FALSE(s);
        CHECK(s.error() == cond::invalid);
        CHECK(s.error().message() == "field selector \"" + std::string(text) + "\": " + why);
    }
}
