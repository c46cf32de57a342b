// Tests of the index of role bindings by their subjects.
#include "support.hpp"

#include "state/role_rules.hpp"
#include "text/json_text.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <algorithm>
#include <set>

using namespace kubecoro;
using namespace kubecoro::apiserver;
using namespace kubecoro::test;

namespace {

const std::string bindings = "rolebindings.rbac.authorization.k8s.io";

json::value body(const std::string& name, const json::array& subjects)
{
    return {{"metadata", {{"name", name}}},
            {"roleRef", {{"apiGroup", role_group}, {"kind", "Role"}, {"name", name}}},
            {"subjects", subjects}};
}

json::value subject(std::string_view kind, std::string_view name)
{
    return {{"kind", kind}, {"apiGroup", kind == "ServiceAccount" ? "" : role_group}, {"name", name}};
}

struct indexed : server
{
    explicit indexed(cluster_options options = {}) : server(options) {}

    role_bindings index{state.find(bindings)};

    object_address at(const std::string& ns, const std::string& name) { return {state.find(bindings), "v1", ns, name}; }
    /// The roles of the bindings that name the user.
    std::multiset<std::string> roles(const user_info& user, const std::string& ns)
    {
        std::multiset<std::string> out;
        index.visit(user, ns, [&](const role_binding& b) {
            out.insert(b.role);
            return false;
        });
        return out;
    }
    /// The same, by reading all bindings.
    std::multiset<std::string> roles_of_all(const user_info& user, const std::string& ns)
    {
        std::multiset<std::string> out;
        const auto names = [&](const role_binding::subject& s) {
            return s.is_group ? std::find(user.groups.begin(), user.groups.end(), s.name) != user.groups.end()
                              : s.name == user.name;
        };
        for (const auto& [key, object] : state.find(bindings)->objects()) {
            const auto b = role_binding_in(*object);
            if (object->ns == ns && std::any_of(b.subjects.begin(), b.subjects.end(), names)) out.insert(b.role);
        }
        return out;
    }
};

} // namespace

TEST_CASE("role bindings: the index finds what a scan finds, whatever happens to them", "[apiserver][roles]")
{
    // A short history, so that some changes are forgotten before they are followed.
    indexed s{{.history = 4}};
    s.add_namespace("other");
    detail::random_source random(7);
    const auto pick = [&](auto n) { return static_cast<std::size_t>(random() % n); };
    const std::string namespaces[]{"default", "other"};
    const std::string users[]{"a", "b", "system:serviceaccount:default:a"};
    const auto any_subjects = [&] {
        json::array out;
        for (auto n = pick(4u); n > 0; --n) {
            const char* kinds[]{"User", "Group", "ServiceAccount"};
            out.push_back(subject(kinds[pick(3u)], std::string(1, static_cast<char>('a' + pick(3u)))));
        }
        return out;
    };
    std::string saved = s.state.dump();
    for (int step = 0; step < 2'000; ++step) {
        const auto& ns = namespaces[pick(2u)];
        const auto name = "r" + std::to_string(pick(12u));
        switch (pick(8u)) {
        case 0:
        case 1:
            (void)s.state.create(s.at(ns, name), body(name, any_subjects()), {}, s.now);
            break;
        case 2:
        case 3:
            (void)s.state.update(s.at(ns, name), body(name, any_subjects()), {}, s.now);
            break;
        case 4:
            (void)s.state.remove(s.at(ns, name), {}, s.now);
            break;
        case 5:
            if (pick(20u) == 0) s.state.compact();
            if (pick(40u) == 0) saved = s.state.dump();
            if (pick(40u) == 0) REQUIRE(s.state.restore(saved, s.now));
            break;
        default:
            user_info who{users[pick(3u)], {}};
            for (auto n = pick(3u); n > 0; --n) who.groups.emplace_back(1, static_cast<char>('a' + pick(3u)));
            CHECK(s.roles(who, ns) == s.roles_of_all(who, ns));
            CHECK(s.index.size() == s.state.find(bindings)->objects().size());
        }
    }
}

TEST_CASE("role bindings: a visit ends when it returns true", "[apiserver][roles]")
{
    indexed s;
    for (const char* name : {"x", "y"})
        REQUIRE(s.state.create(s.at("default", name), body(name, {subject("User", "a")}), {}, s.now).has_value());
    int visits = 0;
    CHECK(s.index.visit({"a", {}}, "default", [&](const role_binding&) { return ++visits == 1; }));
    CHECK(visits == 1);
}
