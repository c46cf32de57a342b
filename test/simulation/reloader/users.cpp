#include "users.hpp"

#include "marks.hpp"

#include <kubecoro/api/object.hpp>
#include <kubecoro/api/untyped.hpp>

#include <array>
#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;
namespace marks = config_reloader::marks;

namespace {

constexpr std::uint64_t content_names = 4;
constexpr std::uint64_t workload_names = 3;

std::string annotation(std::string_view name, const std::string& value)
{
    return R"({"annotations":{")" + std::string(name) + "\":" + value + "}}";
}

std::string in_metadata(const std::string& metadata) { return R"({"metadata":)" + metadata + "}"; }
std::string in_template(const std::string& metadata)
{
    return R"({"spec":{"template":{"metadata":)" + metadata + "}}}";
}

} // namespace

const std::vector<resource_type>& reloader_resources()
{
    static const std::vector<resource_type> all{untyped::config_map::resource(), untyped::secret::resource(),
                                                untyped::deployment::resource(), untyped::stateful_set::resource(),
                                                untyped::daemon_set::resource()};
    return all;
}

users::users(apiserver::embedded_server& server, journal& notes, std::uint64_t seed)
    : server_(&server), notes_(&notes), random_(seed)
{
}

asio::awaitable<result<>> users::prepare()
{
    for (const char* ns : {"a", "b"}) {
        ns_ = ns;
        (void)co_await execute("POST", "/api/v1/namespaces", R"({"metadata":{"name":")" + ns_ + "\"}}");
        for (std::uint64_t i = 0; i < content_names; ++i) {
            if (!one_in(random_, 5)) co_await change_content("c" + std::to_string(i));
        }
        for (std::uint64_t i = 0; i < workload_names; ++i) {
            const auto& kind = reloader_resources()[content_resources + below(random_, 3)];
            co_await make_workload(kind, "w" + std::to_string(i));
        }
    }
    co_return result<>();
}

asio::awaitable<result<>> users::one()
{
    ns_ = one_in(random_, 2) ? "a" : "b";
    const auto& kind = reloader_resources()[content_resources + below(random_, 3)];
    auto workload = "w" + std::to_string(below(random_, workload_names));
    const auto dice = below(random_, 20);
    if (dice < 11) {
        co_await change_content(content_name());
    } else if (dice < 18) {
        co_await change_workload(kind, std::move(workload));
    } else if (dice < 19) {
        co_await make_workload(kind, std::move(workload));
    } else {
        (void)co_await execute("DELETE", path(kind, workload));
    }
    co_return result<>();
}

asio::awaitable<void> users::change_content(std::string name)
{
    const auto& kind = reloader_resources()[below(random_, content_resources)];
    switch (below(random_, 8)) {
    case 0:
        (void)co_await execute("DELETE", path(kind, name));
        break;
    case 1: // no change of the content
        (void)co_await execute("PATCH", path(kind, name),
                               in_metadata(R"({"labels":{"x":")" + std::to_string(below(random_, 1000)) + "\"}}"));
        break;
    default:
        const auto members = "{" + content_members() + "}";
        if (co_await execute("PATCH", path(kind, name), members)) break;
        (void)co_await execute("POST", path(kind), R"({"metadata":{"name":")" + name + "\"}}");
        (void)co_await execute("PATCH", path(kind, name), members);
    }
}

asio::awaitable<void> users::make_workload(const resource_type& kind, std::string name)
{
    const bool asks = !one_in(random_, 5);
    const auto annotations = asks ? "," + annotation(marks::reload, "\"true\"").substr(1) : std::string("}");
    const auto inside = container();
    (void)co_await execute("POST", path(kind),
                           R"({"apiVersion":"apps/v1","kind":")" + kind.kind + R"(","metadata":{"name":")" + name +
                               "\"" + annotations +
                               R"(,"spec":{"selector":{"matchLabels":{"app":"a"}},"serviceName":"a",)"
                               R"("template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[)" +
                               inside + "]}}}}");
}

asio::awaitable<void> users::change_workload(const resource_type& kind, std::string name)
{
    static constexpr std::array<const char*, 4> words{"\"true\"", "\"false\"", "\"perhaps\"", "null"};
    const auto at = path(kind, name);
    switch (below(random_, 8)) {
    case 0: {
        const auto inside = container();
        (void)co_await execute("PATCH", at, R"({"spec":{"template":{"spec":{"containers":[)" + inside + "]}}}}");
        break;
    }
    case 1:
        (void)co_await execute("PATCH", at,
                               in_metadata(annotation(marks::reload, words[below(random_, words.size())])));
        break;
    case 2:
        (void)co_await execute("PATCH", at, in_metadata(annotation(marks::reload, words[0])));
        break;
    case 3:
        co_await set_back(kind, std::move(name));
        break;
    case 4: // like a replace without the marks
        if (one_in(random_, 2)) (void)co_await execute("PATCH", at, in_template(annotation(marks::checksum, "null")));
        (void)co_await execute("PATCH", at, in_metadata(annotation(marks::applied, "null")));
        break;
    default: // like frequent writes of its controller
        (void)co_await execute("PATCH", at,
                               in_metadata(R"({"labels":{"x":")" + std::to_string(below(random_, 1000)) + "\"}}"));
    }
}

/// Like `kubectl rollout undo`: the template gets an older mark, that of the workload stays.
asio::awaitable<void> users::set_back(const resource_type& kind, std::string name)
{
    const auto now = co_await server_->execute("GET", path(kind, name));
    if (!now) co_return;
    const auto workload = object::parse(*now);
    if (!workload) co_return;
    // A mark that becomes right when the content returns to its state, or one that never existed.
    const auto older = std::string(workload->annotations()["older"].as_string("never-was"));
    const auto current = std::string(marks::last_applied(*workload, template_of(*workload)));
    (void)co_await execute("PATCH", path(kind, name), in_metadata(annotation("older", "\"" + current + "\"")));
    (void)co_await execute("PATCH", path(kind, name), in_template(annotation(marks::checksum, "\"" + older + "\"")));
}

std::string users::content_name() { return "c" + std::to_string(below(random_, content_names)); }

std::string users::content_members()
{
    static constexpr std::array<const char*, 3> values{"\"MQ==\"", "\"Mg==\"", "null"};
    std::string out = R"("data":{"a":)" + std::string(values[below(random_, values.size())]);
    out += R"(,"b":)" + std::string(values[below(random_, values.size())]) + "}";
    return out;
}

std::string users::container()
{
    std::string from;
    for (auto n = below(random_, 4); n > 0; --n) {
        const bool secret = one_in(random_, 2);
        from += std::string(from.empty() ? "" : ",") + (secret ? R"({"secretRef":{)" : R"({"configMapRef":{)");
        from += R"("name":")" + content_name() + "\"";
        if (one_in(random_, 3)) from += R"(,"optional":true)";
        from += "}}";
    }
    return R"({"name":"main","image":"example.com/a","envFrom":[)" + from + "]}";
}

std::string users::path(const resource_type& resource, const std::string& name) const
{
    return resource.path_prefix() + "/namespaces/" + ns_ + "/" + resource.plural + (name.empty() ? "" : "/" + name);
}

asio::awaitable<result<std::string>> users::execute(std::string method, std::string at, std::string body)
{
    notes_->note("user", method + " " + at + " " + body);
    auto done = co_await server_->execute(std::move(method), std::move(at), std::move(body));
    if (!done && done.error() != cond::not_found && done.error() != cond::already_exists)
        notes_->broken("user", done.error().describe());
    co_return done;
}

} // namespace kubecoro::simulation
