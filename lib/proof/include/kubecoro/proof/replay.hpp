#pragma once

#include <kubecoro/base/clock.hpp>
#include <kubecoro/base/kept_text.hpp>
#include <kubecoro/base/result.hpp>
#include <kubecoro/manager/manager_options.hpp>
#include <kubecoro/proof/check_operator.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace kubecoro::testing {

/// Options of replay().
struct replay_options
{
    /// As in the program. The clock is the replay's; rights are not asked for.
    manager_options managing = {};
    /// Fields of bodies that the comparison leaves out, such as "status.checkedAt". Texts that are times never count.
    text_list ignored = {};
};

/// The outcome of replay(). Tests true if the operator has sent the writes of the recording, and no others.
struct replay_report
{
    /// A write of the operator that is not as in the recording.
    struct difference
    {
        /// Since the beginning: in the replay, or in the recording for a request that is missing.
        duration at{};
        /// Such as "PATCH configmaps default/one".
        std::string request = {};
        /// The recorded body; empty = the recording has no such request.
        std::string recorded = {};
        /// The body in the replay; empty = the operator has not sent it.
        std::string replayed = {};
        /// The difference, as a sentence.
        std::string what = {};
    };

    /// Requests of the operator.
    std::size_t requests = 0;
    /// Its writes with their bodies, in order: "PATCH configmaps default/one {...}". Without Leases and events.
    std::vector<std::string> writes = {};
    /// In the order of the replay; then the requests that are missing.
    std::vector<difference> differences = {};
    /// Why the operator has ended by itself; empty = it has not.
    std::string ended_by = {};

    /// Whether nothing differs.
    [[nodiscard]] bool ok() const noexcept { return differences.empty() && ended_by.empty(); }
    /// The same as ok().
    explicit operator bool() const noexcept { return ok(); }
};

/// For people: a line for each difference.
[[nodiscard]] std::string describe(const replay_report& r);
/// Writes describe(). Test frameworks print reports with it.
std::ostream& operator<<(std::ostream& out, const replay_report& r);

/** Plays the file of a recording_transport into an operator, in virtual time.

        TEST_CASE("the incident of May")
        {
            REQUIRE(testing::replay(add_operator, "incident.rec"));
        }

    Lists and watches bring what was recorded, at the recorded times. A write gets the answer of the recorded write of the same
    method and object; one that the recording does not have is accepted, but no watch will show its effect. Since the values of
    Secrets are masked, writes that depend on them differ.

    @return  How the operator's writes differ from the recorded ones. The same recording gives the same report.
    @par Errors  corrupt and invalid for a file that is no recording, has another version or lacks its beginning; not_found;
                 misconfigured for a set-up that fails, and for a file of more than a GiB. */
[[nodiscard]] result<replay_report> try_replay(const detail::operator_function& add, const std::string& file,
                                               const replay_options& options = {});
/// The same for tests. Throws kubecoro::error for a failure.
[[nodiscard]] replay_report replay(const detail::operator_function& add, const std::string& file,
                                   const replay_options& options = {});

} // namespace kubecoro::testing
