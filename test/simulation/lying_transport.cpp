#include "lying_transport.hpp"

#include <array>
#include <new>
#include <stdexcept>
#include <utility>

namespace kubecoro::simulation {

namespace asio = boost::asio;

namespace {

std::string status_text(int code, std::string_view reason)
{
    return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"simulated","reason":")" +
           std::string(reason) + R"(","code":)" + std::to_string(code) + "}";
}

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

/// The body of a watch with falsified lines in between.
class lying_watch final : public answer
{
public:
    lying_watch(std::unique_ptr<answer> truthful, std::shared_ptr<lies> plan)
        : truthful_(std::move(truthful)), plan_(std::move(plan))
    {
    }

    const answer_head& head() const noexcept override { return truthful_->head(); }

    asio::awaitable<result<std::string_view>> read_some() override
    {
        while (out_.empty() && !ended_) {
            if (plan_->happens(plan_->throws * 8)) throw_something(*plan_, "a watch");
            auto bytes = co_await truthful_->read_some();
            if (!bytes) co_return bytes.error();
            if (bytes->empty()) ended_ = true;
            rest_.append(*bytes);
            take_lines();
        }
        const auto n = std::min<std::size_t>(out_.size(), 1 + below(plan_->random, 2 * out_.size() + 1));
        given_ = out_.substr(0, n);
        out_.erase(0, n);
        co_return std::string_view(given_);
    }

private:
    void take_lines()
    {
        for (std::size_t end; !ended_ && (end = rest_.find('\n')) != std::string::npos;) {
            const auto line = rest_.substr(0, end + 1);
            rest_.erase(0, end + 1);
            if (plan_->happens(plan_->broken_ends)) {
                end_badly(line);
                ended_ = true;
                return;
            }
            if (loses(line)) continue;
            out_ += line;
            if (line.find(R"("type":"BOOKMARK")") != std::string::npos) bookmark_ = line;
            if (plan_->happens(plan_->wrong_lines)) add_wrong_line(line);
        }
    }

    bool loses(const std::string& line)
    {
        if (line.find("k8s.io/initial-events-end") == std::string::npos) return false;
        if (plan_->streams != streaming::ignored && !plan_->happens(plan_->lost_ends)) return false;
        plan_->notes->note("fault", "the end of a streamed list is lost");
        return true;
    }

    void end_badly(const std::string& line)
    {
        const auto how = below(plan_->random, 5);
        static constexpr std::array<std::string_view, 5> words{"the watch ends inside a line", "a broken line",
                                                               "ERROR 410 in the watch", "ERROR 429 in the watch",
                                                               "ERROR 500 in the watch"};
        plan_->notes->note("fault", words[how]);
        const auto error = [](const std::string& status) { return R"({"type":"ERROR","object":)" + status + "}\n"; };
        switch (how) {
        case 0:
            out_ += line.substr(0, 1 + below(plan_->random, line.size() - 2));
            break;
        case 1:
            out_ += line.substr(0, line.size() / 2) + "}}]\n";
            break;
        case 2:
            out_ += error(status_text(410, "Expired"));
            break;
        case 3:
            out_ += error(status_text(429, "TooManyRequests"));
            break;
        default:
            out_ += error(status_text(500, "InternalError"));
        }
    }

    void add_wrong_line(const std::string& after)
    {
        // A version far ahead: a client that accepts it misses real events.
        static constexpr std::string_view meta =
            R"("metadata":{"name":"lie","namespace":"a","uid":"lie","resourceVersion":"999999"})";
        const auto which = below(plan_->random, 4);
        switch (which) {
        case 0:
            out_ += R"({"type":"RENAMED","object":{"kind":"Pod","apiVersion":"v1",)" + std::string(meta) + "}}\n";
            break;
        case 1:
            out_ += R"({"type":"MODIFIED","object":{"kind":"Lie","apiVersion":"v1",)" + std::string(meta) + "}}\n";
            break;
        case 2:
            out_ += R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}})"
                    "\n";
            break;
        default:
            // Only while it is the newest line: no server sends an old one later.
            if (after != bookmark_) return;
            out_ += bookmark_;
        }
        plan_->notes->note("fault", "a wrong line: " + std::to_string(which));
    }

    std::unique_ptr<answer> truthful_;
    std::shared_ptr<lies> plan_;
    std::string rest_, out_, given_, bookmark_;
    bool ended_ = false;
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
    // The lies are lines of JSON.
    if (watch) accept_json_only(r);
    auto truthful = co_await truthful_->send(std::move(r));
    if (!truthful || !watch || (*truthful)->head().status != 200) co_return truthful;
    co_return sent(std::make_unique<lying_watch>(std::move(*truthful), plan_));
}

} // namespace kubecoro::simulation
