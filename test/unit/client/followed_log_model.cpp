// A followed log against a model of a node: streams end anywhere, clocks are set, times are equal, files are rotated.
#include "rest_fixture.hpp"

#include <kubecoro/client/log_stream.hpp>
#include <kubecoro/test/random_amount.hpp>

#include <cstdio>
#include <ctime>
#include <random>

using namespace kubecoro;
using namespace kubecoro::rest_test;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

/// The container writes as often as it is looked at; it ends, or is restarted, when it has written all.
struct node
{
    explicit node(std::uint64_t seed) : random(seed), clock(1'700'000'000), breaks(random() % 25) {}

    bool chance(unsigned percent) { return random() % 100 < percent; }

    void write_some()
    {
        for (auto n = random() % 4; n != 0 && written.size() < most; --n) {
            if (chance(30)) clock += static_cast<std::time_t>(random() % 3);
            if (chance(5)) clock -= static_cast<std::time_t>(random() % 5000);
            if (chance(5)) clock += static_cast<std::time_t>(random() % 5000);
            std::tm parts{};
            ::gmtime_r(&clock, &parts);
            char time[64];
            std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &parts);
            std::string text = "line " + std::to_string(written.size());
            if (repeats) text = "line " + std::to_string(random() % 2);
            if (chance(10)) text += std::string(random() % 900, 'x') + "\xc3\xa4";
            written.push_back(text);
            stamped.push_back(std::string(time) + ".00000000" + std::to_string(random() % 2) + "Z " + text + "\n");
        }
        // Only what was read is rotated away.
        if (rotates && passed > rotated && chance(10)) rotated += random() % (passed - rotated);
        if (begun == most) restarts = false;
        if (written.size() == most && (passed > begun || !restarts) && !away && chance(20)) ended = true;
    }

    std::mt19937_64 random;
    std::time_t clock;
    /// Streams that will break.
    std::size_t breaks;
    std::size_t most = 60;
    bool repeats = false;
    bool rotates = false;
    bool restarts = false;
    bool ended = false;
    /// The server has ended the stream in order; the container has not ended before the next one begins.
    bool away = false;
    std::vector<std::string> written;
    std::vector<std::string> stamped;
    std::size_t rotated = 0;
    /// Lines that were left out or have been shown.
    std::size_t passed = 0;
    std::size_t begun = 0;
};

class log_answer final : public answer
{
public:
    log_answer(std::shared_ptr<node> n, std::size_t first, bool follow)
        : node_(std::move(n)), line_(first), follow_(follow)
    {
    }
    const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        if (node_->breaks != 0 && node_->chance(20)) {
            --node_->breaks;
            node_->away = !node_->ended && follow_ && node_->chance(50);
            if (!node_->away) co_return failure(cond::unreachable, "the connection broke");
            co_return std::string_view();
        }
        while (follow_ && line_ == node_->stamped.size() && !node_->ended) node_->write_some();
        if (line_ == node_->stamped.size()) co_return std::string_view();
        const std::string_view rest = std::string_view(node_->stamped[line_]).substr(at_);
        bytes_ = rest.substr(0, node_->chance(70) ? rest.size() : 1 + node_->random() % rest.size());
        at_ += bytes_.size();
        if (bytes_.size() == rest.size()) ++line_, at_ = 0;
        co_return bytes_;
    }

private:
    std::shared_ptr<node> node_;
    answer_head head_{200, {{"content-type", "text/plain"}}};
    std::size_t line_;
    bool follow_;
    std::size_t at_ = 0;
    std::string bytes_;
};

class node_transport final : public transport
{
public:
    explicit node_transport(std::shared_ptr<node> n) : node_(std::move(n)) {}

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        node_->write_some();
        const auto query = r.target.find('?');
        const bool is_log = r.target.find("/log?") != std::string::npos;
        if (node_->chance(is_log ? 5 : 10) && opened_) co_return failure(cond::unreachable, "no connection");
        std::unique_ptr<answer> made;
        if (is_log)
            made = log(r.target.substr(query + 1));
        else
            made = std::make_unique<scripted_answer>(reply{.body = {pod_text()}}, nullptr,
                                                     std::make_shared<std::vector<bool>>());
        co_return made;
    }

