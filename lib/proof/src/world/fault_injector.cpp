#include "world/fault_injector.hpp"

#include "state/masked_state_core.hpp"
#include "world/stale_reads.hpp"

#include <kubecoro/api/detail/json_access.hpp>
#include <kubecoro/base/try.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <charconv>
#include <utility>

namespace asio = boost::asio;
namespace json = boost::json;

namespace kubecoro::testing::detail {

using kubecoro::detail::array_in;
using kubecoro::detail::member_in;
using kubecoro::detail::text_in;

namespace {

constexpr duration short_pause = std::chrono::seconds{1};
constexpr duration poll = std::chrono::milliseconds{200};
/// From the operator to the server. With none, an operator that goes round while its view is old would stop virtual time.
constexpr duration way = std::chrono::milliseconds{20};
constexpr int most_polls = 3'000;
constexpr int most_conflicts = 20;
constexpr std::string_view foreign_finalizer = "proof.kubecoro.dev/held";

/// Name and version of the object in an answer.
struct written
{
    std::string name;
    std::uint64_t version = 0;
};

written written_in(std::string_view body)
{
    written out;
    boost::system::error_code ignored;
    const auto whole = json::parse(body, ignored);
    const auto* const meta = member_in(whole, "metadata");
    out.name = text_in(meta, "name");
    const auto version = text_in(meta, "resourceVersion");
    std::from_chars(version.data(), version.data() + version.size(), out.version);
    return out;
}

std::string path_of(const traffic& t) { return t.target.substr(0, t.target.find('?')); }

bool ends_with_answer(fault_kind k) { return k == fault_kind::dies_unanswered || k == fault_kind::dies_answered; }

bool is_done_by_user(fault_kind k)
{
    return k == fault_kind::conflict || k == fault_kind::child_deleted || k == fault_kind::child_changed ||
           k == fault_kind::touched;
}

} // namespace

fault_injector::fault_injector(const scenario& about, run_plan plan, world& w)
    : about_(&about),
      plan_(std::move(plan)),
      world_(&w),
      news_(w.now()),
      events_held_until_(w.now()),
      cut_until_(w.now()),
      refused_until_(w.now()),
      stale_until_(w.now())
{
}

void fault_injector::has_news()
{
    news_ = world_->now();
    world_->changed();
}

bool fault_injector::view_is_old() const { return hidden_ || events_held_until_ > world_->now(); }

bool fault_injector::is_busy() const
{
    return view_is_old() || late_ != 0 || std::max(refused_until_, cut_until_) > world_->now() || world_->hands() != 0;
}

void fault_injector::leaves(traffic& t, planned_answer& made_up)
{
    t.at = world_->notes().now();
    t.usurps = !holder_.empty() && holder_ != identity_of(t.life);
    if (t.route.is_review() || is_lease(t.route)) return;
    t.number = ++count_;
    if (!view_is_old()) ++informed_;
    for (auto& f : plan_)
        if (enabled_ && f.request == t.number) apply(f, t, made_up);
    if (t.end == fate::passes && world_->now() < refused_until_) refuse(refusal_, t, made_up);
    if (t.end == fate::passes || t.end == fate::lost) return;
    if (world_->notes().traced()) world_->notes().note(name_of(t), t.method + " " + t.target + " does not arrive");
}

void fault_injector::apply(const planned_fault& f, traffic& t, planned_answer& made_up)
{
    world_->notes().note("fault", describe(f));
    switch (f.kind) {
    case fault_kind::dies_before:
        t.end = fate::never_sent;
        return world_->end_operator(t.life, false, short_pause);
    case fault_kind::stale_start:
        t.end = fate::never_sent;
        return begin_stale_start(f, t.life);
    case fault_kind::handed_over:
        t.outlives = true;
        cut_until_ = world_->now() + time_cut(f);
        later_.emplace(t.number, f);
        return world_->hand_over(t.life, time_cut(f));
    case fault_kind::server_error:
    case fault_kind::too_many_requests:
    case fault_kind::refused:
    case fault_kind::quota_exceeded:
    case fault_kind::write_denied:
        refusal_ = f;
        refused_until_ = world_->now() + f.lasts;
        return refuse(f, t, made_up);
    case fault_kind::answer_lost:
        t.end = fate::lost;
        return;
    case fault_kind::watches_cut:
    case fault_kind::watches_expired:
        return world_->end_watches(f.kind == fault_kind::watches_expired);
    case fault_kind::late_events:
        events_held_until_ = world_->now() + f.lasts;
        return;
    case fault_kind::hidden_event:
        hides_ = f;
        return;
    case fault_kind::child_held:
        return world_->spawn(meddle_with_child(f));
    case fault_kind::recreated:
        if (!about_->objects.empty()) world_->spawn(recreate(about_->objects[f.draw % about_->objects.size()]));
        return;
    case fault_kind::clock_jump:
        return world_->clock().shift_wall(std::chrono::duration_cast<std::chrono::system_clock::duration>(f.lasts));
    default: // at the server, or with the answer
        later_.emplace(t.number, f);
    }
}

void fault_injector::refuse(const planned_fault& f, traffic& t, planned_answer& made_up)
{
    constexpr std::array<int, 3> codes{500, 503, 504};
    const auto what = t.route.display_name();
    const bool creates = t.route.verb == "create" && t.route.subresource.empty();
    const bool is_work = t.route.writes() && !t.route.is_bookkeeping() && !t.to_application;
    switch (f.kind) {
    case fault_kind::server_error:
        made_up = {codes[f.draw % codes.size()], "InternalError", "the check lets the server fail"};
        break;
    case fault_kind::too_many_requests:
        made_up = {429, "TooManyRequests", "Too many requests, please try again later."};
        break;
    case fault_kind::quota_exceeded:
        if (!creates || !is_work) return;
        made_up = {403, "Forbidden",
                   what + " is forbidden: exceeded quota: proof, requested: count/" + what + "=1, used: count/" + what +
                       "=1, limited: count/" + what + "=1"};
        break;
    case fault_kind::write_denied:
        if (t.route.verb == "delete" || !is_work) return;
        made_up = {403, "Forbidden", "admission webhook proof.kubecoro.dev denied the request: not now"};
        break;
    default:
        t.end = fate::refused;
        return;
    }
    t.end = fate::answered_by_plan;
}

void fault_injector::act(const planned_fault& f)
{
    if (is_done_by_user(f.kind)) {
        world_->notes().note("fault", describe(f));
        return world_->spawn(meddle(f, {}));
    }
    traffic none;
    planned_answer unused;
    apply(f, none, unused);
}

void fault_injector::begin_stale_start(const planned_fault& f, unsigned life)
{
    stale_version_ = versions_.empty() ? 0 : versions_[f.draw % versions_.size()];
    stale_until_ = world_->now() + f.lasts + short_pause;
    events_held_until_ = stale_until_;
    world_->end_operator(life, false, short_pause);
}

void fault_injector::make_stale(const traffic& t, request& r) const
{
    if (stale_version_ == 0 || world_->now() >= stale_until_ || t.route.verb != "list") return;
    if (auto old = stale_list(r.target, stale_version_)) r.target = std::move(*old);
}

asio::awaitable<void> fault_injector::delay(duration d)
{
    const struct counted
    {
        std::size_t& n;
        ~counted() { --n; }
    } here{++late_};
    (void)co_await sleep_for(world_->clock(), d);
}

asio::awaitable<void> fault_injector::arrives(const traffic& t, request& r)
{
    (void)co_await sleep_for(world_->clock(), way);
    const auto [begin, end] = later_.equal_range(t.number);
    const std::vector<std::pair<std::size_t, planned_fault>> faults(begin, end);
    for (const auto& each : faults) {
        if (each.second.kind == fault_kind::late_request)
            co_await delay(each.second.lasts);
        else if (each.second.kind == fault_kind::handed_over)
            co_await delay(time_cut(each.second));
        else if (is_done_by_user(each.second.kind))
            (void)co_await meddle(each.second, t);
    }
    make_stale(t, r);
}

asio::awaitable<result<>> fault_injector::touch(std::string path, std::uint64_t draw)
{
    const auto body = R"({"metadata":{"annotations":{")" + std::string(touched_annotation) + R"(":")" +
                      std::to_string(draw % 1000) + "\"}}}";
    world_->notes().note("user", "touches " + path);
    (void)co_await world_->server().execute("PATCH", std::move(path), body);
    has_news();
    co_return result<>{};
}

