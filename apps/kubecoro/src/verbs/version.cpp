// `kubecoro version`: the versions of the tool and of the server.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "print/objects.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/client/discovery.hpp>

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct version_flags
{
    cluster_flags cluster = {};
    bool client_only = false;
    std::string format = {};
};

result<> check_version(version_flags& f) { return check(f.cluster); }

json::object members_of(const server_version& v)
{
    return {{"major", v.major}, {"minor", v.minor}, {"gitVersion", v.git_version}, {"platform", v.platform}};
}

/// @param server  Null if there is nothing to say of it.
void print_version(const server_version* server, const version_flags& f, const verb_context& context)
{
    if (!f.format.empty()) {
        output_format format;
        format.kind = f.format == "yaml" ? output_kind::yaml : output_kind::json;
        json::object versions{{"clientVersion", json::object{{"name", "kubecoro"}, {"version", KUBECORO_VERSION}}}};
        if (server) versions["serverVersion"] = members_of(*server);
        context.print(document_text(versions, format, context.terminal));
        return;
    }
    context.line("client: kubecoro " KUBECORO_VERSION);
    if (server) context.line("server: " + printable(server->git_version) + " (" + printable(server->platform) + ")");
}

asio::awaitable<result<>> version(std::shared_ptr<version_flags> f, verb_context context)
{
    if (f->client_only) {
        print_version(nullptr, *f, context);
        co_return result<>();
    }
    auto api = connect(f->cluster, context);
    if (!api) co_return api.error();
    context.doing("asking the server for its version");
    auto server = co_await get_server_version(*api);
    print_version(server ? &*server : nullptr, *f, context);
    if (!server) co_return server.error();
    co_return result<>();
}

} // namespace

verb add_version(CLI::App& app)
{
    auto f = std::make_shared<version_flags>();
    auto* sub = app.add_subcommand("version", "Show the versions of this tool and of the server");
    sub->add_flag("--client", f->client_only, "This tool only; asks no server");
    sub->add_option("-o,--output", f->format, "json or yaml")->check(CLI::IsMember({"json", "yaml"}));
    add_cluster_flags(*sub, f->cluster);
    return make_verb("version", f, check_version, version);
}

} // namespace kubecoro::tool
