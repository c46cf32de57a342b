// `kubecoro explain`: what fields mean, by the server's OpenAPI documents.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "print/explain.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/client/discovery.hpp>

#include <boost/json/parse.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t deepest = 200;

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

/// The document with the schemas of a resource.
asio::awaitable<result<json::value>> schemas_of(const client& api, const resource_type& type)
{
    auto index = co_await list_openapi(api);
    if (!index) co_return index.error();
    const std::string name = type.path_prefix().substr(1);
    const auto found = std::find_if(index->begin(), index->end(), [&](const auto& d) { return d.name == name; });
    if (found == index->end())
        co_return failure(cond::not_found, "the server publishes no schemas of " + printable(type.api_version()));
    auto text = co_await get_openapi(api, *found);
    if (!text) co_return text.error();
    json::parse_options limits;
    limits.max_depth = deepest;
    boost::system::error_code ec;
    auto document = json::parse(*text, ec, {}, limits);
    if (ec) co_return failure(cond::corrupt, "the schemas are not JSON").with_request("GET", found->target);
    co_return document;
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
    auto document = co_await schemas_of(*api, *type);
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
