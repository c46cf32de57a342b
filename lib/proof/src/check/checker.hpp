// All runs of one check, what they found, and its reduction.
#pragma once

#include "check/objects_of_others.hpp"
#include "check/used_rights_core.hpp"
#include "course/course.hpp"
#include "world/scenario.hpp"

#include <kubecoro/proof/operator_report.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kubecoro::testing::detail {

class checker
{
public:
    explicit checker(scenario about);

    /// Errors: invalid for objects that the server refuses.
    [[nodiscard]] result<operator_report> check();

private:
    /// The first run that broke a promise.
    struct found
    {
        std::string run;
        std::uint64_t seed = 0;
        run_plan plan;
        std::size_t runs = 0;
        /// Whether it is the run with taken names.
        bool taken = false;
    };

    [[nodiscard]] result<> run_without_faults();
    void run_with_taken_names(const std::vector<made_object>& made);
    /// The changes that the schemas of the objects allow.
    [[nodiscard]] std::size_t edits() const;
    void run_plans(const std::vector<run_plan>& plans, const char* kind, bool own_seeds);
    void record(const course_outcome& out, const char* kind, std::uint64_t seed, const run_plan& plan);
    void look_at_rights();
    void report_findings();
    [[nodiscard]] operator_report::finding shown(const broken_promise& b, found f, bool reduce);
    [[nodiscard]] bool breaks(const broken_promise& b, const scenario& about, const run_plan& plan,
                              std::uint64_t seed) const;
    [[nodiscard]] std::string allowed(const broken_promise& b) const;

    scenario about_;
    /// The same with objects of others under the names that the operator uses.
    std::optional<scenario> taken_;
    operator_report report_;
    reference_states reference_;
    /// Objects that the operator makes.
    std::size_t made_ = 0;
    used_rights used_;
    std::vector<broken_promise> order_;
    std::map<broken_promise, found> found_;
};

} // namespace kubecoro::testing::detail
