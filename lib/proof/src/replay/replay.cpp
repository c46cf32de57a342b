#include <kubecoro/proof/replay.hpp>

#include "replay/recorded_traffic_core.hpp"
#include "world/replica.hpp"

#include <kubecoro/base/hash.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/detail/no_server.hpp>
#include <kubecoro/client/kubeconfig.hpp>
#include <kubecoro/manager/manager.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

namespace asio = boost::asio;

namespace kubecoro::testing {
namespace {

using std::chrono::microseconds;

constexpr std::size_t longest_body = 400;
/// Virtual time after the end of the recording, for what its last event leads to.
constexpr std::chrono::seconds time_at_end{5};
constexpr std::chrono::seconds shortest_patience{1};
constexpr std::chrono::seconds longest_patience{10};
constexpr std::chrono::milliseconds look_again{10};

/// Shared by the transport of a replay and its answers.
struct playing
{
    std::shared_ptr<virtual_clock> clock;
    time_point begin;
    detail::recorded_traffic_core traffic;

    [[nodiscard]] microseconds now() const { return std::chrono::duration_cast<microseconds>(clock->now() - begin); }
    asio::awaitable<result<>> wait_until(microseconds when) const
    {
        if (when > now()) KUBECORO_TRY(co_await sleep_for(*clock, when - now()));
        co_return result<>{};
    }
};

class replayed_answer final : public answer
{
public:
    replayed_answer(std::shared_ptr<playing> all, detail::recorded_exchange x) : all_(std::move(all)), x_(std::move(x))
    {
        head_.status = x_.status;
        head_.headers = {{"content-type", "application/json"}};
        if (!x_.retry_after.empty()) head_.headers.emplace_back("retry-after", x_.retry_after);
    }
    [[nodiscard]] const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        if (!std::exchange(given_, true) && !x_.body.empty()) co_return std::string_view(x_.body);
        while (next_ < x_.events.size()) {
            const auto& e = x_.events[next_++];
            KUBECORO_TRY(co_await all_->wait_until(e.at));
            const auto cause = all_->traffic.cause_of(x_, e);
            const auto latest = patience_for(e.at);
            while (!all_->traffic.was_sent(cause) && all_->now() < latest)
                KUBECORO_TRY(co_await sleep_for(*all_->clock, look_again));
            if (!all_->traffic.was_sent(cause)) continue; // the effect of a write that the operator does not send
            all_->traffic.saw_event(x_, e.text);
            line_ = e.text + '\n';
            co_return std::string_view(line_);
        }
        const bool is_open = x_.is_watch() && x_.status == 200 && (!x_.ended || x_.dropped);
        if (is_open) KUBECORO_TRY(co_await never_.wait());
        if (x_.is_watch() && x_.ended) KUBECORO_TRY(co_await all_->wait_until(*x_.ended));
        if (!x_.broken.empty()) co_return failure(cond::unreachable, x_.broken);
        co_return std::string_view();
    }

private:
    /// The time up to which an event waits for the write that it follows from, in front of the next event.
    [[nodiscard]] microseconds patience_for(microseconds at) const
    {
        if (next_ == x_.events.size()) return at + longest_patience;
        return std::clamp<microseconds>(x_.events[next_].at, at + shortest_patience, at + longest_patience);
    }

    std::shared_ptr<playing> all_;
    detail::recorded_exchange x_;
    answer_head head_;
    std::string line_;
    std::size_t next_ = 0;
    bool given_ = false;
    latch never_;
};

class replaying_transport final : public transport
{
public:
    explicit replaying_transport(std::shared_ptr<playing> all) : all_(std::move(all)) {}
    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        auto x = all_->traffic.answer(r, all_->now());
        const auto last = x.answered ? x.answered : x.ended;
        if (!last || (!x.answered && x.dropped))
            KUBECORO_TRY(co_await never_.wait()); // the recording ends before the answer
        KUBECORO_TRY(co_await all_->wait_until(all_->now() + (*last - x.sent)));
        if (!x.answered) co_return failure(cond::unreachable, x.broken);
        std::unique_ptr<answer> out = std::make_unique<replayed_answer>(all_, std::move(x));
        co_return out;
    }

private:
    std::shared_ptr<playing> all_;
    latch never_;
};

} // namespace

result<replay_report> try_replay(const detail::operator_function& add, const std::string& file,
                                 const replay_options& options)
{
    (void)fix_hash_secrets(1);
    const auto text = system_environment().read_file(file, kubecoro::detail::longest_recording);
    if (!text) return text.error();
    const auto got = kubecoro::detail::read_records(*text);
    if (!got) return got.error();
    const auto& records = *got;
    if (records.part != 1)
        return failure(cond::invalid, "the recording has no beginning: it is a later part of a file that rotates");

    runner run;
    run.clock().shift_wall(records.begin - run.clock().wall_now());
    const auto all = std::make_shared<playing>(
        playing{run.shared_clock(), run.clock().now(),
                detail::recorded_traffic_core(kubecoro::detail::exchanges_of(records), options.ignored)});
    auto how = options.managing;
    how.time = run.shared_clock();
    how.check_access = false;
    if (!how.log) how.log = logger::silent();
    if (!how.seed) how.seed = 1;
    if (how.name.empty()) how.name = "operator";
    std::optional<manager> m;
    m.emplace(detail::client_on(run, std::make_shared<replaying_transport>(all), *how.log, how.name), how);
    auto filled = add(*m, detail::client_on(run, std::make_shared<kubecoro::detail::no_server>(), *how.log, how.name));
    std::string ended_by;
    if (filled) {
        m->start();
        try {
            run.advance(time_after(time_point(all->traffic.length()), time_at_end) - time_point());
        } catch (const error& e) {
            ended_by = e.what();
        }
    }
    if (filled && m->phase() == manager_phase::stopped) {
        const auto why = m->stats().ended_by;
        ended_by = why ? why->describe() : "without a reason";
    }
    run.destroy_coroutines();
    m.reset();
    if (!filled) return failure(cond::misconfigured, "the set-up of the operator failed: " + filled.error().describe());
    auto out = all->traffic.finish();
    out.ended_by = std::move(ended_by);
    return out;
}

replay_report replay(const detail::operator_function& add, const std::string& file, const replay_options& options)
{
    return try_replay(add, file, options).value();
}

std::string describe(const replay_report& r)
{
    std::string out = std::to_string(r.requests) + " requests, " + std::to_string(r.writes.size()) + " writes, " +
                      std::to_string(r.differences.size()) + " differences\n";
    if (!r.ended_by.empty()) out += "the operator has ended: " + r.ended_by + "\n";
    for (const auto& d : r.differences) {
        char when[32];
        std::snprintf(when, sizeof when, "%10.3f  ", std::chrono::duration<double>(d.at).count());
        out += when + printable(d.request) + ": " + printable(d.what, longest_body) + "\n";
        if (!d.recorded.empty()) out += "            recorded: " + printable(d.recorded, longest_body) + "\n";
        if (!d.replayed.empty()) out += "            replayed: " + printable(d.replayed, longest_body) + "\n";
    }
    return out;
}

std::ostream& operator<<(std::ostream& out, const replay_report& r) { return out << describe(r); }

} // namespace kubecoro::testing
