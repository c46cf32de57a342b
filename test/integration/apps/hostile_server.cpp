// A server whose every name, value and message tries to control a terminal. Serves plain HTTP until a signal.
#include "byte_server.hpp"

#include <boost/json.hpp>

#include <cstdio>
#include <string>

#include <unistd.h>

namespace json = boost::json;
using kubecoro::test::answer_text;

namespace {

/// Clears the screen, sets the title, returns the cursor, and reverses what follows; as escape, as a C1 control, as Unicode.
const std::string evil = "evil\x1b[2J\x1b]0;title\x07\r\xc2\x9b"
                         "31m\xe2\x80\xae\xe2\x81\xa6\b\x7f\ttext";
const std::string evil_lines = evil + "\n" + evil;

json::object metadata(const std::string& name)
{
    return {{"name", name},
            {"namespace", evil},
            {"uid", "u-1"},
            {"resourceVersion", "7"},
            {"creationTimestamp", "2026-11-21T06:09:05Z"},
            {"labels", {{"app", evil}, {evil, "x"}}},
            {"annotations", {{evil, evil_lines}}},
            {"finalizers", {evil}},
            {"ownerReferences", {{{"kind", evil}, {"name", evil}, {"uid", evil}, {"controller", true}}}}};
}

json::object pod(const std::string& name = evil)
{
    return {{"kind", "Pod"},
            {"apiVersion", "v1"},
            {"metadata", metadata(name)},
            {"spec", {{"containers", {{{"name", "main"}, {"image", evil_lines}}, {{"name", evil}}}}, {evil, evil}}},
            {"status",
             {{"phase", evil},
              {"conditions", {{{"type", evil}, {"status", evil}, {"reason", evil}, {"message", evil_lines}}}}}}};
}

json::object list_of(const std::string& kind, const json::object& item)
{
    return {{"kind", kind}, {"apiVersion", "v1"}, {"metadata", {{"resourceVersion", "7"}}}, {"items", {item}}};
}

json::object table(bool whole)
{
    json::object shown = pod();
    if (!whole)
        shown = {{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", metadata(evil)}};
    const json::array columns{{{"name", "Name"}, {"type", "string"}, {"format", "name"}},
                              {{"name", evil}, {"type", evil}},
                              {{"name", "Wide " + evil}, {"type", "string"}, {"priority", 1}}};
    return {{"kind", "Table"},
            {"apiVersion", "meta.k8s.io/v1"},
            {"metadata", {{"resourceVersion", "7"}}},
            {"columnDefinitions", columns},
            {"rows", {{{"cells", {evil, evil_lines, {{"evil", evil}}}}, {"object", shown}}}}};
}

json::object refusal(int code, const std::string& reason)
{
    const json::array causes{
        {{"reason", "FieldManagerConflict"}, {"field", evil}, {"message", "conflict with \"" + evil + "\""}}};
    return {{"kind", "Status"},
            {"apiVersion", "v1"},
            {"status", "Failure"},
            {"reason", reason},
            {"message", evil_lines},
            {"code", code},
            {"details", {{"name", evil}, {"kind", evil}, {"group", evil}, {"causes", causes}}}};
}

json::object resource(const std::string& name, const std::string& kind)
{
    return {{"resource", name},
            {"responseKind", {{"group", ""}, {"version", ""}, {"kind", kind}}},
            {"scope", "Namespaced"},
            {"singularResource", name == evil ? evil : ""},
            {"shortNames", {evil}},
            {"categories", {"all", evil}},
            {"verbs", {"get", "list", evil}}};
}

json::object groups(const std::string& group, const json::array& resources)
{
    const json::object version{{"version", "v1"}, {"resources", resources}, {"freshness", "Current"}};
    const json::object one{{"metadata", {{"name", group}}}, {"versions", {version}}};
    return {{"kind", "APIGroupDiscoveryList"},
            {"apiVersion", "apidiscovery.k8s.io/v2"},
            {"metadata", {{"resourceVersion", ""}}},
            {"items", {one}}};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string with_json(const json::object& o, int status = 200)
{
    return answer_text(status, json::serialize(o), "Content-Type: application/json\r\n");
}

std::string events_of_watch(const json::object& o)
{
    std::string out;
    for (const char* type : {"ADDED", "MODIFIED", "DELETED"})
        out += json::serialize(json::object{{"type", type}, {"object", o}}) + "\n";
    return answer_text(200, out, "Content-Type: application/json\r\n");
}

std::string answer_to_read(const std::string& target, bool as_table)
{
    if (target == "/api")
        return with_json(groups("", {resource("pods", "Pod"), resource("events", "Event"), resource(evil, evil)}));
    if (target == "/apis") return with_json(groups("apps", {resource("deployments", "Deployment")}));
    if (has(target, "refused")) return with_json(refusal(403, evil), 403);
    if (has(target, "watch=true"))
        return events_of_watch(as_table ? table(has(target, "includeObject=Object")) : pod());
    if (as_table) return with_json(table(has(target, "includeObject=Object")));
    return with_json(has(target, "/pods/") ? pod() : list_of("PodList", pod()));
}

std::string answer_to(const std::string& request)
{
    const auto method = request.substr(0, request.find(' '));
    const auto rest = request.substr(method.size() + 1);
    const auto target = rest.substr(0, rest.find(' '));
    if (method == "GET") return answer_to_read(target, has(request, "as=Table"));
    if (has(target, "mine")) return with_json(pod());
    const bool conflict = has(target, "conflict");
    return with_json(refusal(conflict ? 409 : 403, conflict ? "Conflict" : evil), conflict ? 409 : 403);
}

boost::asio::awaitable<void> serve(kubecoro::test::peer& client)
{
    for (;;) {
        const auto request = co_await client.request();
        co_await client.send(answer_to(request));
    }
}

} // namespace

int main()
{
    kubecoro::test::byte_server server;
    // One script a connection.
    for (int i = 0; i != 2000; ++i) server.next(serve);
    std::printf("listening on %s\n", server.url().c_str());
    std::fflush(stdout);
    ::pause(); // until a signal
    return 0;
}
