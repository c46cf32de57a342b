#include "world/wire.hpp"

#include "world/stale_reads.hpp"

#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::testing::detail {
namespace {

constexpr std::size_t most_calls = 64;

failure cut() { return failure(cond::unreachable, "the connection was cut by the check"); }

/// The answer to a call, read on the side of the operator.
class wire_answer final : public answer
{
public:
    explicit wire_answer(std::shared_ptr<wire_call> c) : call_(std::move(c)) {}
    ~wire_answer() override { call_->carrying.cancel(); }
    wire_answer(const wire_answer&) = delete;
    wire_answer& operator=(const wire_answer&) = delete;

    [[nodiscard]] const answer_head& head() const noexcept override { return call_->head; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        for (;;) {
            if (!call_->bytes.empty()) {
                given_ = std::exchange(call_->bytes, {});
                co_return std::string_view(given_);
            }
            if (call_->broken) co_return *call_->broken;
            if (call_->ended) co_return std::string_view();
            KUBECORO_TRY(co_await call_->news.wait());
        }
    }

private:
    std::shared_ptr<wire_call> call_;
    std::string given_;
};

/// Until its coroutine is cancelled or destroyed.
asio::awaitable<failure> silence()
{
    const latch never;
    const auto ended = co_await never.wait();
    co_return ended.error();
}

class wire_transport final : public transport
{
public:
    wire_transport(std::shared_ptr<wire> w, bool to_application) : wire_(std::move(w)), to_application_(to_application)
    {
    }

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        using sent = result<std::unique_ptr<answer>>;
        if (wire_->holds()) co_return sent(co_await silence());
        planned_answer made_up;
        const auto c = wire_->begin(std::move(r), to_application_, made_up);
        if (c->seen.end == fate::never_sent) co_return sent(co_await silence());
        if (c->seen.end == fate::refused) co_return sent(cut());
        if (c->seen.end == fate::answered_by_plan) {
            c->head.status = made_up.status;
            c->head.headers = {{"content-type", "application/json"}};
            if (made_up.status == 429) c->head.headers.emplace_back("retry-after", "1");
            c->bytes = status_text(made_up.status, made_up.reason, made_up.message);
            c->ended = true;
            co_return sent(std::make_unique<wire_answer>(c));
        }
        wire_->carry(c);
        KUBECORO_TRY(co_await c->replied.wait());
        co_return sent(std::make_unique<wire_answer>(c));
    }

private:
    std::shared_ptr<wire> wire_;
    bool to_application_;
};

/// A request to a service in the terms of the check.
request_route application_route(const request& r)
{
    const bool reads = r.method == "GET" || r.method == "HEAD";
    return {.verb = reads ? "get" : "call", .resource = "application", .name = r.target.substr(0, r.target.find('?'))};
}

} // namespace

wire::wire(runner& server, std::shared_ptr<transport> direct, traffic_master& master, const player& application,
           unsigned life)
    : server_(&server), direct_(std::move(direct)), master_(&master), application_(&application), life_(life)
{
}

std::shared_ptr<transport> wire::make_transport(bool to_application)
{
    return std::make_shared<wire_transport>(shared_from_this(), to_application);
}

void wire::sever()
{
    held_ = true;
    for (const auto& each : std::exchange(calls_, {}))
        if (const auto c = each.lock(); c && !c->seen.outlives) c->carrying.cancel();
}

void wire::cut_off(bool on)
{
    cut_ = on;
    if (on) end_watches(false);
}

void wire::end_watches(bool expired)
{
    for (const auto& each : std::exchange(watches_, {})) {
        const auto c = each.lock();
        if (!c || c->ended || c->broken) continue;
        c->carrying.cancel();
        if (expired) {
            c->bytes += refused_event();
            c->ended = true;
        } else {
            c->broken = cut();
        }
        c->news.notify();
    }
}

std::shared_ptr<wire_call> wire::begin(request r, bool to_application, planned_answer& made_up)
{
    auto c = std::make_shared<wire_call>();
    c->seen.life = life_;
    c->seen.to_application = to_application;
    c->seen.route = to_application ? application_route(r) : route_of(r.method, r.target);
    c->seen.method = r.method;
    c->seen.target = r.target;
    c->seen.lists = r.target.find("sendInitialEvents=true") != std::string::npos;
    c->seen.body = r.body;
    if (c->seen.route.verb == "list" || c->seen.route.verb == "watch") accept_json_only(r);
    c->sent = std::move(r);
    master_->leaves(c->seen, made_up);
    return c;
}

void wire::carry(const std::shared_ptr<wire_call>& c)
{
    const auto over = [](const auto& each) { return each.expired(); };
    if (calls_.size() >= most_calls) std::erase_if(calls_, over);
    calls_.push_back(c);
    if (c->seen.route.verb == "watch") {
        std::erase_if(watches_, over);
        watches_.push_back(c);
    }
    c->carrying = server_->spawn(carry_one(shared_from_this(), c));
}

asio::awaitable<result<>> wire::carry_one(std::shared_ptr<wire> self, std::shared_ptr<wire_call> c)
{
    co_await self->master_->arrives(c->seen, c->sent);
    if (c->seen.to_application) {
        self->play(*c);
        co_return result<>{};
    }
    auto got = co_await self->direct_->send(std::move(c->sent));
    if (!got) {
        c->replied.settle(got.error());
        co_return result<>{};
    }
    c->head = (*got)->head();
    c->seen.status = c->head.status;
    if (c->seen.route.verb == "watch" && c->head.status == 200) {
        self->master_->is_answered(c->seen, {});
        c->replied.settle({});
        co_return co_await self->carry_events(*c, **got);
    }
    co_return co_await self->carry_body(*c, **got);
}

void wire::play(wire_call& c) const
{
    client::raw_answer played{.head = {.status = 404}};
    try {
        if (*application_) played = (*application_)(c.sent);
    } catch (...) {
        played.head.status = 500;
        played.body = to_failure(std::current_exception()).describe();
    }
    c.head = std::move(played.head);
    c.seen.status = c.head.status;
    c.bytes = std::move(played.body);
    deliver(c);
}

void wire::deliver(wire_call& c) const
{
    c.ended = true;
    master_->is_answered(c.seen, c.bytes);
    if (c.seen.end == fate::lost)
        c.replied.settle(cut());
    else
        c.replied.settle({});
}

asio::awaitable<result<>> wire::carry_body(wire_call& c, answer& from)
{
    for (;;) {
        auto bytes = co_await from.read_some();
        if (!bytes) {
            c.replied.settle(bytes.error());
            co_return result<>{};
        }
        if (bytes->empty()) break;
        c.bytes += *bytes;
    }
    deliver(c);
    co_return result<>{};
}

asio::awaitable<result<>> wire::carry_events(wire_call& c, answer& from)
{
    std::string rest;
    for (;;) {
        auto bytes = co_await from.read_some();
        if (c.ended || c.broken) co_return result<>{};
        if (!bytes || bytes->empty()) {
            if (bytes)
                c.ended = true;
            else
                c.broken = bytes.error();
            c.news.notify();
            co_return result<>{};
        }
        rest += *bytes;
        co_await master_->before_events();
        if (c.ended || c.broken) co_return result<>{};
        for (auto end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
            const auto event = std::string_view(rest).substr(0, end);
            if (!master_->loses(c.seen, event)) c.bytes.append(rest, 0, end + 1);
            if (event.find("k8s.io/initial-events-end") != std::string_view::npos) c.seen.lists = false;
            rest.erase(0, end + 1);
        }
        c.news.notify();
    }
}

} // namespace kubecoro::testing::detail
