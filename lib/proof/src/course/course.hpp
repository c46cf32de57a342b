// The course of one run: start, objects, quiet, calm, removal, quiet. Its oracles look at what happened.
#pragma once

#include "plan/run_plan_core.hpp"
#include "state/masked_state_core.hpp"
#include "world/fault_injector.hpp"
#include "world/scenario.hpp"
#include "world/world.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kubecoro::testing::detail {

struct broken_promise
{
    oracle which;
    std::string what;
    friend auto operator<=>(const broken_promise&, const broken_promise&) = default;
};

/// The states that every run must reach.
struct reference_states
{
    masked_state created = {};
    masked_state removed = {};
    /// Resources that the operator writes.
    std::set<std::string> written = {};
};

struct course_outcome
{
    /// Why the server did not take an object of the user.
    std::optional<std::string> refused = {};
    std::vector<broken_promise> broken = {};
    reference_states states = {};
    std::size_t requests = 0;
    std::vector<traffic> answered = {};
    /// The objects that the operator has made and that are there when the state has settled: keys, paths and JSON.
    std::vector<std::array<std::string, 3>> made = {};
    std::vector<std::string> trace = {};
};

class course
{
public:
    /// @param reference  Null for the run without faults. All outlive the course.
    course(const scenario& about, run_plan plan, std::uint64_t seed, const reference_states* reference, bool traced);

    /// Call it once.
    [[nodiscard]] course_outcome run();

private:
    void start();
    void create_objects();
    void remove_objects();
    /// Until nothing moves, and the state is the wanted one.
    [[nodiscard]] masked_state settle(const masked_state* wanted, const std::string& phase);
    void watch_calm();
    /// The faults that begin when the state has settled, one after the other.
    void act_on_settled();
    void edit_and_back(const planned_fault& f);
    void look_at_removed(const masked_state& state);
    void look_at_answers();
    void look_at_lines();
    void look_at_runs();
    void look_at_others();
    [[nodiscard]] std::map<std::string, std::string> state_of_others();
    void keep_made_objects();
    void check_invariant();
    void compare(const masked_state& wanted, const masked_state& found, const std::string& phase);
    void broken(oracle which, std::string what);
    void perform(std::string method, std::string path, std::string body, const std::string& words);
    [[nodiscard]] bool is_quiet() const;
    [[nodiscard]] bool counts(const std::string& key) const;
    [[nodiscard]] masked_state picture(bool all);
    [[nodiscard]] std::vector<seen_object> changed_objects();

    const scenario* about_;
    const operator_check_options* options_;
    const reference_states* reference_;
    run_plan plan_;
    kubecoro::detail::random_source random_;
    world world_;
    fault_injector injector_;
    std::string first_dump_;
    dump_lines known_;
    std::map<std::string, std::string> others_;
    course_outcome out_;
};

} // namespace kubecoro::testing::detail
