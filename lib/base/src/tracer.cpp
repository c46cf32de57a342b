#include <kubecoro/base/tracer.hpp>

#include <kubecoro/base/detail/random.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace kubecoro {

namespace {

constexpr std::string_view digits = "0123456789abcdef";
// "00-" trace "-" span "-" flags.
constexpr std::size_t trace_at = 3, span_at = 36, flags_at = 53, length = 55;

void append_hex(std::string& out, std::uint64_t value)
{
    for (int shift = 60; shift >= 0; shift -= 4) out += digits[(value >> shift) & 0xf];
}

/// Upper-case digits are not permitted.
std::optional<std::uint64_t> hex(std::string_view text) noexcept
{
    std::uint64_t out = 0;
    for (const char c : text) {
        const auto digit = digits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        out = (out << 4) | digit;
    }
    return out;
}

bool has_form(std::string_view text) noexcept
{
    if (text.size() < length || text[2] != '-' || text[span_at - 1] != '-' || text[flags_at - 1] != '-') return false;
    const auto version = text.substr(0, 2);
    if (!hex(version) || version == "ff") return false;
    return text.size() == length || (version != "00" && text[length] == '-');
}

} // namespace

std::string trace_context::trace_text() const
{
    std::string out;
    append_hex(out, trace_high);
    append_hex(out, trace_low);
    return out;
}

std::string trace_context::span_text() const
{
    std::string out;
    append_hex(out, span);
    return out;
}

std::string trace_context::traceparent() const
{
    std::string out = "00-";
    append_hex(out, trace_high);
    append_hex(out, trace_low);
    out += '-';
    append_hex(out, span);
    return out + (sampled ? "-01" : "-00");
}

std::optional<trace_context> trace_context::parse(std::string_view traceparent) noexcept
{
    if (!has_form(traceparent)) return std::nullopt;
    const auto high = hex(traceparent.substr(trace_at, 16));
    const auto low = hex(traceparent.substr(trace_at + 16, 16));
    const auto span = hex(traceparent.substr(span_at, 16));
    const auto flags = hex(traceparent.substr(flags_at, 2));
    if (!high || !low || !span || !flags) return std::nullopt;
    const trace_context out{.trace_high = *high, .trace_low = *low, .span = *span, .sampled = (*flags & 1) != 0};
    return out ? std::optional(out) : std::nullopt;
}

namespace {

/// splitmix64: a bijection, so that the numbers of a counter stay different.
std::uint64_t mixed(std::uint64_t n) noexcept
{
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

// A server chooses the names of objects.
constexpr std::size_t longest_text = 1024;

/// Not within a character of UTF-8.
std::string_view cut(std::string_view text) noexcept
{
    if (text.size() <= longest_text) return text;
    std::size_t end = longest_text;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end);
}

} // namespace

struct tracer::state
{
    state(std::shared_ptr<span_sink> s, tracer_options o)
        : sink(std::move(s)),
          time(o.time ? std::move(o.time) : real_clock()),
          sample(o.sample),
          counter(o.seed != 0 ? o.seed : detail::random_seed())
    {
    }

    std::shared_ptr<span_sink> sink;
    std::shared_ptr<time_source> time;
    double sample;
    std::atomic<std::uint64_t> counter;

    [[nodiscard]] std::uint64_t next() noexcept
    {
        constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15u;
        return mixed(counter.fetch_add(golden_ratio, std::memory_order_relaxed));
    }
    /// An id of 0 says that there is none.
    [[nodiscard]] std::uint64_t next_id() noexcept { return std::max<std::uint64_t>(next(), 1); }
};

tracer::tracer(std::shared_ptr<span_sink> sink, tracer_options options)
    : state_(std::make_shared<state>(std::move(sink), std::move(options)))
{
}

tracer tracer::ids_only(tracer_options options) { return tracer(nullptr, std::move(options)); }

bool tracer::draw() const noexcept
{
    return state_ && (state_->sample >= 1 || static_cast<double>(state_->next() >> 11) * 0x1.0p-53 < state_->sample);
}

trace_context tracer::identify(const trace_context& parent) const noexcept
{
    if (!state_) return {};
    trace_context out = parent;
    if (!parent)
        out = {.trace_high = state_->next(), .trace_low = state_->next_id(), .sampled = state_->sink != nullptr};
    out.span = state_->next_id();
    return out;
}

span tracer::start(std::string_view name) const { return start(name, place()); }

span tracer::start(std::string_view name, const place& where) const
{
    if (!state_ || (!where.parent && !where.identity && !draw())) return {};
    auto data = std::make_unique<span_data>();
    data->name = name;
    data->kind = where.kind;
    data->context = where.identity ? where.identity : identify(where.parent);
    data->parent = where.parent ? where.parent.span : 0;
    const auto now = state_->time->now();
    const auto begun = where.begun.value_or(now);
    data->start = state_->time->wall_now() - std::chrono::duration_cast<wall_time::duration>(now - begun);
    return {*this, std::move(data), begun};
}

void tracer::record(const span_data& s) const noexcept
{
    if (!state_ || !state_->sink || !s.context.sampled) return;
    try {
        state_->sink->ended(s);
    } catch (...) { // the program's sink has thrown: a lost span does not fail the work
        return;
    }
}

const std::shared_ptr<time_source>& tracer::time() const noexcept { return state_->time; }

span span::part(std::string_view name, span_kind kind) const
{
    if (!data_) return {};
    return of_.start(name, {.parent = context(), .kind = kind});
}

void span::set(std::string_view name, std::string_view value)
{
    if (recorded()) data_->attributes.push_back({std::string(name), std::string(cut(value))});
}

void span::set(std::string_view name, bool value)
{
    if (recorded()) data_->attributes.push_back({std::string(name), value});
}

void span::set(std::string_view name, double value)
{
    if (recorded()) data_->attributes.push_back({std::string(name), value});
}

void span::set_integer(std::string_view name, std::int64_t value)
{
    if (recorded()) data_->attributes.push_back({std::string(name), value});
}

void span::link(const trace_context& other)
{
    if (recorded() && other) data_->links.push_back(other);
}

void span::leave_out_links(std::uint64_t count)
{
    if (data_) data_->links_left_out += count;
}

void span::fail(std::string_view why)
{
    if (data_) data_->error = why;
}

void span::end() noexcept
{
    if (!data_) return;
    data_->took = of_.time()->now() - begun_;
    of_.record(*data_);
    data_.reset();
}

} // namespace kubecoro
