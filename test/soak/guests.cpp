#include "guests.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/timeout.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>
#include <utility>

namespace soak {

namespace asio = boost::asio;
using namespace kubecoro;
using namespace std::chrono_literals;
using untyped::config_map;
using untyped::pod;

namespace {

constexpr auto patience = 10s;

shared_informer<object> any_informer(house& h, dice& d)
{
    const auto all = h.home.informers();
    return all[d.below(all.size())];
}

std::string any_team(dice& d) { return "team-" + std::to_string(d.below(teams)); }

label_selector of_team(const std::string& team) { return label_selector::parse("team=" + team).value(); }

asio::awaitable<void> rest_a_little(const added<object>&) { co_await asio::post(asio::use_awaitable); }

asio::awaitable<result<>> handler_visit(house& h, dice& d)
{
    std::size_t heard = 0;
    const auto informer = any_informer(h, d);
    event_handler<object> handler{.on_add = rest_a_little,
                                  .on_update = [&heard](const updated<object>&) { ++heard; },
                                  .executor = h.executor,
                                  .concurrency = 1 + d.below(4)};
    handler_options o;
    o.max_pending = 64;
    o.name = d.below(2) == 0 ? "" : "guest";
    const auto place = informer.add_event_handler(std::move(handler), std::move(o));
    auto synced = co_await with_timeout(*real_clock(), patience, "join", place.has_synced());
    auto gone = co_await place.removed();
    co_return synced ? gone : synced;
}

/// Takes its first events, or some of them.
asio::awaitable<result<>> read_some(subscription<object>& events, std::size_t batches)
{
    for (std::size_t i = 0; i < batches && !events.synced(); ++i)
        if (!co_await events.pop()) co_return events.end_reason();
    co_return result<>();
}

asio::awaitable<result<>> subscription_visit(house& h, dice& d)
{
    handler_options o;
    o.max_pending = 16;
    o.filter = [team = any_team(d)](const object& pod) { return pod.labels()["team"].as_string() == team; };
    auto events = any_informer(h, d).subscribe(std::move(o));
    co_return co_await with_timeout(*real_clock(), 1s, "read", read_some(events, d.below(20)));
}

/// Somebody who waits for what often does not come.
asio::awaitable<result<>> wait_visit(house& h, dice& d)
{
    const auto informer = any_informer(h, d);
    const auto there = informer.lister().list(of_team(any_team(d)));
    if (there.empty()) co_return result<>();
    object_key key(there[d.below(there.size())].key());
    auto seen = co_await informer.wait_for(key, conditions::deleted(), 200ms);
    // Its namespace may have left between the look and the wait.
    if (!seen && seen.error() != cond::misconfigured) co_return seen.error();
    co_return result<>();
}

asio::awaitable<result<>> own_write_visit(house& h, dice& d)
{
    const std::string ns = namespace_name(d.below(namespaces));
    const auto there = h.home.maps.lister().list(label_selector(), ns);
    if (there.empty()) co_return result<>();
    const std::string name(there[d.below(there.size())].name());
    const std::string text = R"({"data":{"fixed":")" + d.word(500) + "\"}}";
    auto written = co_await h.api.patch(config_map::resource(), ns, name, patch_kind::merge, text);
    if (!written) co_return written.error();
    h.home.own_maps.written(*written);
    KUBECORO_TRY(
        co_await with_timeout(*real_clock(), patience, "see a write",
                              h.home.maps.lister().get_after({ns, name}, std::string(written->resource_version()))));
    if (d.below(4) == 0) static_cast<void>(h.home.own_maps.list_in(ns));
    co_return result<>();
}

asio::awaitable<result<>> reader_visit(house& h, dice& d)
{
    const auto informer = any_informer(h, d);
    std::size_t bytes = 0;
    for (const auto& o : informer.lister().list(of_team(any_team(d))))
        bytes += o["spec"]["nodeName"].as_string().size();
    const std::string node = "node-" + std::to_string(d.below(100));
    for (const auto& o : h.home.pods.lister().by_index("node", node)) bytes += o.to_text().size();
    static_cast<void>(informer.stats());
    bytes += informer.describe().size();
    if (bytes == 0) co_return failure(cond::corrupt, "nothing to read");
    co_return result<>();
}

asio::awaitable<result<>> namespace_visit(house& h, dice& d)
{
    co_return co_await with_timeout(*real_clock(), patience, "change namespaces",
                                    h.home.packed_pods.set_namespaces(half_of_the_namespaces(d.below(namespaces))));
}

/// A part of the program that has informers of its own for a while.
asio::awaitable<result<>> factory_visit(house& h, dice& d)
{
    auto settings = busy_days(d.below(1000), h.cycle_seconds);
    settings.executor = h.executor;
    informer_factory informers(h.api, std::move(settings));
    informer_options o;
    o.label_selector = "team=" + any_team(d);
    if (d.below(2) == 0) o.storage.policy = storage::compressed;
    const auto some = informers.get<pod>(o);
    const auto again = informers.get<pod>(o);
    informers.start();
    auto synced = co_await with_timeout(*real_clock(), patience, "sync", some.has_synced());
    auto first = co_await informers.release(again);
    auto last = co_await informers.release(some);
    auto stopped = co_await informers.stop();
    if (!synced) co_return synced;
    if (!first) co_return first;
    co_return last ? stopped : last;
}

asio::awaitable<result<action>> look_away(const object_key&, reconcile_context&) { co_return action::done(); }

asio::awaitable<result<>> controller_visit(house& h, dice& d)
{
    controller_options o;
    o.workers = 1 + d.below(4);
    controller<object> c(h.executor, look_away, std::move(o));
    c.watch(any_informer(h, d), enqueue_object());
    c.start();
    auto ready = co_await with_timeout(*real_clock(), patience, "start a controller", c.ready());
    auto stopped = co_await c.stop();
    co_return ready ? stopped : ready;
}

/// True for failures that an unreachable, refusing or restarted cluster may cause, and for a wait whose namespace was removed.
bool part_of_the_game(const failure& f)
{
    for (const auto c : {cond::cancelled, cond::unreachable, cond::timed_out, cond::not_found, cond::conflict,
                         cond::retry_later, cond::expired})
        if (f == c) return true;
    return false;
}

} // namespace

std::vector<std::unique_ptr<guest>> all_guests()
{
    const std::vector<std::pair<const char*, decltype(guest::visit)>> kinds{
        {"handlers", handler_visit},  {"subscriptions", subscription_visit},
        {"waits", wait_visit},        {"own writes", own_write_visit},
        {"readers", reader_visit},    {"namespaces", namespace_visit},
        {"factories", factory_visit}, {"controllers", controller_visit}};
    std::vector<std::unique_ptr<guest>> out;
    for (const auto& [name, visit] : kinds) {
        out.push_back(std::make_unique<guest>());
        out.back()->name = name;
        out.back()->visit = visit;
    }
    return out;
}

asio::awaitable<void> keep_visiting(house& h, guest& g, std::uint64_t seed)
{
    dice d(seed);
    while (!h.closing) {
        auto outcome = co_await g.visit(h, d);
        if (!outcome && !part_of_the_game(outcome.error()))
            throw std::runtime_error(g.name + ": " + outcome.error().describe());
        ++g.visits;
        static_cast<void>(co_await sleep_for(*real_clock(), std::chrono::milliseconds(100 + d.below(400))));
    }
}

} // namespace soak
