// `kubecoro scale`: changes the number of replicas.
#include "verbs/verbs.hpp"

#include "cli/write_flags.hpp"
#include "select/objects_of.hpp"

#include <kubecoro/client/subresources.hpp>

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct scale_flags
{
    object_flags objects = {};
    write_flags write = {};
    std::uint32_t replicas = 0;
    std::optional<std::int64_t> current = {};
};

result<> check_scale(scale_flags& f) { return check(f.objects, bare_type::selected); }

asio::awaitable<result<>> scale(std::shared_ptr<scale_flags> f, verb_context context)
{
    problems wrong(context);
    auto found = co_await locate(f->objects, context, wrong);
    if (!found) co_return found.error();
    auto objects = co_await objects_of(found->api, std::move(found->targets), f->objects.scope);
    if (!objects) co_return objects.error();
    if (objects->empty() && wrong.outcome()) co_return failure(cond::not_found, "no object is selected");
    scale_options options;
    options.only_from = f->current;
    options.write = f->write.options();
    for (const auto& o : *objects) {
        context.doing("scaling " + o.shown());
        auto scaled = co_await set_scale(found->api, o.which.type, o.which.ns, o.which.name, f->replicas, options);
        if (!scaled && scaled.error() == cond::cancelled) co_return scaled.error();
        if (scaled)
            context.line(o.shown() + " scaled" + std::string(f->write.dry_run.note()));
        else
            wrong.add(scaled.error().because(o.shown()));
    }
    co_return wrong.outcome();
}

} // namespace

verb add_scale(CLI::App& app)
{
    auto f = std::make_shared<scale_flags>();
    auto* sub = app.add_subcommand("scale", "Change the number of replicas");
    sub->add_option("--replicas", f->replicas, "The number wanted")->required();
    sub->add_option("--current-replicas", f->current, "Only if there are that many now");
    f->write.add_to(*sub, false);
    add_object_flags(*sub, f->objects, bare_type::selected);
    return make_verb("scale", f, check_scale, scale);
}

} // namespace kubecoro::tool
