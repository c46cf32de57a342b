// `kubecoro apply`: server-side apply of files.
#include "verbs/verbs.hpp"

#include "cli/object_flags.hpp"
#include "cli/write_flags.hpp"
#include "print/json_lines.hpp"
#include "print/objects.hpp"
#include "select/objects_of.hpp"

#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/apply.hpp>
#include <kubecoro/client/manifests.hpp>

#include <CLI/CLI.hpp>

#include <functional>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct apply_flags
{
    cluster_flags cluster = {};
    write_flags write = {};
    detail::file_flags files = {};
    bool force = false;
    bool server_side = true;
};

result<> check_apply(apply_flags& f)
{
    if (f.files.names.empty()) return failure(cond::invalid, "-f names the files to apply");
    if (auto sound = f.write.parse(); !sound) return sound;
    return check(f.cluster);
}

/// "configmap/settings", or the kind as it was given if the server does not have it.
std::string shown(const applied_manifest& one)
{
    const auto type = one.type.kind.empty() ? text_member(one.wanted, {"kind"}) : type_prefix(one.type);
    return object_name(type, text_member(one.wanted, {"metadata", "name"}));
}

/// Adds the object, and who else owns which fields.
failure explained(const applied_manifest& one)
{
    const auto& why = one.stored.error();
    const auto conflicts = apply_conflicts(why);
    if (conflicts.empty()) return why.because(shown(one));
    std::string words = shown(one) + " has fields of others; --force-conflicts takes them over";
    for (const auto& c : conflicts) words += "\n  " + printable(c.field, 200) + ": " + printable(c.message, 200);
    return why.because(words);
}

/// Takes out the objects that -n excludes.
asio::awaitable<std::vector<json::value>> of_namespace(client api, std::vector<json::value> objects,
                                                       const cluster_flags& cluster, problems& wrong)
{
    std::vector<json::value> out;
    for (auto& o : objects) {
        const auto same = co_await check_namespace(api, o, cluster);
        if (same)
            out.push_back(std::move(o));
        else
            wrong.add(same.error());
    }
    co_return out;
}

write_options options_for(const apply_flags& f)
{
    write_options out;
    out.field_manager = f.write.field_manager;
    out.force = f.force;
    out.dry_run = f.write.dry_run.on();
    out.validation = f.write.validation;
    return out;
}

asio::awaitable<result<>> apply(std::shared_ptr<apply_flags> f, verb_context context)
{
    KUBECORO_TRY(auto objects, read_manifests(f->files));
    if (objects.empty()) co_return failure(cond::invalid, "the files have no objects");
    KUBECORO_TRY(auto api, connect(f->cluster, context));
    problems wrong(context);
    auto kept = co_await of_namespace(api, std::move(objects), f->cluster, wrong);
    written_objects written(f->write, context);
    const std::size_t all = kept.size();
    std::size_t done = 0;
    const auto doing = [&] {
        context.doing("applying objects: " + std::to_string(done) + " of " + std::to_string(all));
    };
    const std::function<bool(const applied_manifest&)> report = [&](const applied_manifest& one) {
        if (one.stored)
            written.add(one.type, *one.stored);
        else
            wrong.add(explained(one));
        ++done;
        doing();
        return true;
    };
    doing();
    KUBECORO_TRY(co_await apply_each(api, std::move(kept), options_for(*f), f->cluster.ns, report));
    written.finish();
    co_return wrong.outcome();
}

} // namespace

verb add_apply(CLI::App& app)
{
    auto f = std::make_shared<apply_flags>();
    auto* sub = app.add_subcommand("apply", "Create or change objects as files say, by server-side apply");
    add_file_flags(*sub, f->files);
    sub->add_flag("--force-conflicts", f->force, "Take fields over from other managers");
    sub->add_flag("--server-side", f->server_side, "Always so; accepted for kubectl's sake");
    f->write.add_to(*sub);
    add_namespace_flag(*sub, f->cluster);
    add_cluster_flags(*sub, f->cluster);
    return make_verb("apply", f, check_apply, apply);
}

} // namespace kubecoro::tool