private:
    std::unique_ptr<answer> log(const std::string& query)
    {
        CHECK(query.find("since") == std::string::npos);
        const auto has = [&](const char* what) { return query.find(what) != std::string::npos; };
        const bool other_run = node_->ended && node_->restarts && !has("previous=true");
        if (other_run)
            return std::make_unique<scripted_answer>(
                reply{.body = {"2024-01-01T00:00:00Z other run\n"}, .headers = {{"content-type", "text/plain"}}},
                nullptr, std::make_shared<std::vector<bool>>());
        auto first = node_->rotated;
        if (const auto at = query.find("tailLines="); at != std::string::npos) {
            const auto tail = std::strtoull(query.c_str() + at + 10, nullptr, 10);
            first = std::max<std::size_t>(first,
                                          node_->stamped.size() - std::min<std::size_t>(tail, node_->stamped.size()));
        }
        node_->away = false;
        // The first stream says what is left out, or the last line that is read before it.
        if (!followed_ && (!opened_ || !has("follow")))
            node_->begun = node_->passed = has("follow") ? first : node_->stamped.size();
        opened_ = true;
        followed_ = followed_ || has("follow");
        return std::make_unique<log_answer>(node_, first, has("follow"));
    }

    std::string pod_text() const
    {
        const std::string run = node_->ended && node_->restarts ? "r2" : "r1";
        const std::string state = node_->ended && !node_->restarts ? "terminated" : "running";
        return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"web","uid":"u"},"spec":{"containers":[)"
               R"({"name":"c"}]},"status":{"containerStatuses":[{"name":"c","containerID":")" +
               run + R"(","state":{")" + state + R"(":{}},"lastState":{"terminated":{"containerID":"r1"}}}]}})";
    }

    std::shared_ptr<node> node_;
    bool opened_ = false;
    bool followed_ = false;
};

asio::awaitable<result<>> follow(client c, log_options o, std::shared_ptr<node> n, std::vector<std::string>& shown)
{
    followed_log log(std::move(c), "web", "p", o);
    std::string text;
    for (;;) {
        const auto lines = co_await log.next();
        if (!lines) co_return lines.error();
        if (lines->empty()) break;
        for (const auto& line : *lines) {
            CHECK(line.text.size() <= o.max_line_bytes);
            text += line.text;
            if (!line.whole) continue;
            // "line 17", perhaps with more.
            n->passed = n->repeats ? shown.size() + 1 : std::stoul(text.substr(5)) + 1;
            shown.push_back(std::exchange(text, {}));
        }
    }
    CHECK(text.empty());
    co_return result<>{};
}

} // namespace

TEST_CASE("client: a followed log shows each line once, whatever its streams and the clock do", "[client][log]")
{
    auto amount = test::wanted_amount();
    for (std::size_t i = 0; i < amount.each * 5; ++i, ++amount.seed) {
        INFO("seed " << amount.seed);
        const auto n = std::make_shared<node>(amount.seed);
        log_options o{.container = "c"};
        o.max_line_bytes = n->chance(50) ? 8 : 300;
        // Equal lines of equal times have nothing but their order: not where some are missing.
        n->repeats = n->chance(30);
        if (!n->repeats) {
            n->rotates = n->chance(50);
            if (n->chance(50)) o.tail_lines = n->random() % 5;
        }
        n->restarts = n->chance(50);
        testing::runner run(amount.seed);
        client_options options;
        options.time = run.shared_clock();
        const client c(run.executor(), std::make_shared<node_transport>(n), options);
        std::vector<std::string> shown;
        auto done = run.run(follow(c, o, n, shown));
        CHECK(done);
        // A first stream that breaks before its first line leaves nothing out.
        const auto wanted = n->written.size() - n->begun;
        CHECK((o.tail_lines ? shown.size() >= wanted : shown.size() == wanted));
        const auto first = n->written.size() - std::min(shown.size(), n->written.size());
        CHECK(shown ==
              std::vector<std::string>(n->written.begin() + static_cast<std::ptrdiff_t>(first), n->written.end()));
    }
}
