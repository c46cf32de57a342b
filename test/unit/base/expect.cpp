#include <kubecoro/base/detail/confinement.hpp>
#include <kubecoro/base/detail/context_bound.hpp>
#include <kubecoro/base/detail/expect.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>

using namespace kubecoro;
namespace asio = boost::asio;

TEST_CASE("KUBECORO_EXPECT: is passed by what is true, with commas as well", "[base]")
{
    KUBECORO_EXPECT(std::is_same_v<int, int>);
    SUCCEED();
}

#ifdef KUBECORO_ASSERTIONS

TEST_CASE("KUBECORO_EXPECT: ends the program with the condition and its place", "[base]")
{
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const auto child = ::fork();
    REQUIRE(child != -1);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL); // Catch2 reports the signal otherwise
        ::dup2(ends[1], STDERR_FILENO);
        KUBECORO_EXPECT(ends[0] == ends[1]);
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    std::array<char, 1000> part{}; // the line may come in several
    for (ssize_t size; (size = ::read(ends[0], part.data(), part.size())) > 0;)
        said.append(part.data(), static_cast<std::size_t>(size));
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGABRT);
    CHECK(said.find("expect.cpp:") != said.npos);
    CHECK(said.find("expected ends[0] == ends[1]\n") != said.npos);
}

TEST_CASE("checked_mutex: knows its holder", "[base]")
{
    detail::checked_mutex mutex;
    CHECK_FALSE(mutex.held_here());
    {
        const std::lock_guard lock(mutex);
        CHECK(mutex.held_here());
        bool other_holds = true;
        bool other_locked = true;
        std::thread([&] {
            other_holds = mutex.held_here();
            other_locked = mutex.try_lock();
        }).join();
        CHECK_FALSE(other_holds);
        CHECK_FALSE(other_locked);
        CHECK(mutex.held_here());
    }
    CHECK_FALSE(mutex.held_here());
    const std::unique_lock lock(mutex, std::try_to_lock);
    CHECK(lock.owns_lock());
    CHECK(mutex.held_here());
}

#else

TEST_CASE("KUBECORO_EXPECT: does not evaluate the condition without KUBECORO_ASSERTIONS", "[base]")
{
    int calls = 0;
    const auto count = [&] { return ++calls == 0; };
    KUBECORO_EXPECT(count());
    CHECK(calls == 0);
}

TEST_CASE("checked_mutex: is a std::mutex without KUBECORO_ASSERTIONS", "[base]")
{
    CHECK(sizeof(detail::checked_mutex) == sizeof(std::mutex));
    detail::checked_mutex mutex;
    const std::lock_guard lock(mutex);
    CHECK_FALSE(std::async(std::launch::async, [&] { return mutex.try_lock(); }).get());
}

#endif

TEST_CASE("runs_on: knows the strand of the caller", "[base]")
{
    asio::io_context context;
    const asio::any_io_executor strand = asio::make_strand(asio::any_io_executor(context.get_executor()));
    const asio::any_io_executor other = asio::make_strand(asio::any_io_executor(context.get_executor()));
    const detail::kept_executor kept(strand);
    bool ran = false;
    CHECK_FALSE(detail::runs_on(kept));
    asio::post(strand, [&] {
        ran = true;
        CHECK(detail::runs_on(kept));
        CHECK_FALSE(detail::runs_on(other));
    });
    context.run();
    CHECK(ran);
}

TEST_CASE("runs_on: is true where it cannot be known", "[base]")
{
    detail::kept_executor kept;
    CHECK(detail::runs_on(kept));
    CHECK(detail::runs_on(asio::any_io_executor()));
    asio::io_context plain;
    CHECK(detail::runs_on(asio::any_io_executor(plain.get_executor())));
    {
        asio::io_context ended;
        kept = asio::any_io_executor(asio::make_strand(asio::any_io_executor(ended.get_executor())));
    }
    CHECK(detail::runs_on(kept));
}
