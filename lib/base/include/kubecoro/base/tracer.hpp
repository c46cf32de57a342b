#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kubecoro {

/** The identity of one span of a trace, as the W3C recommendation "Trace Context" defines it. A value; the default one tests
    false: there is no trace. */
struct trace_context
{
    /// The first eight bytes of the trace's id.
    std::uint64_t trace_high = 0;
    /// The other eight.
    std::uint64_t trace_low = 0;
    /// The id of the span.
    std::uint64_t span = 0;
    /// Whether spans of this trace are recorded.
    bool sampled = false;

    /// Whether there is a trace and a span.
    [[nodiscard]] explicit operator bool() const noexcept { return (trace_high | trace_low) != 0 && span != 0; }
    /// The trace's id: 32 hexadecimal digits.
    [[nodiscard]] std::string trace_text() const;
    /// The span's id: 16 hexadecimal digits.
    [[nodiscard]] std::string span_text() const;
    /// The value of the header `traceparent`, in version 00.
    [[nodiscard]] std::string traceparent() const;
    /// The context that a `traceparent` header names; empty when it is not one. As the recommendation says, a later version
    /// may have more behind the flags.
    [[nodiscard]] static std::optional<trace_context> parse(std::string_view traceparent) noexcept;

    friend bool operator==(const trace_context&, const trace_context&) = default;
};

/// The role of a span, as in OpenTelemetry.
enum class span_kind
{
    /// Work inside the program.
    internal,
    /// A request to a server.
    client,
    /// The cause of work that follows later, such as an event.
    producer,
    /// Such work.
    consumer
};

/// A span that has ended.
struct span_data
{
    /// A named value of a span.
    struct attribute
    {
        /// The name.
        std::string name;
        /// The value.
        std::variant<std::string, std::int64_t, double, bool> value;

        friend bool operator==(const attribute&, const attribute&) = default;
    };

    /// From a small set: the names of objects are attributes.
    std::string name = {};
    /// Its role.
    span_kind kind = span_kind::internal;
    /// Its identity.
    trace_context context = {};
    /// The id of the span that it is a part of; 0 = none: it is the first one of its trace.
    std::uint64_t parent = 0;
    /// When it began.
    wall_time start = {};
    /// How long it took.
    duration took{0};
    /// Named values, in the order in which they were set.
    std::vector<attribute> attributes = {};
    /// Other spans that have to do with it: its further causes, or its previous attempt.
    std::vector<trace_context> links = {};
    /// Links that were left out.
    std::uint64_t links_left_out = 0;
    /// The class of the failure with which it ended; empty = it succeeded. Never the message, which may contain a part of
    /// an object.
    std::string error = {};
};

/** Receives spans that have ended, for instance to send them to a collector: implemented by the program. Called on any
    thread, also by several at once; must not block for long. Its exceptions are swallowed. */
class span_sink
{
public:
    virtual ~span_sink() = default;
    /// @param s  Borrowed: valid only during the call.
    virtual void ended(const span_data& s) = 0;
};

class span;

/// Options of a tracer.
struct tracer_options
{
    /// The share of traces that are recorded: 0.01 is one in a hundred. Nothing is kept or sent for the others.
    double sample = 1;
    /// Empty = real_clock().
    std::shared_ptr<time_source> time = {};
    /// Makes the ids repeatable, in tests. 0 = unpredictable.
    std::uint64_t seed = 0;
};

/** Makes spans. A cheap handle; copies share everything. Thread safe. The default one tests false and makes none.

        tracer spans(std::make_shared<my_exporter>(), {.sample = 0.1});
        auto s = spans.start("render");
        s.set("pages", 3);                      // ends with its scope                                              */
class tracer
{
public:
    /// The position of a new span.
    struct place
    {
        /// The span of which it is a part; without one, a trace begins.
        trace_context parent = {};
        /// Its role.
        span_kind kind = span_kind::internal;
        /// Its identity, made by tracer::identify(). Empty = a new one.
        trace_context identity = {};
        /// When it began, by the tracer's clock. Empty = now.
        std::optional<time_point> begun = {};
    };

