// `kubecoro api-resources`: the resources that the server serves.
#include "verbs/verbs.hpp"

#include "cli/cluster_flags.hpp"
#include "print/objects.hpp"
#include "print/text_table.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/client/discovery.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct api_resources_flags
{
    cluster_flags cluster = {};
    std::optional<std::string> group = {};
    std::optional<bool> namespaced = {};
    std::vector<std::string> verbs = {};
    std::vector<std::string> categories = {};
    std::string format = "table";
    std::string sort = {};
    bool no_headers = false;
};

bool contains_all(const std::vector<std::string>& have, const std::vector<std::string>& wanted)
{
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const auto& w) { return std::find(have.begin(), have.end(), w) != have.end(); });
}

bool is_wanted(const discovered_resource& r, const api_resources_flags& f)
{
    if (f.group && r.type.group != *f.group) return false;
    if (f.namespaced && r.type.namespaced != *f.namespaced) return false;
    return contains_all(r.verbs, f.verbs) && contains_all(r.categories, f.categories);
}

std::string joined(const std::vector<std::string>& words)
{
    std::string out;
    for (const auto& word : words) out += (out.empty() ? "" : ",") + word;
    return out;
}

/// Each resource once, in the version that the server prefers.
std::vector<discovered_resource> preferred(std::vector<discovered_resource> all, const api_resources_flags& f)
{
    std::set<std::pair<std::string, std::string>> seen;
    std::vector<discovered_resource> out;
    for (auto& r : all)
        if (seen.emplace(r.type.group, r.type.plural).second && is_wanted(r, f)) out.push_back(std::move(r));
    const auto by = [&](auto key) {
        std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    };
    if (f.sort == "name") by([](const discovered_resource& r) { return r.type.plural; });
    if (f.sort == "kind") by([](const discovered_resource& r) { return r.type.kind; });
    return out;
}

text_table table_of(const std::vector<discovered_resource>& resources, bool wide)
{
    text_table out;
    out.head = {"NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"};
    if (wide) out.head.insert(out.head.end(), {"VERBS", "CATEGORIES"});
    for (const auto& r : resources) {
        auto& row = out.rows.emplace_back(std::vector<std::string>{r.type.plural, joined(r.type.short_names),
                                                                   r.type.api_version(),
                                                                   r.type.namespaced ? "true" : "false", r.type.kind});
        if (wide) row.insert(row.end(), {joined(r.verbs), joined(r.categories)});
    }
    return out;
}

result<> check_api_resources(api_resources_flags& f) { return check(f.cluster); }

/// Groups without an answer: the others are shown, and the verb fails.
void report_missing(const std::vector<undiscovered_group>& groups, problems& wrong)
{
    for (const auto& g : groups)
        wrong.add(g.why.because("the resources of " + printable(g.group + "/" + g.version) + " are not known"));
}

asio::awaitable<result<>> api_resources(std::shared_ptr<api_resources_flags> f, verb_context context)
{
    auto api = connect(f->cluster, context);
    if (!api) co_return api.error();
    context.doing("asking the server for its resources");
    auto all = co_await discover(*api);
    if (!all) co_return all.error();
    problems wrong(context);
    report_missing(all->missing, wrong);
    const auto shown = preferred(std::move(all->resources), *f);
    if (f->format == "name") {
        text_table names;
        names.head = {"NAME"};
        for (const auto& r : shown) names.rows.push_back({r.type.display_name()});
        context.print(to_text(names, {.with_head = false}));
        co_return wrong.outcome();
    }
    table_style style;
    style.with_head = !f->no_headers;
    style.colours = context.colours;
    context.print(to_text(table_of(shown, f->format == "wide"), style));
    co_return wrong.outcome();
}

} // namespace

verb add_api_resources(CLI::App& app)
{
    auto f = std::make_shared<api_resources_flags>();
    auto* sub = app.add_subcommand("api-resources", "Show the resources that the server has");
    sub->add_option("--api-group", f->group, "Only this group; \"\" is the core group");
    sub->add_option("--namespaced", f->namespaced, "Only resources with namespaces (true) or without (false)");
    sub->add_option("--verbs", f->verbs, "Only resources with all of these verbs")->delimiter(',');
    sub->add_option("--categories", f->categories, "Only resources in all of these categories")->delimiter(',');
    sub->add_option("-o,--output", f->format, "table, wide or name")
        ->check(CLI::IsMember({"table", "wide", "name"}))
        ->capture_default_str();
    sub->add_option("--sort-by", f->sort, "name or kind; default: the server's order")
        ->check(CLI::IsMember({"name", "kind"}));
    sub->add_flag("--no-headers", f->no_headers, "Without the first line");
    add_cluster_flags(*sub, f->cluster);
    return make_verb("api-resources", f, check_api_resources, api_resources);
}

} // namespace kubecoro::tool
