// Decoding JSON to encoded objects.
#include "allocations.hpp"
#include "corpus.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/decoders.hpp>

namespace kubecoro::bench {

using namespace detail;

namespace {

/// The size of one read from a socket.
constexpr std::size_t chunk = 64 * 1024;

data_kind kind_of(const benchmark::State& state) { return static_cast<data_kind>(state.range(0)); }

void label(benchmark::State& state)
{
    static constexpr const char* names[] = {"small", "large", "low", "custom"};
    state.SetLabel(names[state.range(0)]);
}

template<class Feed>
void in_chunks(std::string_view text, Feed feed)
{
    for (; !text.empty(); text.remove_prefix(std::min(chunk, text.size()))) feed(text.substr(0, chunk));
}

/// One object that shares an encoding with the others, as in an informer.
void encode(benchmark::State& state)
{
    const auto& texts = corpus(kind_of(state));
    const auto encoding = make_object_encoding();
    for (const auto& text : texts) benchmark::DoNotOptimize(decode_object(text, {}, encoding));
    std::size_t next = 0;
    std::size_t stored = 0;
    allocation_report report(state);
    for (auto _ : state) {
        const auto o = decode_object(texts[next], {}, encoding);
        stored += o->bytes();
        next = next + 1 == texts.size() ? 0 : next + 1;
    }
    state.counters["stored"] = static_cast<double>(stored) / static_cast<double>(state.iterations());
    label(state);
}
BENCHMARK(encode)->DenseRange(0, 3);

/// One object by itself, as a single GET.
void encode_alone(benchmark::State& state)
{
    const auto& texts = corpus(kind_of(state));
    std::size_t next = 0;
    allocation_report report(state);
    for (auto _ : state) {
        benchmark::DoNotOptimize(decode_object(texts[next]));
        next = next + 1 == texts.size() ? 0 : next + 1;
    }
    label(state);
}
BENCHMARK(encode_alone)->DenseRange(0, 3);

/// A list answer of many objects; per object.
void decode_list(benchmark::State& state)
{
    const auto& text = list_text(kind_of(state));
    allocation_report report(state);
    report.per_iteration(corpus_size);
    for (auto _ : state) {
        list_decoder decoder({}, make_object_encoding());
        in_chunks(text, [&](std::string_view part) { benchmark::DoNotOptimize(decoder.feed(part)); });
        benchmark::DoNotOptimize(decoder.finish());
    }
    label(state);
}
BENCHMARK(decode_list)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

/// A watch answer of many events; per event.
void decode_watch(benchmark::State& state)
{
    const auto& text = watch_text(kind_of(state));
    std::vector<watch_event> events;
    watch_decoder decoder({}, make_object_encoding());
    allocation_report report(state);
    report.per_iteration(corpus_size);
    for (auto _ : state) {
        in_chunks(text, [&](std::string_view part) {
            benchmark::DoNotOptimize(decoder.feed(part, events));
            events.clear();
        });
    }
    label(state);
}
BENCHMARK(decode_watch)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace kubecoro::bench