    tracer() = default;
    /// @param sink  Null as for ids_only().
    explicit tracer(std::shared_ptr<span_sink> sink, tracer_options options = {});
    /// Makes ids, for log lines and requests, but no spans: `traceparent` then says that nothing is recorded.
    [[nodiscard]] static tracer ids_only(tracer_options options = {});

    /// Whether it makes anything.
    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Whether the next trace is to be recorded: true for the sampled share.
    [[nodiscard]] bool draw() const noexcept;
    /// The identity of a span: a part of `parent`, or the first one of a trace. Empty without a tracer.
    [[nodiscard]] trace_context identify(const trace_context& parent = {}) const noexcept;
    /// Begins a span. Empty when it is neither a part nor has an identity, and is not drawn.
    [[nodiscard]] span start(std::string_view name, const place& where) const;
    /// Begins the first span of a trace, if it is drawn.
    [[nodiscard]] span start(std::string_view name) const;
    /// Passes a span to the sink that was timed elsewhere. Never throws. Its context must be one of identify().
    void record(const span_data& s) const noexcept;
    /// The clock of its options. Precondition: not empty.
    [[nodiscard]] const std::shared_ptr<time_source>& time() const noexcept;

private:
    struct state;
    explicit tracer(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}

    std::shared_ptr<state> state_;
};

/** A span that has begun. Passed to the sink when it is destroyed, or by end(). The default one tests false, and ignores
    everything. Not thread safe. */
class span
{
public:
    span() = default;
    span(span&& other) noexcept = default;
    span& operator=(span&& other) noexcept
    {
        if (this != &other) end();
        data_ = std::move(other.data_);
        begun_ = other.begun_;
        of_ = std::move(other.of_);
        return *this;
    }
    ~span() { end(); }

    /// Whether there is one. With a tracer of ids only it has an identity, and is not recorded.
    [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }
    /// Its identity, for parts of it. Empty without a trace.
    [[nodiscard]] trace_context context() const noexcept { return data_ ? data_->context : trace_context(); }

    /// Begins a span that is a part of this one. Empty when this one is.
    [[nodiscard]] span part(std::string_view name, span_kind kind = span_kind::internal) const;

    /// Sets a named value. Never an object's content, nor a secret. Texts beyond 1,024 bytes are cut.
    void set(std::string_view name, std::string_view value);
    /// A text that ends with a zero byte, not null.
    void set(std::string_view name, const char* value) { set(name, std::string_view(value)); }
    /// A truth value.
    void set(std::string_view name, bool value);
    /// A number.
    void set(std::string_view name, double value);
    /// An integer.
    template<class Integer>
        requires std::is_integral_v<Integer>
    void set(std::string_view name, Integer value)
    {
        set_integer(name, static_cast<std::int64_t>(value));
    }
    /// Names another span that has to do with it.
    void link(const trace_context& other);
    /// Counts links that were left out.
    void leave_out_links(std::uint64_t count);
    /// It ends with a failure of this class.
    void fail(cond why) { fail(to_string(why)); }
    /// The same for a class that is none of `cond`, such as the code of a response. Never a message.
    void fail(std::string_view why);
    /// Ends it. Idempotent.
    void end() noexcept;

private:
    friend class tracer;
    span(tracer of, std::unique_ptr<span_data> data, time_point begun) noexcept
        : of_(std::move(of)), data_(std::move(data)), begun_(begun)
    {
    }
    void set_integer(std::string_view name, std::int64_t value);
    [[nodiscard]] bool recorded() const noexcept { return data_ && data_->context.sampled; }

    tracer of_;
    std::unique_ptr<span_data> data_;
    time_point begun_{};
};

} // namespace kubecoro
