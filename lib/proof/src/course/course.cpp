#include "course/course.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace kubecoro::testing::detail {
namespace {

constexpr duration start_time = std::chrono::seconds{5};
/// The longest pause of a user between two objects.
constexpr std::uint64_t longest_pause_ms = 400;
constexpr std::size_t most_differences = 5;
/// Requests of the operator from one change of the user to the next settled state: far more than a sound one sends.
constexpr std::size_t most_requests = 2'000;
/// The virtual time in which the state must be that of the run without faults: longer than the slowest backoff.
constexpr duration patience = std::chrono::minutes{30};
/// The virtual time for which the settled state of the run without faults is watched.
constexpr duration time_watched = std::chrono::hours{1};
constexpr const char* after_removal = "after the objects were deleted";

/// Objects by resource, so that the key's beginning is the resource.
std::string resource_of(const std::string& key) { return key.substr(0, key.find(' ')); }

/// Written by a live server alone.
bool is_played(const std::string& resource)
{
    static const std::set<std::string> played{
        "controllerrevisions.apps", "endpoints",       "endpointslices.discovery.k8s.io", "nodes", "pods",
        "replicasets.apps",         "serviceaccounts", "persistentvolumeclaims"};
    return played.contains(resource);
}

bool hands_over(const run_plan& plan)
{
    return std::any_of(plan.begin(), plan.end(), [](const auto& f) { return f.kind == fault_kind::handed_over; });
}

} // namespace

course::course(const scenario& about, run_plan plan, std::uint64_t seed, const reference_states* reference, bool traced)
    : about_(&about),
      options_(about.options),
      reference_(reference),
      plan_(plan),
      random_(seed),
      // A resync would repair what the operator has missed.
      world_(about, random_(), reference ? duration() : duration(options_->resync), hands_over(plan), traced),
      injector_(about, std::move(plan), world_)
{
    world_.set_master(injector_);
    world_.on_change([this] { check_invariant(); });
}

course_outcome course::run()
{
    if (options_->begin_run) options_->begin_run();
    if (const auto restored = world_.restore(); !restored) {
        broken(oracle::runs_well, "the cluster cannot be restored: " + restored.error().describe());
        return std::move(out_);
    }
    start();
    create_objects();
    out_.states.created = settle(reference_ ? &reference_->created : nullptr, "after the objects were created");
    if (!reference_) keep_made_objects();
    if (out_.broken.empty()) watch_calm();
    if (out_.broken.empty()) act_on_settled();
    remove_objects();
    out_.states.removed = settle(reference_ ? &reference_->removed : nullptr, after_removal);
    look_at_removed(out_.states.removed);
    look_at_answers();
    look_at_runs();
    look_at_lines();
    look_at_others();
    out_.requests = injector_.requests();
    out_.answered = injector_.answered();
    out_.trace = world_.notes().steps();
    return std::move(out_);
}

void course::broken(oracle which, std::string what)
{
    broken_promise b{which, std::move(what)};
    if (std::find(out_.broken.begin(), out_.broken.end(), b) != out_.broken.end()) return;
    world_.notes().note("BROKEN", std::string(to_string(which)) + ": " + b.what);
    out_.broken.push_back(std::move(b));
}

void course::start()
{
    first_dump_ = world_.dump();
    known_ = lines_of(first_dump_);
    others_ = state_of_others();
    world_.start_operator();
    (void)world_.advance(start_time);
}

void course::perform(std::string method, std::string path, std::string body, const std::string& words)
{
    world_.notes().note("user", words);
    world_.spawn([](course& self, std::string m, std::string p, std::string b,
                    std::string w) -> boost::asio::awaitable<result<>> {
        const auto done = co_await self.world_.server().execute(m, std::move(p), std::move(b));
        if (!done && m == "POST") self.out_.refused = w + ": " + done.error().describe();
        self.injector_.has_news();
        co_return result<>{};
    }(*this, std::move(method), std::move(path), std::move(body), words));
    injector_.has_news();
    (void)world_.advance(std::chrono::milliseconds(random_() % longest_pause_ms));
}

void course::create_objects()
{
    for (const auto& o : about_->objects) perform("POST", o.collection, o.body, "creates " + o.key);
}

void course::remove_objects()
{
    injector_.end_creation();
    const bool any_custom =
        std::any_of(about_->objects.begin(), about_->objects.end(), [](const auto& o) { return o.custom; });
    for (auto at = about_->objects.rbegin(); at != about_->objects.rend(); ++at)
        if (at->custom || !any_custom) perform("DELETE", at->path, {}, "deletes " + at->key);
}

