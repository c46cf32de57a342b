#include "roaming_informer.hpp"

#include "operations.hpp"

#include <kubecoro/api/untyped.hpp>

#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

namespace {

constexpr auto definition = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"gadgets.sim.example.com"},
"spec":{"group":"sim.example.com","scope":"Namespaced","names":{"plural":"gadgets","singular":"gadget","kind":"Gadget","listKind":"GadgetList"},
"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
constexpr auto definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string state_of(const object& o) { return std::string(o.uid()) + "@" + std::string(o.resource_version()); }

} // namespace

resource_type roaming_informer::gadgets() { return {"sim.example.com", "v1", "gadgets", "Gadget", true}; }

roaming_informer::roaming_informer(informer_factory& informers, apiserver::embedded_server& server,
                                   const server_history& pods, testing::runner& runner, journal& notes,
                                   std::uint64_t seed)
    : server_(&server),
      real_pods_(&pods),
      runner_(&runner),
      notes_(&notes),
      random_(seed),
      pods_(informers.get(untyped::pod::resource(), {.namespaces = {"a"}, .label = "roaming"})),
      gadgets_(informers.get(gadgets()))
{
    pods_.add_event_handler(listener("roaming pods", told_pods_));
    gadgets_.add_event_handler(listener("gadgets", told_gadgets_));
}

asio::awaitable<result<>> roaming_informer::prepare()
{
    co_await execute("POST", definitions, definition);
    defined_ = true;
    co_return result<>{};
}

event_handler<object> roaming_informer::listener(const char* name, told& state)
{
    const auto wrong = [this, name](const char* what, const object& o) {
        notes_->broken(name, std::string(what) + " " + brief(o));
    };
    return {.on_add =
                [this, name, wrong, &state](const added<object>& e) {
                    notes_->note(name, "added " + brief(e.obj));
                    if (!state.emplace(object_key(e.obj.key()), state_of(e.obj)).second) wrong("added twice:", e.obj);
                },
            .on_update =
                [this, name, wrong, &state](const updated<object>& e) {
                    notes_->note(name, "updated " + brief(e.after));
                    const auto at = state.find(object_key(e.after.key()));
                    if (at == state.end() || at->second != state_of(e.before)) return wrong("updated", e.after);
                    at->second = state_of(e.after);
                },
            .on_delete =
                [this, name, wrong, &state](const deleted<object>& e) {
                    notes_->note(name, "deleted " + brief(e.obj) + " " + std::string(to_string(e.why)));
                    if (state.erase(object_key(e.obj.key())) == 0) wrong("a deletion of an unknown object:", e.obj);
                }};
}

asio::awaitable<void> roaming_informer::execute(std::string method, std::string at, std::string body)
{
    notes_->note("roaming informer", method + " " + at);
    const auto done = co_await server_->execute(std::move(method), std::move(at), std::move(body));
    // A random choice: the object may exist already, or no longer.
    if (!done && done.error() != cond::not_found && done.error() != cond::already_exists)
        notes_->broken("roaming informer", done.error().describe());
}

asio::awaitable<result<>> roaming_informer::one()
{
    ++changes_;
    const std::string object = "g" + std::to_string(below(random_, 4));
    const std::string collection = "/apis/sim.example.com/v1/namespaces/a/gadgets";
    switch (below(random_, 8)) {
    case 0:
        if (defined_)
            co_await execute("DELETE", std::string(definitions) + "/gadgets.sim.example.com");
        else
            co_await execute("POST", definitions, definition);
        defined_ = !defined_;
        break;
    case 1:
    case 2:
    case 3: {
        std::string body =
            R"({"apiVersion":"sim.example.com/v1","kind":"Gadget","metadata":{"name":")" + object + "\"}}";
        co_await execute("POST", collection, std::move(body));
        break;
    }
    case 4:
        co_await execute("DELETE", collection + "/" + object);
        break;
    default:
        move();
    }
    co_return result<>{};
}

void roaming_informer::move()
{
    const auto& all = operations::namespaces();
    const auto ns = all[below(random_, all.size())];
    switch (below(random_, 4)) {
    case 0:
        covered_.insert(ns);
        moves_.push_back(runner_->spawn(pods_.add_namespace(ns)));
        break;
    case 1:
        covered_.erase(ns);
        moves_.push_back(runner_->spawn(pods_.remove_namespace(ns)));
        break;
    case 2:
        covered_ = {""};
        moves_.push_back(runner_->spawn(pods_.set_namespaces({""})));
        break;
    default:
        covered_.clear();
        for (const auto& n : all)
            if (one_in(random_, 2)) covered_.insert(n);
        moves_.push_back(runner_->spawn(pods_.set_namespaces({covered_.begin(), covered_.end()})));
    }
    notes_->note("roaming informer", "covers " + std::to_string(covered_.size()));
    // Sometimes the wait is cancelled; the change stays.
    if (one_in(random_, 5)) runner_->cancel_after(below(random_, 30), moves_.back(), asio::cancellation_type::terminal);
}

std::string roaming_informer::compare(const char* name, const shared_informer<object>& informer, const told& state,
                                      const told& real) const
{
    told stored;
    for (const auto& o : informer.lister().list()) stored.emplace(object_key(o.key()), state_of(o));
    if (stored != real)
        return std::string(name) + " store " + std::to_string(stored.size()) + " objects, not the server's " +
               std::to_string(real.size());
    if (state != real) return std::string(name) + " were notified of other objects";
    return {};
}

std::string roaming_informer::unsettled()
{
    for (const auto& m : moves_)
        if (!m.done()) return "a change of the namespaces has not ended";
    moves_.clear();
    told pods;
    for (const auto& [key, o] : real_pods_->objects())
        if (covered_.contains("") || covered_.contains(key.ns)) pods.emplace(key, state_of(o));
    if (auto d = compare("roaming pods", pods_, told_pods_, pods); !d.empty()) return d;
    return compare("gadgets", gadgets_, told_gadgets_, real_gadgets().value_or(told()));
}

std::optional<roaming_informer::told> roaming_informer::real_gadgets() const
{
    if (!defined_) return std::nullopt;
    told real;
    const auto listed = runner_->run(server_->objects("gadgets.sim.example.com"));
    if (!listed) notes_->broken("gadgets", listed.error().describe());
    if (!listed) return real;
    for (const auto& text : *listed) {
        const auto o = object::parse(text);
        real.emplace(object_key(o->key()), state_of(*o));
    }
    return real;
}

} // namespace kubecoro::simulation
