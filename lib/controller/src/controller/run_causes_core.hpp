#pragma once

#include <kubecoro/api/object.hpp>
#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/tracer.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kubecoro::detail {

/// The reason for a run.
struct run_cause
{
    enum class kind
    {
        event,
        trigger,
        /// The previous run failed.
        retry,
        /// The previous run has asked for another one.
        requeue
    };
    kind why = kind::event;
    /// The event, or the previous run.
    trace_context from = {};
    /// The span that the run is a part of. Empty: a trace of its own begins.
    trace_context parent = {};
};

/// The kind's name.
[[nodiscard]] std::string_view to_string(run_cause::kind k) noexcept;

/// Everything that has asked for one run of a key.
struct run_causes
{
    /// The first ones and the last one.
    std::vector<run_cause> kept = {};
    /// Number of those in between.
    std::uint64_t left_out = 0;
    /// When the first event or trigger came; empty without one.
    std::optional<time_point> since = {};
};

/** Remembers why keys are to run, until they do. Sans-io, not thread safe. */
class run_causes_core
{
public:
    static constexpr std::size_t most_kept = 8;

    explicit run_causes_core(std::size_t max_keys) noexcept : max_keys_(max_keys) {}

    /// @return false when there is no room for the key.
    bool note(object_key_view key, const run_cause& why, time_point now);
    /// A run of the key begins: forgets its causes.
    [[nodiscard]] std::optional<run_causes> take(object_key_view key);

    [[nodiscard]] std::size_t keys() const noexcept { return waiting_.size(); }

private:
    std::size_t max_keys_;
    boost::unordered_flat_map<object_key, run_causes, object_key_hash, object_key_equal> waiting_;
};

/// The identity and the relations of a run.
struct run_relations
{
    /// The span that it is a part of; empty: it begins a trace.
    trace_context parent = {};
    std::vector<trace_context> links = {};
};

/// The run is in the trace of the first of its causes that has one to be in; the others, and a previous run, are links.
[[nodiscard]] run_relations relations_of(const run_causes& why);

/// Runs in a row that fail and stay in one trace, so that a key that fails for ever makes none without an end.
inline constexpr unsigned attempts_in_a_trace = 16;

/// The cause of the run that follows another one.
/// @param run      The run that has ended. @param parent  The span that it is a part of.
/// @param attempt  Its number since the last success.
[[nodiscard]] run_cause cause_after(run_cause::kind why, const trace_context& run, const trace_context& parent,
                                    unsigned attempt);

} // namespace kubecoro::detail
