// `kubecoro explain`: what fields mean, by the server's OpenAPI documents.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "print/explain.hpp"
#include "select/schemas.hpp"

#include <kubecoro/client/discovery.hpp>

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct explain_flags
{
    cluster_flags cluster = {};
    std::string path = {};
    std::string api_version = {};
    bool recursive = false;
};

std::vector<std::string> parts_of(const std::string& path)
{
    std::vector<std::string> out(1);
    for (const char c : path) {
        if (c == '.')
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

result<> check_explain(explain_flags& f)
{
    for (const auto& part : parts_of(f.path))
        if (part.empty()) return failure(cond::invalid, "expected TYPE or TYPE.FIELD.FIELD, not \"" + f.path + "\"");
    return check(f.cluster);
}

asio::awaitable<result<>> run_explain(std::shared_ptr<explain_flags> f, verb_context context)
{
    auto api = connect(f->cluster, context);
    if (!api) co_return api.error();
    auto parts = parts_of(f->path);
    context.doing("asking the server for its resources");
    auto type = co_await find_resource(*api, parts.front());
    if (!type) co_return type.error();
    if (!f->api_version.empty()) {
        const auto wanted = group_version::parse(f->api_version);
        type->group = wanted.group;
        type->version = wanted.version;
    }
    context.doing("asking the server for its schemas");
    auto document = co_await fetch_schemas(*api, *type);
    if (!document) co_return document.error();
    explained_kind kind;
    kind.group = type->group;
    kind.version = type->version;
    kind.kind = type->kind;
    parts.erase(parts.begin());
    auto text = explain(*document, kind, parts, f->recursive);
    if (!text) co_return text.error();
    context.print(*text);
    co_return result<>();
}

} // namespace

verb add_explain(CLI::App& app)
{
    auto f = std::make_shared<explain_flags>();
    auto* sub = app.add_subcommand("explain", "Show what the fields of a resource mean");
    sub->add_option("TYPE.FIELD", f->path, "A resource, or one of its fields: pods.spec.containers")->required();
    sub->add_option("--api-version", f->api_version, "Group and version: apps/v1; default: the server's choice");
    sub->add_flag("--recursive", f->recursive, "All fields below, without descriptions");
    add_cluster_flags(*sub, f->cluster);
    return make_verb("explain", f, check_explain, run_explain);
}

} // namespace kubecoro::tool
