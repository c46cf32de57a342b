#include "model/layout.hpp"

#include <kubecoro/test/catch.hpp>

#include <algorithm>

using namespace kubecoro::codegen;

namespace {

/// A model of messages that hold others, and of kinds that are messages themselves.
class model_maker
{
public:
    model_maker& message(const std::string& name, const std::vector<std::string>& holds)
    {
        kubecoro::codegen::message m{name};
        for (const auto& other : holds) m.fields.push_back({other, {value_shape::form::message, {}, other, {}}});
        made_.messages.emplace(name, std::move(m));
        return *this;
    }
    model_maker& kind(const std::string& name, const std::vector<std::string>& holds)
    {
        made_.kinds.push_back({"", "v1", name, name, true, name});
        return message(name, holds);
    }
    [[nodiscard]] std::vector<header> headers() const { return distribute(made_, made_.kinds); }

private:
    model made_;
};

const header& named(const std::vector<header>& all, const std::string& root)
{
    const auto found = std::ranges::find(all, root, &header::root);
    if (found == all.end()) throw std::runtime_error("no header " + root);
    return *found;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("a message that one kind uses is in the header of the kind, before its user", "[codegen][layout]")
{
    const auto headers = model_maker().kind("pod", {"spec"}).message("spec", {"item"}).message("item", {}).headers();
    REQUIRE(headers.size() == 1);
    CHECK(named(headers, "pod").messages == names{"item", "spec", "pod"});
}

TEST_CASE("a message that two kinds use has a header of its own, with its parts", "[codegen][layout]")
{
    const auto headers = model_maker()
                             .kind("pod", {"meta", "status"})
                             .kind("node", {"meta"})
                             .message("meta", {"owner"})
                             .message("owner", {})
                             .message("status", {})
                             .headers();
    REQUIRE(headers.size() == 3);
    CHECK(named(headers, "meta").messages == names{"owner", "meta"});
    CHECK(named(headers, "pod").messages == names{"status", "pod"});
    CHECK(named(headers, "pod").includes == std::set<std::string>{"meta"});
    CHECK(named(headers, "node").includes == std::set<std::string>{"meta"});
}

TEST_CASE("a kind within another kind keeps its own header", "[codegen][layout]")
{
    const auto headers = model_maker().kind("set", {"claim"}).kind("claim", {"spec"}).message("spec", {}).headers();
    CHECK(named(headers, "claim").messages == names{"spec", "claim"});
    CHECK(named(headers, "set").includes == std::set<std::string>{"claim"});
}

TEST_CASE("messages that contain each other are in one header", "[codegen][layout]")
{
    const auto headers =
        model_maker().kind("a", {"x"}).kind("b", {"y"}).message("x", {"y"}).message("y", {"x"}).headers();
    REQUIRE(headers.size() == 3);
    const auto both = std::ranges::find_if(headers, [](const header& h) { return h.messages.size() == 2; });
    REQUIRE(both != headers.end());
    CHECK(named(headers, "a").includes == std::set<std::string>{both->root});
    CHECK(named(headers, "b").includes == std::set<std::string>{both->root});
    CHECK(both->includes.empty());
}

TEST_CASE("messages that no kind uses are left out", "[codegen][layout]")
{
    const auto headers = model_maker().kind("pod", {}).message("other", {}).headers();
    CHECK(headers.size() == 1);
}