asio::awaitable<result<>> fault_injector::meddle(planned_fault f, traffic t)
{
    if (f.kind == fault_kind::conflict) {
        const bool possible =
            t.route.writes() && !t.to_application && !t.route.name.empty() && t.route.verb != "delete";
        if (!possible) co_return result<>{};
        auto path = path_of(t);
        if (!t.route.subresource.empty()) path.erase(path.rfind('/'));
        co_return co_await touch(std::move(path), f.draw);
    }
    if (f.kind == fault_kind::touched) {
        if (about_->objects.empty()) co_return result<>{};
        co_return co_await touch(about_->objects[f.draw % about_->objects.size()].path, f.draw);
    }
    co_return co_await meddle_with_child(f);
}

asio::awaitable<result<>> fault_injector::meddle_with_child(planned_fault f)
{
    if (children_.empty()) co_return result<>{};
    const auto n = f.draw % children_.size();
    const auto [key, path] = *std::next(children_.begin(), static_cast<std::ptrdiff_t>(n));
    if (f.kind == fault_kind::child_held) co_return co_await hold(key, path, f.lasts);
    if (f.kind == fault_kind::child_deleted) {
        world_->notes().note("user", "deletes " + key);
        (void)co_await world_->server().execute("DELETE", path);
    } else {
        boost::system::error_code ignored; // YAML is left alone
        const auto patch = other_value(json::parse(sent_[key], ignored), f.draw / children_.size());
        if (!patch) co_return result<>{};
        world_->notes().note("user", "changes " + key + ": " + *patch);
        (void)co_await world_->server().execute("PATCH", path, *patch);
    }
    has_news();
    co_return result<>{};
}

