// A client over a scripted transport.
#pragma once

#include <kubecoro/client/client.hpp>

#include "fixtures.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/testing/every_step.hpp>

#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>

namespace kubecoro::rest_test {

inline const auto pods = untyped::pod::resource();

/// One response: its head, its body in pieces, and how it ends.
struct reply
{
    int status = 200;
    std::vector<std::string> body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::optional<failure> broken = {};
    bool hangs_before_head = false;
    /// Before the head.
    duration head_pause{0};
    bool hangs_in_body = false;
    /// Before each piece.
    duration pause{0};
    /// A single read delivers all pieces.
    bool comes_at_once = false;
};

class scripted_answer final : public answer
{
public:
    /// @param bulk_hints  Receives what was asked of read_in_bulk().
    scripted_answer(reply r, std::shared_ptr<time_source> time, std::shared_ptr<std::vector<bool>> bulk_hints)
        : reply_(std::move(r)),
          head_{reply_.status, reply_.headers},
          time_(std::move(time)),
          bulk_hints_(std::move(bulk_hints))
    {
    }
    void read_in_bulk(bool on) noexcept override { bulk_hints_->push_back(on); }
    const answer_head& head() const noexcept override { return head_; }
    boost::asio::awaitable<result<std::string_view>> read_some() override
    {
        if (at_ < reply_.body.size()) {
            if (reply_.pause != duration::zero()) {
                auto slept = co_await sleep_for(*time_, reply_.pause);
                if (!slept) co_return slept.error();
            }
            co_return std::string_view(reply_.body[at_++]);
        }
        if (reply_.hangs_in_body) {
            auto stopped = co_await never_.wait();
            co_return stopped.error();
        }
        if (reply_.broken) co_return *reply_.broken;
        co_return std::string_view();
    }
    std::string_view read_arrived() override
    {
        if (!reply_.comes_at_once || at_ == reply_.body.size()) return {};
        return reply_.body[at_++];
    }
    bool at_end() const noexcept override
    {
        return reply_.comes_at_once && at_ == reply_.body.size() && !reply_.hangs_in_body && !reply_.broken;
    }

private:
    reply reply_;
    answer_head head_;
    std::shared_ptr<time_source> time_;
    std::shared_ptr<std::vector<bool>> bulk_hints_;
    std::size_t at_ = 0;
    latch never_;
};

class scripted_transport final : public transport
{
public:
    std::deque<reply> replies;
    std::vector<request> seen;
    std::shared_ptr<time_source> time;
    std::shared_ptr<std::vector<bool>> bulk_hints = std::make_shared<std::vector<bool>>();

    boost::asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        seen.push_back(std::move(r));
        if (replies.empty()) co_return failure(cond::unreachable, "no reply scripted");
        auto next = std::move(replies.front());
        replies.pop_front();
        if (next.hangs_before_head) {
            auto stopped = co_await never_.wait();
            co_return stopped.error();
        }
        if (next.head_pause != duration::zero()) {
            auto slept = co_await sleep_for(*time, next.head_pause);
            if (!slept) co_return slept.error();
        }
        std::unique_ptr<answer> made = std::make_unique<scripted_answer>(std::move(next), time, bulk_hints);
        co_return made;
    }

    std::string header(std::size_t index, const std::string& name) const
    {
        for (const auto& [key, value] : seen.at(index).headers)
            if (key == name) return value;
        return {};
    }

private:
    latch never_;
};

/// A file that is removed with the test.
class token_file
{
public:
    token_file() = default;
    token_file(const token_file&) = delete;
    token_file& operator=(const token_file&) = delete;
    ~token_file() { std::filesystem::remove(path_); }
    void write(const std::string& token) const { std::ofstream(path_) << token; }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("kubecoro-token-test-" + std::to_string(::getpid()));
};

struct world
{
    testing::runner run;
    std::shared_ptr<scripted_transport> net = std::make_shared<scripted_transport>();
    std::vector<std::string> lines;

    client make(credentials login = {}, client_options o = {})
    {
        o.time = net->time = run.shared_clock();
        o.log = logger([this](const log_record& r) { lines.push_back(format(r)); }, log_level::trace);
        return client(run.executor(), net, std::move(o), std::move(login));
    }
};

inline std::string pod(const std::string& name)
{
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name + R"("}})";
}

inline std::string list_of(const std::string& name, const std::string& version, const std::string& next = {})
{
    return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version + R"(","continue":")" +
           next + R"("},"items":[{"metadata":{"name":")" + name + R"("}}]})";
}

inline const std::string expired =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410})";

} // namespace kubecoro::rest_test
