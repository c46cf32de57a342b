// `kubecoro describe`: all of an object, and its events.
#include "verbs/verbs.hpp"

#include "print/describe.hpp"
#include "print/json_lines.hpp"
#include "print/sort.hpp"
#include "select/fetch.hpp"
#include "select/objects_of.hpp"

#include <kubecoro/api/selector.hpp>
#include <kubecoro/api/untyped.hpp>

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct describe_flags
{
    object_flags objects = {};
    bool without_events = false;
};

result<> check_describe(describe_flags& f) { return check(f.objects, bare_type::all); }

std::string event_time(const json::value& e)
{
    for (const char* name : {"lastTimestamp", "eventTime"})
        if (auto text = text_member(e, {name}); !text.empty()) return text;
    return text_member(e, {"metadata", "creationTimestamp"});
}

/// The events of an object, oldest first. Cluster-scoped objects have theirs in namespace default.
asio::awaitable<result<json::array>> events_of(const client& api, const json::value& object)
{
    list_options options;
    options.limit = 500;
    auto ns = text_member(object, {"metadata", "namespace"});
    options.field_selector =
        field_selector({{"involvedObject.uid", true, text_member(object, {"metadata", "uid"})}}).to_string();
    if (ns.empty()) ns = "default";
    auto page = co_await api.list(untyped::event::resource(), ns, options);
    if (!page) co_return page.error();
    std::vector<json::value> events;
    for (const auto& e : page->items) events.push_back(e.to_json());
    std::stable_sort(events.begin(), events.end(),
                     [](const auto& a, const auto& b) { return event_time(a) < event_time(b); });
    co_return json::array(events.begin(), events.end());
}

asio::awaitable<result<>> describe(std::shared_ptr<describe_flags> f, verb_context context)
{
    problems wrong(context);
    auto found = co_await locate(f->objects, context, wrong);
    if (!found) co_return found.error();
    const auto& api = found->api;
    fetch_options options;
    options.selected = f->objects.scope.selected();
    bool first = true;
    for (const auto& t : found->targets) {
        auto objects = co_await fetch_objects(api, t, options, context, wrong);
        if (!objects) {
            wrong.add(objects.error());
            continue;
        }
        for (const auto& o : *objects) {
            json::array events;
            if (!f->without_events) {
                context.doing("reading events");
                auto read = co_await events_of(api, o);
                if (read)
                    events = std::move(*read);
                else
                    wrong.add(read.error().because("the events could not be read"));
            }
            if (!first) context.print("\n\n");
            first = false;
            context.print(describe_object(o, events));
        }
    }
    if (first && wrong.outcome()) context.note("No resources found");
    co_return wrong.outcome();
}

} // namespace

verb add_describe(CLI::App& app)
{
    auto f = std::make_shared<describe_flags>();
    auto* sub = app.add_subcommand("describe", "Show all of an object, and its events");
    sub->add_flag("--no-events", f->without_events, "Without events");
    add_object_flags(*sub, f->objects, bare_type::all);
    return make_verb("describe", f, check_describe, describe);
}

} // namespace kubecoro::tool
