#pragma once

#include <kubecoro/base/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace kubecoro::testing {

/// A promise that check_operator() checks. docs/guide/proving.md says how each is decided.
enum class oracle
{
    /// The state becomes that of the run without faults, within a bounded time and number of requests.
    converges,
    /// The operator writes nothing while nothing changes. A resync changes nothing.
    stays_converged,
    /// The operator's children are gone after the user's objects.
    cleans_up,
    /// Objects of others are neither deleted nor changed.
    spares_others,
    /// Objects that are deleted are gone after a bounded time.
    ends_finalizers,
    /// No run throws or fails for good, and the operator does not end by itself.
    runs_well,
    /// No log line has the value of a Secret.
    keeps_secrets,
    /// Each right that is used is declared.
    declares_rights,
    /// Each right that is declared is used.
    uses_rights,
    /// No replica writes while another one holds the Lease, but for requests that left before.
    writes_as_leader,
    /// The invariant of the options.
    invariant
};

/// The oracle's name.
[[nodiscard]] std::string_view to_string(oracle o) noexcept;

/// The outcome of check_operator(). Tests true if no promise was broken but those that the options allow.
struct operator_report
{
    /// A promise that was broken, with the shortest way to it.
    struct finding
    {
        /// The promise.
        oracle which = oracle::converges;
        /// The observation. The same in each run that breaks the promise in this way.
        std::string what = {};
        /// The first run that broke it: "reference", "crash", or "seed" with the faults below.
        std::string run = {};
        /// The seed of that run.
        std::uint64_t seed = 0;
        /// How many runs broke it.
        std::size_t runs = 0;
        /// The faults of the run, those left out without which it breaks the promise as well.
        std::vector<std::string> faults = {};
        /// The objects that were applied, reduced in the same way.
        std::vector<std::string> objects = {};
        /// Steps of the reduced run, with virtual time: requests, events, faults, log lines. The last ones if there are too many.
        std::vector<std::string> trace = {};
        /// Empty, or why the options allow it: then it counts as no failure.
        std::string allowed_because = {};
    };

    /// Name of the operator.
    std::string name = {};
    /// Each broken promise once.
    std::vector<finding> findings = {};
    /// Runs of the operator, those of the reduction left out.
    std::size_t runs = 0;
    /// Requests of the run without faults.
    std::size_t requests = 0;
    /// Real time that these runs took. Not part of the texts.
    duration took{};

    /// Whether nothing was found that the options do not allow.
    [[nodiscard]] bool ok() const noexcept;
    /// The same as ok().
    explicit operator bool() const noexcept { return ok(); }
};

/// For people: a few lines, and for each finding its faults and its trace. The same seed gives the same bytes.
[[nodiscard]] std::string describe(const operator_report& r);
/// For programs: one JSON object with the same contents.
[[nodiscard]] std::string to_json(const operator_report& r);
/// Writes describe(). Test frameworks print reports with it.
std::ostream& operator<<(std::ostream& out, const operator_report& r);

} // namespace kubecoro::testing
