#pragma once
// An embedded server and a client in virtual time, with requests that can be answered otherwise.

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/test/catch.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/objects.hpp>
#include <kubecoro/testing/recording.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helpers_test {

using namespace kubecoro;
using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace kt = kubecoro::testing;
using lines = std::vector<std::string>;

/// A response in place of the server's.
class given_answer final : public answer
{
public:
    given_answer(int status, std::string body) : body_(std::move(body)) { head_.status = status; }
    [[nodiscard]] const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        co_return std::exchange(read_, true) ? std::string_view() : std::string_view(body_);
    }

private:
    answer_head head_;
    std::string body_;
    bool read_ = false;
};

/// Records requests, and answers those for which `answers` returns a status code.
class watched_transport final : public transport
{
public:
    /// 0: the connection breaks. -1: no response ever. -2: the request is cancelled, not by its caller. Empty: the server answers. Other codes: a Status of that code.
    std::function<std::optional<int>(const request&)> answers;
    std::vector<request> seen;
    /// The body of answers with a code below 300; empty = that of the request.
    std::string body;

    explicit watched_transport(std::shared_ptr<transport> server) : server_(std::move(server)) {}
    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        seen.push_back(r);
        const auto code = answers ? answers(r) : std::nullopt;
        if (!code) co_return co_await server_->send(std::move(r));
        if (*code == 0) co_return failure(cond::unreachable, "cut");
        if (*code == -2) co_return failure(cond::cancelled, "by another");
        if (*code == -1) {
            const auto ended = co_await never_.wait();
            co_return ended.error();
        }
        const std::string text = R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"echo )" +
                                 std::to_string(r.body.size()) + R"(","code":)" + std::to_string(*code) + "}";
        const bool echoes = *code < 300;
        std::unique_ptr<answer> given = std::make_unique<given_answer>(*code, !echoes        ? text
                                                                              : body.empty() ? r.body
                                                                                             : body);
        co_return given;
    }

private:
    std::shared_ptr<transport> server_;
    latch never_;
};

struct world
{
    kt::runner run;
    kt::recording_logger log;
    std::shared_ptr<kt::recording_metrics> numbers = std::make_shared<kt::recording_metrics>();
    apiserver::embedded_server server;
    std::shared_ptr<watched_transport> net;
    client cluster;

    world()
        : server(run.executor(), apiserver::server_options()),
          net(std::make_shared<watched_transport>(std::make_shared<apiserver::in_process_transport>(server))),
          cluster(run.executor(), net, with_clock())
    {
    }
    ~world() { CHECK(run.run(server.stop()).has_value()); }
    world(const world&) = delete;
    world& operator=(const world&) = delete;

    /// Creates an object and returns it as stored.
    object make(const resource_type& type, const std::string& ns, const std::string& json)
    {
        return run.run(cluster.create(type, ns, json)).value();
    }
    object make_map(const std::string& name = "shop")
    {
        return make(untyped::config_map::resource(), "default", R"({"metadata":{"name":")" + name + R"("}})");
    }
    object get(const resource_type& type, const std::string& ns, const std::string& name)
    {
        auto found = run.run(cluster.get(type, ns, name));
        return found ? *found : object();
    }
    /// Method and path of the requests since the last call, without queries.
    lines requests()
    {
        lines all;
        for (const auto& r : net->seen) all.push_back(r.method + ' ' + r.target.substr(0, r.target.find('?')));
        net->seen.clear();
        return all;
    }

private:
    [[nodiscard]] client_options with_clock() const
    {
        client_options how;
        how.time = run.shared_clock();
        how.seed = 1;
        how.log = log.handle();
        how.max_retries = 0;
        return how;
    }
};

} // namespace helpers_test