asio::awaitable<result<>> fault_injector::hold(std::string key, std::string path, duration lasts)
{
    world_->notes().note("user", "deletes " + key + ", which a finalizer holds");
    KUBECORO_TRY(co_await set_finalizer(path, true));
    (void)co_await world_->server().execute("DELETE", path);
    has_news();
    KUBECORO_TRY(co_await sleep_for(world_->clock(), lasts));
    world_->notes().note("user", "takes the finalizer off " + key);
    co_return co_await set_finalizer(std::move(path), false);
}

asio::awaitable<result<>> fault_injector::set_finalizer(std::string path, bool there)
{
    for (int n = 0; n < most_conflicts; ++n) {
        const auto now = co_await world_->server().execute("GET", path);
        if (!now) break; // the object is gone
        const auto whole = json::parse(*now);
        json::object meta{{"resourceVersion", text_in(whole.at("metadata"), "resourceVersion")}};
        auto& all = meta["finalizers"].emplace_array();
        if (const auto* const before = array_in(whole.at("metadata"), "finalizers"))
            for (const auto& f : *before)
                if (f != json::value(foreign_finalizer)) all.push_back(f);
        if (there) all.emplace_back(foreign_finalizer);
        const auto body = json::serialize(json::object{{"metadata", std::move(meta)}});
        if (co_await world_->server().execute("PATCH", path, body)) break;
    }
    has_news();
    co_return result<>{};
}

asio::awaitable<result<>> fault_injector::recreate(user_object which)
{
    // Gone already, or not there yet: then there is nothing to do.
    if (!creates_ || !co_await world_->server().execute("GET", which.path)) co_return result<>{};
    world_->notes().note("user", "deletes " + which.key + ", and will create it again");
    (void)co_await world_->server().execute("DELETE", which.path);
    has_news();
    for (int n = 0; n < most_polls; ++n) {
        if (!co_await world_->server().execute("GET", which.path)) break;
        KUBECORO_TRY(co_await sleep_for(world_->clock(), poll));
    }
    if (!creates_) co_return result<>{};
    world_->notes().note("user", "creates " + which.key + " again");
    (void)co_await world_->server().execute("POST", which.collection, which.body);
    has_news();
    co_return result<>{};
}

