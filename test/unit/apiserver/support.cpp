#include "support.hpp"

#include <fstream>
#include <sstream>

namespace kubecoro::test {

using namespace apiserver;

server::server(cluster_options options) : state(options, now), handler(state, access)
{
    access.add_token("admin", {"admin", {"system:masters"}, {}});
    access.add_token("bob", {"bob", {}, {}});
}

http_response server::ask(std::string method, std::string target, std::string body, headers extra)
{
    http_request r;
    r.method = std::move(method);
    r.target = std::move(target);
    r.body = std::move(body);
    r.headers = std::move(extra);
    if (!token.empty()) r.headers.emplace_back("Authorization", "Bearer " + token);
    http_response answered = handler.handle(r, now);
    answered.complete_body();
    return answered;
}

json::value server::expect(int status, std::string method, std::string target, std::string body, headers extra)
{
    const auto r = ask(std::move(method), std::move(target), std::move(body), std::move(extra));
    INFO(r.body);
    REQUIRE(r.status == status);
    return json::parse(r.body);
}

json::value server::patch(std::string target, std::string body, std::string_view type)
{
    return expect(200, "PATCH", std::move(target), std::move(body), {{"Content-Type", std::string(type)}});
}

void server::add_namespace(const std::string& name)
{
    expect(201, "POST", "/api/v1/namespaces", R"({"metadata":{"name":")" + name + R"("}})");
}

void server::add_config_map(const std::string& ns, const std::string& name, const std::string& metadata)
{
    expect(201, "POST", "/api/v1/namespaces/" + ns + "/configmaps",
           R"({"metadata":{"name":")" + name + '"' + (metadata.empty() ? "" : "," + metadata) +
               R"(},"data":{"k":"v"}})");
}

std::unique_ptr<watch_body> server::watch(std::string target)
{
    auto r = get(std::move(target));
    INFO(r.body);
    REQUIRE(r.status == 200);
    REQUIRE(r.watch);
    return std::move(r.watch);
}

std::vector<std::string> lines(watch_output out)
{
    std::vector<std::string> all;
    for (const auto& l : out.lines) {
        REQUIRE(l->back() == '\n');
        all.push_back(l->substr(0, l->size() - 1));
    }
    return all;
}

std::string brief(const std::string& line)
{
    const auto v = json::parse(line);
    const auto type = std::string(v.at("type").as_string());
    if (type == "ERROR") return "ERROR " + std::to_string(v.at_pointer("/object/code").as_int64());
    const auto& metadata = v.at_pointer("/object/metadata").as_object();
    const auto* name = metadata.if_contains("name");
    return type + " " + (name ? std::string(name->as_string()) + "@" : "@") +
           std::string(metadata.at("resourceVersion").as_string());
}

std::vector<std::string> brief(const std::vector<std::string>& all)
{
    std::vector<std::string> out;
    for (const auto& line : all) out.push_back(brief(line));
    return out;
}

namespace {

std::string read_bytes(std::istream& in, const std::string& marker)
{
    const auto at = marker.find("bytes=");
    std::string bytes(std::stoul(marker.substr(at + 6)), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    in.ignore(1);
    return bytes;
}

} // namespace

captured load_capture(const std::string& file)
{
    std::ifstream in(std::string(KUBECORO_TEST_DATA) + "/" + file + ".http", std::ios::binary);
    INFO(file);
    REQUIRE(in);
    captured c;
    c.file = file;
    std::string line;
    enum
    {
        none,
        request,
        response
    } part = none;
    while (std::getline(in, line) && line != "=== end") {
        if (line.starts_with("=== request-head")) {
            part = request;
            std::getline(in, line);
            std::istringstream words(line);
            words >> c.method >> c.target;
        } else if (line.starts_with("=== request-body")) {
            c.request_body = read_bytes(in, line);
        } else if (line.starts_with("=== response-head")) {
            part = response;
            std::getline(in, line);
            c.status = std::stoi(line.substr(9));
        } else if (line.starts_with("=== response-body")) {
            c.body = read_bytes(in, line);
        } else if (const auto colon = line.find(": "); colon != std::string::npos && part != none) {
            const auto name = line.substr(0, colon), value = line.substr(colon + 2);
            if (part == request)
                c.request_headers.emplace_back(name, value);
            else if (name == "Content-Type")
                c.content_type = value;
            else if (name == "Warning")
                c.warnings.push_back(value);
        }
    }
    return c;
}

namespace {

void mask(json::value& v)
{
    if (auto* array = v.if_array()) {
        for (auto& item : *array) mask(item);
        return;
    }
    auto* object = v.if_object();
    if (!object) return;
    for (const auto* key : {"managedFields", "storageVersionHash"}) object->stable_erase(key);
    for (auto& [key, member] : *object) {
        if (member.is_string() &&
            (key == "uid" || key == "resourceVersion" || key.ends_with("Timestamp") || key == "lastTransitionTime"))
            member = "*";
        mask(member);
    }
}

} // namespace

std::string masked(std::string_view text)
{
    boost::system::error_code ec;
    auto v = json::parse(json::string_view(text.data(), text.size()), ec);
    if (ec) return std::string(text);
    mask(v);
    return json::serialize(v);
}

} // namespace kubecoro::test
