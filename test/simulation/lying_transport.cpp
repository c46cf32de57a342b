#include "lying_transport.hpp"

#include "event_lies.hpp"
#include "protobuf_lies.hpp"
#include "world/stale_reads.hpp"

#include <kubecoro/api/detail/protobuf_form.hpp>
#include <kubecoro/base/try.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;
using testing::detail::is_refused_watch;
using testing::detail::paged_at_zero;
using testing::detail::refused_event;
using testing::detail::stale_list;
using testing::detail::status_text;

namespace {

/// A fabricated answer: a status, or a watch that ends at once.
class made_up_answer final : public answer
{
public:
    made_up_answer(int status, std::string body) : body_(std::move(body))
    {
        head_.status = status;
        head_.headers = {{"content-type", "application/json"}};
        if (status == 429 || status == 503) head_.headers.emplace_back("retry-after", "1");
    }
    const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        given_ = std::exchange(body_, {});
        co_return std::string_view(given_);
    }

private:
    answer_head head_;
    std::string body_;
    std::string given_;
};

std::unique_ptr<answer> error_answer(lies& plan, const std::string& target, bool watch)
{
    struct refusal
    {
        int code;
        std::string_view reason;
    };
    static constexpr std::array<refusal, 5> refusals{{{429, "TooManyRequests"},
                                                      {500, "InternalError"},
                                                      {503, "ServiceUnavailable"},
                                                      {504, "Timeout"},
                                                      {410, "Expired"}}};
    const auto& chosen = refusals[below(plan.random, refusals.size())];
    plan.notes->note("fault", std::to_string(chosen.code) + (watch ? " on a watch: " : " on a list: ") + target);
    return std::make_unique<made_up_answer>(chosen.code, status_text(chosen.code, chosen.reason));
}

constexpr std::string_view stream_question = "&sendInitialEvents=true";

/// The request as a server without streamed lists reads it.
std::string without_stream_question(std::string target)
{
    for (const std::string_view part : {stream_question, std::string_view("&resourceVersionMatch=NotOlderThan")})
        if (const auto at = target.find(part); at != std::string::npos) target.erase(at, part.size());
    return target;
}

/// Throws like a transport with a defect, or one out of memory.
void throw_something(lies& plan, std::string_view where)
{
    plan.notes->note("fault", std::string(where) + " throws");
    if (one_in(plan.random, 2)) throw std::bad_alloc();
    throw std::runtime_error("simulated");
}

/// Gives bytes in pieces of random sizes.
class pieces
{
public:
    std::string left;

    std::string_view next(detail::random_source& random)
    {
        const auto n = std::min<std::size_t>(left.size(), 1 + below(random, 2 * left.size() + 1));
        given_ = left.substr(0, n);
        left.erase(0, n);
        return given_;
    }

private:
    std::string given_;
};

bool is_protobuf(const answer& a) { return a.head().header("content-type").starts_with(detail::protobuf_type); }

/// The body of a watch with falsified events in between.
class lying_watch final : public answer
{
public:
    lying_watch(std::unique_ptr<answer> truthful, std::shared_ptr<lies> plan)
        : truthful_(std::move(truthful)),
          plan_(std::move(plan)),
          events_(lies_in(is_protobuf(*truthful_) ? wire_form::protobuf : wire_form::json))
    {
    }

    const answer_head& head() const noexcept override { return truthful_->head(); }

    asio::awaitable<result<std::string_view>> read_some() override
    {
        while (out_.left.empty() && !ended_) {
            if (plan_->happens(plan_->throws * 8)) throw_something(*plan_, "a watch");
            KUBECORO_TRY(auto bytes, co_await truthful_->read_some());
            if (bytes.empty()) ended_ = true;
            rest_.append(bytes);
            take_events();
        }
        co_return out_.next(plan_->random);
    }

private:
    void take_events()
    {
        for (std::size_t size; !ended_ && (size = events_->first_event(rest_)) != 0;) {
            const auto event = rest_.substr(0, size);
            rest_.erase(0, size);
            if (plan_->happens(plan_->broken_ends)) {
                auto end = events_->ending(plan_->random, event);
                plan_->notes->note("fault", end.words);
                out_.left += end.bytes;
                ended_ = true;
                return;
            }
            if (loses(event)) continue;
            out_.left += event;
            if (events_->is_bookmark(event)) bookmark_ = event;
            if (plan_->happens(plan_->wrong_events)) add_wrong_event(event);
        }
    }

    bool loses(const std::string& event)
    {
        if (event.find("k8s.io/initial-events-end") == std::string::npos) return false;
        if (plan_->streams != streaming::ignored && !plan_->happens(plan_->lost_ends)) return false;
        plan_->notes->note("fault", "the end of a streamed list is lost");
        return true;
    }

