// Snippets of docs/guide/other-loops.md, and a program that runs them under epoll.
#include <kubecoro/apiserver/in_process.hpp>
#include <kubecoro/apiserver/server.hpp>
#include <kubecoro/core_v1/pod.hpp>
#include <kubecoro/kubecoro.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using kubecoro::core_v1::pod;

/// Follows pods on a thread of its own. The program's loop watches descriptor() and calls take().
class pod_events
{
public:
    explicit pod_events(const std::function<kubecoro::client(asio::any_io_executor)>& connect)
        : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), informers_(connect(context_.get_executor()))
    {
        if (descriptor_ < 0) throw std::runtime_error("no eventfd");
        asio::co_spawn(context_, follow(), asio::detached);
        thread_ = std::thread([this] { context_.run(); });
    }

    /// No code of this class, nor of the library, runs after it: a plugin may be unloaded.
    ~pod_events()
    {
        informers_.request_stop(); // thread safe
        {
            std::lock_guard lock(mutex_);
            closing_ = true;
            if (taken_) taken_->settle({}); // the coroutine waits for this
        }
        thread_.join(); // run() returns when everything has ended
        close(descriptor_);
    }
    pod_events(const pod_events&) = delete;
    pod_events& operator=(const pod_events&) = delete;

    /// Readable when take() has something to return. For epoll, poll, g_unix_fd_add, uv_poll_t and the like.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

    /// The events since the last call; never waits.
    std::vector<kubecoro::notification<pod>> take()
    {
        std::uint64_t count = 0;
        (void)!read(descriptor_, &count, sizeof count);
        std::lock_guard lock(mutex_);
        if (taken_) std::exchange(taken_, std::nullopt)->settle({});
        return std::exchange(batch_, {});
    }

    /// The reason why no more events come; success while they may.
    kubecoro::result<> ended()
    {
        std::lock_guard lock(mutex_);
        return ended_;
    }

private:
    asio::awaitable<void> follow()
    {
        auto pods = informers_.get<pod>();
        auto events = pods.subscribe();
        informers_.start();
        while (auto batch = co_await events.pop()) {
            const kubecoro::latch taken;
            hand_over(std::move(*batch), taken);
            (void)co_await taken.wait(); // meanwhile events wait in the subscription, which is bounded
        }
        finish(events.end_reason());
        (void)co_await informers_.stop();
    }

    void hand_over(std::vector<kubecoro::notification<pod>> batch, const kubecoro::latch& taken)
    {
        std::lock_guard lock(mutex_);
        if (closing_) return (void)taken.settle({});
        batch_ = std::move(batch);
        taken_ = taken;
        wake();
    }

    void finish(kubecoro::result<> why)
    {
        std::lock_guard lock(mutex_);
        ended_ = std::move(why);
        wake();
    }

    void wake() const
    {
        const std::uint64_t one = 1;
        (void)!write(descriptor_, &one, sizeof one);
    }

    asio::io_context context_{1}; // destroyed last
    int descriptor_;
    kubecoro::informer_factory informers_;
    std::mutex mutex_; // guards what both threads use:
    std::vector<kubecoro::notification<pod>> batch_;
    std::optional<kubecoro::latch> taken_;
    kubecoro::result<> ended_;
    bool closing_ = false;
    std::thread thread_;
};

//[loop
/// A loop that is not Asio's, until `names` pods have come.
std::vector<std::string> first_pods(pod_events& pods, std::size_t names)
{
    std::vector<std::string> out;
    const int loop = epoll_create1(EPOLL_CLOEXEC);
    epoll_event interest{};
    interest.events = EPOLLIN;
    epoll_ctl(loop, EPOLL_CTL_ADD, pods.descriptor(), &interest);
    while (out.size() < names && pods.ended()) {
        epoll_event ready{};
        if (epoll_wait(loop, &ready, 1, -1) != 1) continue;
        for (const auto& event : pods.take())
            if (const auto* added = std::get_if<kubecoro::added<pod>>(&event)) out.emplace_back(added->obj.name());
    }
    close(loop);
    return out;
}
//]

int main()
{
    asio::thread_pool server_thread(1);
    kubecoro::apiserver::embedded_server server(server_thread.get_executor());
    const auto create = [&](const std::string& name) {
        const auto body = R"({"metadata":{"name":")" + name + R"("},"spec":{"containers":[{"name":"c","image":"i"}]}})";
        auto created = server.execute("POST", "/api/v1/namespaces/default/pods", body);
        return asio::co_spawn(server_thread, std::move(created), asio::use_future).get().has_value();
    };
    const auto connect = [&](const asio::any_io_executor& executor) {
        return kubecoro::client(executor, std::make_shared<kubecoro::apiserver::in_process_transport>(server));
    };

    bool good = create("first");
    {
        pod_events pods(connect);
        good = good && first_pods(pods, 1) == std::vector<std::string>{"first"};
        good = create("second") && good;
        good = good && first_pods(pods, 1) == std::vector<std::string>{"second"};
        create("unread"); // the end does not wait for a reader
    }
    {
        pod_events unread(connect);
    }
    (void)asio::co_spawn(server_thread, server.stop(), asio::use_future).get();
    server_thread.join();
    std::cout << (good ? "both pods came\n" : "the pods did not come\n");
    return good ? 0 : 1;
}
