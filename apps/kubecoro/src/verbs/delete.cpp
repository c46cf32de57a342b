// `kubecoro delete`: deletes objects and waits until they are gone.
#include "verbs/verbs.hpp"

#include "cli/duration_text.hpp"
#include "cli/write_flags.hpp"
#include "select/objects_of.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/client/writing.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct delete_flags
{
    object_flags objects = {};
    bool wait = true;
    bool now = false;
    bool force = false;
    dry_run_flag dry_run = {};
    std::string timeout_text = {};
    std::optional<unsigned> grace_period = {};
    deletion_propagation cascade = deletion_propagation::background;
    /// Parsed by check_delete().
    duration timeout = {};
};

result<> check_delete(delete_flags& f)
{
    if (f.force) f.grace_period = f.grace_period.value_or(0);
    if (f.now && f.grace_period)
        return failure(cond::invalid, "--now cannot be combined with --grace-period or --force");
    if (f.now) f.grace_period = 1;
    if (!f.timeout_text.empty()) {
        auto timeout = parse_duration(f.timeout_text);
        if (!timeout) return timeout.error().because("--timeout");
        f.timeout = *timeout;
    }
    return check(f.objects, bare_type::selected);
}

delete_options options_for(const delete_flags& f, const found_object& o)
{
    delete_options out;
    out.dry_run = f.dry_run.on();
    if (f.grace_period) out.grace_period = std::chrono::seconds(*f.grace_period);
    out.propagation = f.cascade;
    // Deletes the object that was listed, not one that has taken its name since.
    out.uid = o.uid;
    return out;
}

/// 0 = none. The time is for all objects together; each is looked at once even when it is over.
duration time_left(const delete_flags& f, time_point end)
{
    if (f.timeout == duration::zero()) return f.timeout;
    return std::max<duration>(end - real_clock()->now(), std::chrono::milliseconds{100});
}

asio::awaitable<result<>> wait_for_all(const client& api, const std::vector<found_object>& deleted,
                                       const delete_flags& f, const verb_context& context, problems& wrong)
{
    const auto end = real_clock()->now() + f.timeout;
    for (const auto& o : deleted) {
        context.doing("waiting until " + o.shown() + " is gone");
        object_key key(o.which.ns, o.which.name);
        auto gone = co_await wait_until_gone(api, o.which.type, std::move(key), o.uid, time_left(f, end));
        if (!gone && gone.error() == cond::cancelled) co_return gone.error();
        if (!gone) wrong.add(gone.error().because(o.shown() + " is deleted, but not gone"));
    }
    co_return result<>();
}

asio::awaitable<result<>> run_delete(std::shared_ptr<delete_flags> f, verb_context context)
{
    problems wrong(context);
    KUBECORO_TRY(auto found, co_await locate(f->objects, context, wrong));
    auto objects = co_await objects_of(found.api, std::move(found.targets), f->objects.scope);
    if (!objects) co_return objects.error();
    // Objects may depend on those before them in a file.
    if (!f->objects.files.names.empty()) std::reverse(objects->begin(), objects->end());
    std::vector<found_object> deleted;
    for (auto& o : *objects) {
        context.doing("deleting " + o.shown());
        auto gone = co_await found.api.remove(o.which.type, o.which.ns, o.which.name, options_for(*f, o));
        if (!gone && gone.error() == cond::cancelled) co_return gone.error();
        if (!gone) {
            if (!f->objects.ignore_not_found || gone.error() != cond::not_found) wrong.add(gone.error());
            continue;
        }
        context.line(o.shown() + " deleted" + std::string(f->dry_run.note()));
        if (o.uid.empty()) o.uid = removed_uid(*gone);
        deleted.push_back(std::move(o));
    }
    if (objects->empty() && wrong.outcome()) context.note("No resources found");
    if (f->wait && !f->dry_run.on()) {
        KUBECORO_TRY(co_await wait_for_all(found.api, deleted, *f, context, wrong));
    }
    co_return wrong.outcome();
}

void add_how(CLI::App& sub, delete_flags& f)
{
    static const std::map<std::string, deletion_propagation> ways{{"background", deletion_propagation::background},
                                                                  {"foreground", deletion_propagation::foreground},
                                                                  {"orphan", deletion_propagation::orphan}};
    sub.add_option("--cascade", f.cascade, "Dependents: background, foreground (first), orphan (kept)")
        ->transform(CLI::Transformer(ways).description("background|foreground|orphan"));
    sub.add_option("--grace-period", f.grace_period, "Seconds until the object goes; default: its own");
    sub.add_flag("--now", f.now, "A grace period of 1 s");
    sub.add_flag("--force", f.force, "A grace period of 0: does not wait for the node");
    sub.add_flag("--wait,!--no-wait", f.wait, "Wait until the objects are gone (default); --no-wait does not");
    sub.add_option("--timeout", f.timeout_text, "Longest wait, such as 30s; default: none");
    f.dry_run.add_to(sub);
}

} // namespace

verb add_delete(CLI::App& app)
{
    auto f = std::make_shared<delete_flags>();
    auto* sub = app.add_subcommand("delete", "Delete objects, and wait until they are gone");
    add_how(*sub, *f);
    add_object_flags(*sub, f->objects, bare_type::selected);
    add_ignore_flag(*sub, f->objects);
    return make_verb("delete", f, check_delete, run_delete);
}

} // namespace kubecoro::tool