void fault_injector::note_write(const traffic& t, std::string_view body)
{
    if (t.status >= 300) return;
    const auto o = written_in(body);
    if (o.version != 0) versions_.push_back(o.version);
    if (t.route.is_bookkeeping()) return;
    has_news();
    auto made = t.route;
    if (t.route.verb == "create" && t.route.subresource.empty()) {
        made.name = o.name;
        children_.insert_or_assign(made.key(), path_of(t) + "/" + o.name);
        sent_.insert_or_assign(made.key(), t.body);
    } else if (t.route.verb == "patch" && t.status == 201) {
        children_.insert_or_assign(made.key(), path_of(t));
        sent_.insert_or_assign(made.key(), t.body);
    } else if (t.route.verb == "delete" && !children_.contains(t.route.key())) {
        wrongly_deleted_.insert(t.route.key());
    }
}

void fault_injector::end_at_answer(const traffic& t)
{
    const auto [begin, end] = later_.equal_range(t.number);
    for (auto at = begin; at != end; ++at)
        if (ends_with_answer(at->second.kind))
            world_->end_operator(t.life, at->second.kind == fault_kind::dies_answered, short_pause);
}

std::string fault_injector::name_of(const traffic& t) const
{
    return (world_->elects() ? identity_of(t.life) + " " : "") + "request " + std::to_string(t.number);
}

void fault_injector::note_lease(const traffic& t)
{
    boost::system::error_code ignored;
    const auto lease = json::parse(t.body, ignored);
    const auto& name = about_->replicas.managing.leader_election.lease;
    if (t.status >= 300 || text_in(member_in(lease, "metadata"), "name") != name) return;
    const auto before = std::exchange(holder_, std::string(text_in(member_in(lease, "spec"), "holderIdentity")));
    if (holder_ != before) world_->notes().note("lease", holder_.empty() ? "is free" : "is held by " + holder_);
}

duration fault_injector::time_cut(const planned_fault& f) const
{
    return about_->replicas.managing.leader_election.lease_duration + f.lasts;
}

void fault_injector::is_answered(const traffic& t, std::string_view body)
{
    answered_.push_back(t);
    if (is_lease(t.route) && t.route.writes()) note_lease(t);
    if (world_->notes().traced() && !is_lease(t.route)) {
        auto line = t.method + " " + t.target + " -> " + std::to_string(t.status);
        if (t.route.writes() && t.route.resource != "secrets" && !t.body.empty()) line += " " + t.body;
        world_->notes().note(name_of(t), line);
    }
    if (t.route.writes()) note_write(t, body);
    end_at_answer(t);
}

bool fault_injector::loses(const traffic& t, std::string_view event)
{
    if (is_lease(t.route) || event.find(R"("type":"BOOKMARK")") != std::string_view::npos) return false;
    news_ = world_->now();
    if (world_->notes().traced())
        world_->notes().note("event",
                             t.route.display_name() + " " + std::string(event.substr(0, 16)) + " " +
                                 written_in(event.substr(std::min(event.size(), event.find("\"object\":") + 9))).name);
    if (!hides_ || t.lists) return false;
    const auto lasts = hides_->lasts;
    hides_.reset();
    hidden_ = true;
    world_->notes().note("fault", "this event is lost");
    world_->at(world_->now() + lasts, [this] {
        hidden_ = false;
        world_->end_watches(true);
    });
    return true;
}

asio::awaitable<void> fault_injector::before_events()
{
    if (events_held_until_ > world_->now())
        (void)co_await sleep_for(world_->clock(), events_held_until_ - world_->now());
}

} // namespace kubecoro::testing::detail
