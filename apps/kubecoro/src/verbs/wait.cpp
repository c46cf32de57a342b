// `kubecoro wait`: until objects meet a condition.
#include "verbs/verbs.hpp"

#include "cli/duration_text.hpp"
#include "select/condition_text.hpp"
#include "select/objects_of.hpp"

#include <kubecoro/base/try.hpp>
#include <kubecoro/client/writing.hpp>

#include <CLI/CLI.hpp>

namespace kubecoro::tool {

namespace asio = boost::asio;

namespace {

struct wait_flags
{
    object_flags objects = {};
    std::string condition_text = {};
    std::string timeout_text = "30s";
    // Parsed by check_wait().
    std::optional<wait_condition> condition = {};
    duration timeout = {};
};

result<> check_wait(wait_flags& f)
{
    auto condition = parse_wait_condition(f.condition_text);
    if (!condition) return condition.error();
    f.condition = std::move(*condition);
    auto timeout = parse_duration(f.timeout_text);
    if (!timeout) return timeout.error().because("--timeout");
    f.timeout = *timeout;
    if (auto sound = check(f.objects, bare_type::selected); !sound) return sound;
    for (const auto& w : f.objects.wanted)
        if (w.names.empty() && f.condition->kind == wait_kind::there)
            return failure(cond::invalid, "--for create needs names");
    return {};
}

/// A named object that does not exist is no reason to wait, unless its absence or creation is what is waited for.
asio::awaitable<result<>> check_presence(const client& api, const found_object& o, const wait_flags& f)
{
    if (f.condition->kind != wait_kind::state) co_return result<>();
    KUBECORO_TRY(co_await api.get(o.which.type, o.which.ns, o.which.name));
    co_return result<>();
}

asio::awaitable<result<>> until_met(const client& api, const found_object& o, const wait_flags& f, duration left,
                                    const verb_context& context)
{
    if (f.condition->kind == wait_kind::gone) {
        object_key key(o.which.ns, o.which.name);
        co_return co_await wait_until_gone(api, o.which.type, std::move(key), o.uid, left);
    }
    KUBECORO_TRY(co_await wait_for_object(api, o.which, f.condition->met, left, context));
    co_return result<>();
}

asio::awaitable<result<>> wait_for_one(const client& api, const found_object& o, const wait_flags& f, time_point end,
                                       const verb_context& context)
{
    context.doing("waiting for " + o.shown());
    KUBECORO_TRY(co_await check_presence(api, o, f));
    // The time is for all objects together; each is looked at once even when it is over.
    const auto left = std::max<duration>(end - real_clock()->now(), std::chrono::milliseconds{100});
    auto met = co_await until_met(api, o, f, left, context);
    if (!met) co_return met.error().because("waiting for " + o.shown());
    context.line(o.shown() + (f.condition->kind == wait_kind::gone ? " is gone" : " condition met"));
    co_return result<>();
}

asio::awaitable<result<>> wait(std::shared_ptr<wait_flags> f, verb_context context)
{
    const auto end = real_clock()->now() + f->timeout;
    problems wrong(context);
    KUBECORO_TRY(auto found, co_await locate(f->objects, context, wrong));
    KUBECORO_TRY(auto objects, co_await objects_of(found.api, std::move(found.targets), f->objects.scope));
    if (objects.empty() && wrong.outcome() && f->condition->kind != wait_kind::gone)
        co_return failure(cond::not_found, "no object is selected");
    for (const auto& o : objects) {
        auto waited = co_await wait_for_one(found.api, o, *f, end, context);
        if (!waited && waited.error() == cond::cancelled) co_return waited;
        if (!waited) wrong.add(waited.error());
    }
    co_return wrong.outcome();
}

} // namespace

verb add_wait(CLI::App& app)
{
    auto f = std::make_shared<wait_flags>();
    auto* sub = app.add_subcommand("wait", "Wait until objects meet a condition");
    sub->add_option("--for", f->condition_text,
                    "condition=TYPE[=STATUS], delete, create, or jsonpath=PATH[=VALUE]: condition=Ready")
        ->required();
    sub->add_option("--timeout", f->timeout_text, "Longest wait for all objects together; 0 looks once")
        ->capture_default_str();
    add_object_flags(*sub, f->objects, bare_type::selected);
    return make_verb("wait", f, check_wait, wait);
}

} // namespace kubecoro::tool