    void add_wrong_event(const std::string& after)
    {
        auto wrong = events_->wrong_event(plan_->random);
        if (wrong.bytes.empty()) {
            // Only while it is the newest event: no server sends an old one later.
            if (after != bookmark_) return;
            wrong.bytes = bookmark_;
        }
        out_.left += wrong.bytes;
        plan_->notes->note("fault", wrong.words);
    }

    std::unique_ptr<answer> truthful_;
    std::shared_ptr<lies> plan_;
    std::unique_ptr<event_lies> events_;
    std::string rest_, bookmark_;
    pieces out_;
    bool ended_ = false;
};

/// A list in protobuf, falsified once it is complete. Other bodies are passed on.
class lying_list final : public answer
{
public:
    lying_list(std::unique_ptr<answer> truthful, std::shared_ptr<lies> plan)
        : truthful_(std::move(truthful)), plan_(std::move(plan)), head_(truthful_->head())
    {
    }

    const answer_head& head() const noexcept override { return head_; }

    /// Call before the head is used.
    asio::awaitable<result<>> falsify()
    {
        for (;;) {
            KUBECORO_TRY(auto bytes, co_await truthful_->read_some());
            if (bytes.empty()) break;
            out_.left.append(bytes);
        }
        if (!is_protobuf_list(out_.left)) co_return result<>{};
        auto made = falsified_list(plan_->forms_random, std::move(out_.left));
        plan_->notes->note("fault", "a false list: " + made.words);
        out_.left = std::move(made.body);
        for (auto& [name, value] : head_.headers)
            if (name == "content-type") value = made.content_type;
        co_return result<>{};
    }

    asio::awaitable<result<std::string_view>> read_some() override { co_return out_.next(plan_->forms_random); }

private:
    std::unique_ptr<answer> truthful_;
    std::shared_ptr<lies> plan_;
    answer_head head_;
    pieces out_;
};

} // namespace

lying_transport::lying_transport(std::shared_ptr<transport> truthful, std::shared_ptr<lies> plan,
                                 std::shared_ptr<time_source> time)
    : truthful_(std::move(truthful)), plan_(std::move(plan)), time_(std::move(time))
{
}

asio::awaitable<result<std::unique_ptr<answer>>> lying_transport::send(request r)
{
    using sent = result<std::unique_ptr<answer>>;
    const bool watch = r.target.find("watch=") != std::string::npos;
    if (plan_->happens(plan_->throws)) throw_something(*plan_, r.target);
    if (plan_->happens(plan_->dead_addresses)) {
        plan_->notes->note("fault", "an address that swallows packets: " + r.target);
        const auto slept = co_await sleep_for(*time_, std::chrono::seconds(15));
        co_return sent(slept ? failure(cond::unreachable, "simulated") : slept.error());
    }
    if (!plan_->forbidden.empty() && r.target.find(plan_->forbidden) != std::string::npos)
        co_return sent(std::make_unique<made_up_answer>(403, status_text(403, "Forbidden")));
    if (plan_->happens(plan_->error_answers)) co_return sent(error_answer(*plan_, r.target, watch));
    if (watch && plan_->happens(plan_->short_watches)) {
        plan_->notes->note("fault", "a watch that ends at once: " + r.target);
        co_return sent(std::make_unique<made_up_answer>(200, ""));
    }
    if (r.target.find(stream_question) != std::string::npos && plan_->streams != streaming::offered) {
        if (plan_->streams == streaming::refused)
            co_return sent(std::make_unique<made_up_answer>(422, status_text(422, "Invalid")));
        r.target = without_stream_question(std::move(r.target));
    }
    if (watch && plan_->watches == wire_form::json) accept_json_only(r);
    const bool reads = r.method == "GET";
    if (watch && is_refused_watch(r.target, plan_->stale_cache)) {
        ++plan_->refused_watches;
        co_return sent(std::make_unique<made_up_answer>(200, refused_event()));
    }
    if (reads && !watch && plan_->pages_at_zero) r.target = paged_at_zero(std::move(r.target));
    if (auto stale = reads && !watch ? stale_list(r.target, plan_->stale_cache) : std::nullopt) {
        request of_cache = r;
        of_cache.target = std::move(*stale);
        auto old = co_await truthful_->send(std::move(of_cache));
        ++plan_->stale_lists;
        // Its version is compacted: the cache has gone on.
        if (!old || (*old)->head().status == 200) co_return old;
    }
    auto truthful = co_await truthful_->send(std::move(r));
    if (!truthful || (*truthful)->head().status != 200) co_return truthful;
    if (watch) co_return sent(std::make_unique<lying_watch>(std::move(*truthful), plan_));
    if (!reads || !is_protobuf(**truthful) || !plan_->falsifies_list()) co_return truthful;
    auto falsified = std::make_unique<lying_list>(std::move(*truthful), plan_);
    if (auto done = co_await falsified->falsify(); !done) co_return done.error();
    co_return sent(std::move(falsified));
}

} // namespace kubecoro::simulation