bool course::is_quiet() const
{
    return world_.is_running() && !injector_.is_busy() && world_.now() - injector_.last_news() >= options_->settle;
}

bool course::counts(const std::string& key) const
{
    if (!options_->live || !reference_) return true;
    const auto resource = resource_of(key);
    return reference_->written.contains(resource) || !is_played(resource);
}

std::vector<seen_object> course::changed_objects() { return objects_of(world_.dump(), known_); }

masked_state course::picture(bool all)
{
    auto out = mask(changed_objects(), options_->ignored);
    if (!all) std::erase_if(out, [this](const auto& o) { return !counts(o.first); });
    return out;
}

masked_state course::settle(const masked_state* wanted, const std::string& phase)
{
    const auto begin = world_.now();
    const auto limit = injector_.informed_requests() + most_requests;
    auto pause = options_->settle;
    for (;;) {
        if (!world_.advance(pause)) {
            broken(oracle::converges, phase + ", something is busy for ever");
            return {};
        }
        const bool is_late = world_.now() - begin > patience;
        if (injector_.informed_requests() > limit) {
            broken(oracle::converges, phase + ", the operator sends more requests than the limit");
            return picture(false);
        }
        if (!is_quiet() && !is_late) continue;
        auto now = picture(false);
        if (!is_quiet()) {
            const bool runs = world_.is_running();
            broken(runs ? oracle::converges : oracle::runs_well,
                   phase + (runs ? ", the state does not settle" : ", the operator does not run"));
            return now;
        }
        auto expected = wanted ? *wanted : now;
        std::erase_if(expected, [this](const auto& o) { return !counts(o.first); });
        if (now == expected) return now;
        if (is_late) {
            compare(expected, now, phase);
            return now;
        }
        pause = std::min<duration>(pause * 2, patience / 4);
    }
}

void course::compare(const masked_state& wanted, const masked_state& found, const std::string& phase)
{
    for (const auto& [key, text] : found) {
        if (wanted.contains(key) || phase != after_removal) continue;
        const bool is_of_user = std::any_of(about_->objects.begin(), about_->objects.end(),
                                            [&wrong = key](const auto& o) { return o.key == wrong; });
        broken(is_of_user ? oracle::ends_finalizers : oracle::cleans_up, key + " is left when the objects are deleted");
    }
    if (!out_.broken.empty() && phase == after_removal) return;
    for (auto& d : differences(wanted, found, most_differences)) broken(oracle::converges, phase + ", " + d);
}

void course::watch_calm()
{
    const auto first = injector_.answered().size();
    const auto* const replica = world_.running_operator();
    const auto failed = replica ? replica->failed() : 0;
    // Other runs have no resyncs.
    const auto time = reference_ ? std::min<duration>(time_watched, 2 * options_->settle) : time_watched;
    world_.notes().note("check", "watches the settled state");
    injector_.enable(false);
    (void)world_.advance(time);
    injector_.enable(true);
    const auto& all = injector_.answered();
    std::size_t events = 0;
    for (auto i = first; i < all.size(); ++i) {
        const auto& t = all[i];
        if (!t.route.writes() || t.route.is_review() || t.route.resource == "leases") continue;
        if (t.route.resource == "events")
            ++events;
        else
            broken(oracle::stays_converged, "nothing changes, and the operator sends " + title_of(t.method, t.route));
    }
    constexpr std::size_t most_events = 12;
    if (events > most_events)
        broken(oracle::stays_converged, "nothing changes, and the operator records event after event");
    if (world_.running_operator() == replica && replica && replica->failed() > failed + 1)
        broken(oracle::runs_well, "nothing changes, and runs fail again and again");
}

void course::edit_and_back(const planned_fault& f)
{
    std::vector<std::pair<const user_object*, const spec_edit*>> all;
    for (const auto& o : about_->objects)
        for (const auto& e : o.edits) all.emplace_back(&o, &e);
    if (all.empty()) return;
    const auto& [object, edit] = all[f.draw % all.size()];
    perform("PATCH", object->path, edit->patch, "changes " + object->key + ": " + edit->words);
    (void)settle(nullptr, "after a change of " + edit->words);
    if (!out_.broken.empty()) return;
    perform("PATCH", object->path, edit->back, "changes " + object->key + " back");
    (void)settle(&reference_->created, "after a change of " + edit->words + " and back");
}

