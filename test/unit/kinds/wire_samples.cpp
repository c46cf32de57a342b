// Objects of built-in kinds in the exchanges with a kube-apiserver that other tests replay. KUBECORO_WIRE=FOLDER names others.
#include "kind_checks.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <kubecoro/test/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

using namespace kubecoro;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

using visitor = std::function<void(json::object)>;

std::string text_of(const json::object& in, std::string_view name)
{
    const auto* member = in.if_contains(name);
    return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

/// Calls the function with each object of a kind within a document: in watch events, rows of tables, lists.
void each_object(const json::value& within, const visitor& visit)
{
    if (const auto* array = within.if_array())
        for (const auto& item : *array) each_object(item, visit);
    const auto* object = within.if_object();
    if (!object) return;
    const auto kind = text_of(*object, "kind");
    if (test::has_struct(text_of(*object, "apiVersion"), kind)) return visit(*object);
    for (const auto& [name, value] : *object) {
        const auto* items = value.if_array();
        if (!kind.ends_with("List") || name != "items" || !items) {
            each_object(value, visit);
            continue;
        }
        // Items of lists have no kind of their own.
        for (const auto& item : *items) {
            auto whole = item.as_object();
            whole["apiVersion"] = text_of(*object, "apiVersion");
            whole["kind"] = kind.substr(0, kind.size() - 4);
            each_object(whole, visit);
        }
    }
}

/// The same for all files below a folder whose lines are JSON.
void each_object_below(const fs::path& folder, const visitor& visit)
{
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto extension = entry.path().extension();
        if (extension != ".http" && extension != ".json") continue;
        std::ifstream in(entry.path(), std::ios::binary);
        for (std::string line; std::getline(in, line);) {
            boost::system::error_code ec;
            if (!line.starts_with('{')) continue;
            const auto document = json::parse(line, ec);
            INFO(entry.path().string());
            if (!ec) each_object(document, visit);
        }
    }
}

} // namespace

TEST_CASE("objects of real exchanges survive their structs, and views read their JSON", "[kinds][samples]")
{
    std::size_t objects = 0, refused = 0;
    std::set<std::string> kinds;
    const auto check = [&](const json::object& o) {
        ++objects;
        kinds.insert(text_of(o, "kind"));
        // Servers have refused some of the requests.
        auto problems = test::problems_of(o, false);
        if (!problems.empty() && problems.front().starts_with("invalid: ")) {
            problems = test::problems_of(o, true);
            ++refused;
        }
        INFO(json::serialize(o));
        for (const auto& problem : problems) FAIL_CHECK(problem);
    };
    if (const auto* folder = std::getenv("KUBECORO_WIRE"))
        each_object_below(folder, check);
    else
        for (const auto* module : {"api", "apiserver"})
            each_object_below(fs::path(KUBECORO_UNIT_TESTS) / module / "data", check);
    WARN(objects << " objects of " << kinds.size() << " kinds");
    CHECK(objects > 20);
    CHECK(refused < objects / 5);
    CHECK(kinds.size() > 5);
}
