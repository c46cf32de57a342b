// The CPU that recording_transport costs an informer: pairs of runs, one of them recorded. Bytes come from memory, so that the
// share is the highest possible: sockets and TLS cost the same with and without it.
//     kubecoro_bench_recording FILE [PAIRS]
#include "corpus.hpp"

#include <kubecoro/api/untyped.hpp>
#include <kubecoro/base/latch.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/recording_transport.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace asio = boost::asio;

namespace kubecoro::bench {
namespace {

constexpr std::size_t piece = 16384;

/// A body from memory, in pieces as sockets give them. A watch then stays open.
class memory_answer final : public answer
{
public:
    /// @param read  Settled when a watch has been read.
    memory_answer(std::string_view body, bool stays, latch read) : rest_(body), stays_(stays), read_(std::move(read))
    {
        head_.status = 200;
        head_.headers = {{"content-type", "application/json"}};
    }
    [[nodiscard]] const answer_head& head() const noexcept override { return head_; }
    asio::awaitable<result<std::string_view>> read_some() override
    {
        if (rest_.empty() && stays_) {
            read_.settle({});
            KUBECORO_TRY(co_await never_.wait());
        }
        const auto out = rest_.substr(0, piece);
        rest_.remove_prefix(out.size());
        co_return out;
    }

private:
    answer_head head_;
    std::string_view rest_;
    bool stays_;
    latch read_;
    latch never_;
};

/// As a server names it.
const std::string& pod_list()
{
    static const auto made = [] {
        auto out = list_text(data_kind::small);
        constexpr std::string_view plain = "\"kind\":\"List\"";
        return out.replace(out.find(plain), plain.size(), "\"kind\":\"PodList\"");
    }();
    return made;
}

class memory_transport final : public transport
{
public:
    explicit memory_transport(latch read) : read_(std::move(read)) {}

    asio::awaitable<result<std::unique_ptr<answer>>> send(request r) override
    {
        const bool watches = r.target.find("watch=") != std::string::npos;
        std::unique_ptr<answer> out =
            std::make_unique<memory_answer>(watches ? watch_text(data_kind::small) : pod_list(), watches, read_);
        co_return out;
    }

private:
    latch read_;
};

double cpu_seconds()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

asio::awaitable<result<>> run(client cluster, asio::io_context& context, latch read)
{
    factory_options options;
    options.log = logger::silent();
    options.policy.watch_list = false;
    informer_factory informers(cluster, options);
    auto pods = informers.get(untyped::pod::resource());
    std::size_t seen = 0;
    auto handler = pods.add_event_handler(
        {.on_add = [&](const added<>&) { ++seen; }, .on_update = [&](const updated<>&) { ++seen; }});
    informers.start();
    KUBECORO_TRY(co_await read.wait());
    KUBECORO_TRY(co_await informers.stop());
    context.stop();
    co_return result<>{};
}

double measure(const char* file)
{
    asio::io_context context(1);
    const latch read;
    recording_stats seen;
    const auto before = cpu_seconds();
    {
        std::shared_ptr<transport> over = std::make_shared<memory_transport>(read);
        std::shared_ptr<recording_transport> recorder;
        if (file != nullptr)
            over = recorder = std::make_shared<recording_transport>(
                over, recording_options{.file = file, .max_bytes = std::uint64_t{1} << 32});
        client cluster(context.get_executor(), over, {.log = logger::silent()});
        asio::co_spawn(context, run(cluster, context, read), [](const std::exception_ptr& e, const result<>& outcome) {
            if (!e && outcome) return;
            std::fprintf(stderr, "%s\n", e ? "thrown" : outcome.error().describe().c_str());
            std::exit(1);
        });
        context.run();
        if (recorder) seen = recorder->stats();
    }
    const auto used = cpu_seconds() - before;
    if (seen.lost != 0) std::printf("%llu records were lost\n", static_cast<unsigned long long>(seen.lost));
    return used;
}

double median(std::vector<double> all)
{
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

} // namespace
} // namespace kubecoro::bench

int main(int argc, char** argv)
{
    using namespace kubecoro::bench;
    if (argc < 2) return 2;
    const int pairs = argc > 2 ? std::atoi(argv[2]) : 15;
    (void)measure(nullptr);
    (void)measure(argv[1]);
    std::vector<double> without;
    std::vector<double> with;
    for (int i = 0; i < pairs; ++i) {
        without.push_back(measure(nullptr));
        with.push_back(measure(argv[1]));
    }
    const auto a = median(without);
    const auto b = median(with);
    std::printf("median CPU of %d pairs: %.1f ms, recorded %.1f ms: %+.1f %%\n", pairs, a * 1e3, b * 1e3,
                (b / a - 1) * 100);
}