void course::act_on_settled()
{
    for (const auto& f : plan_) {
        if (f.request != 0 || !reference_ || !out_.broken.empty()) continue;
        if (f.kind == fault_kind::spec_edited) {
            edit_and_back(f);
            continue;
        }
        injector_.act(f);
        (void)settle(&reference_->created, std::string("after ") + std::string(to_string(f.kind)));
    }
}

void course::look_at_removed(const masked_state& state)
{
    if (reference_) return;
    for (const auto& o : about_->objects)
        if (o.custom && state.contains(o.key))
            broken(oracle::ends_finalizers, o.key + " is left when the objects are deleted");
    for (const auto& [key, path] : injector_.children())
        if (state.contains(key)) broken(oracle::cleans_up, key + " is left when the objects are deleted");
}

void course::look_at_answers()
{
    for (const auto& t : injector_.answered())
        if (t.status == 403 && !t.route.is_review() && !t.to_application)
            broken(oracle::declares_rights, "the operator may not " + t.route.verb + " " + t.route.display_name() +
                                                (t.route.subresource.empty() ? "" : "/") + t.route.subresource);
    for (const auto& t : injector_.answered())
        if (t.usurps && t.status < 300 && t.route.writes() && !t.route.is_bookkeeping())
            broken(oracle::writes_as_leader,
                   "a replica sends " + title_of(t.method, t.route) + " while another one holds the Lease");
    for (const auto& key : injector_.wrongly_deleted()) {
        const bool is_of_user = std::any_of(about_->objects.begin(), about_->objects.end(),
                                            [&wrong = key](const auto& o) { return o.key == wrong && o.custom; });
        if (!is_of_user) broken(oracle::spares_others, "the operator deletes " + key + ", which it has not made");
    }
    for (const auto& t : injector_.answered())
        if (t.route.writes() && t.status < 300 && !t.route.is_bookkeeping())
            out_.states.written.insert(t.route.display_name());
}

void course::look_at_runs()
{
    if (world_.threw() != 0) broken(oracle::runs_well, "a run threw an exception");
    // The first end may have a fault as its reason.
    const std::size_t allowed = reference_ ? (world_.elects() ? 2 : 1) : 0;
    if (world_.ends().size() > allowed)
        broken(oracle::runs_well, "the operator ends by itself: " + world_.ends().back());
}

void course::look_at_lines()
{
    for (const auto& line : world_.notes().lines())
        for (const auto& secret : about_->secrets)
            if (line.find(secret) != std::string::npos)
                broken(oracle::keeps_secrets, "a log line has a value of a Secret");
}

std::map<std::string, std::string> course::state_of_others()
{
    std::map<std::string, std::string> out;
    std::set<std::string> resources;
    for (const auto& key : about_->others) resources.insert(resource_of(key));
    for (const auto& resource : resources) {
        for (const auto& o : world_.objects(resource)) {
            seen_object seen{resource, std::string(o.ns()), std::string(o.name()), std::string(o.uid()), {}};
            const auto key = seen.key();
            if (!about_->others.contains(key)) continue;
            seen.whole = boost::json::parse(o.to_text()).as_object();
            out.emplace(key, mask({std::move(seen)}, {"status"}).begin()->second);
        }
    }
    return out;
}

void course::look_at_others()
{
    if (about_->others.empty()) return;
    const auto now = state_of_others();
    for (const auto& [key, text] : others_) {
        const auto at = now.find(key);
        if (at == now.end())
            broken(oracle::spares_others, key + ", an object of another owner, is deleted");
        else if (at->second != text)
            broken(oracle::spares_others, key + ", an object of another owner, is changed");
    }
}

void course::keep_made_objects()
{
    for (const auto& o : changed_objects()) {
        const auto made = injector_.children().find(o.key());
        if (made != injector_.children().end())
            out_.made.push_back({o.key(), made->second, boost::json::serialize(o.whole)});
    }
}

namespace {

class world_view final : public cluster_view
{
public:
    explicit world_view(world& w) : world_(&w) {}
    std::vector<object> objects(std::string_view resource) override { return world_->objects(resource); }

private:
    world* world_;
};

} // namespace

void course::check_invariant()
{
    if (!options_->invariant) return;
    world_view view(world_);
    if (const auto holds = options_->invariant(view); !holds) broken(oracle::invariant, holds.error().describe());
}

} // namespace kubecoro::testing::detail
