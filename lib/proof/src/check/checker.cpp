#include "check/checker.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kubecoro::testing::detail {

checker::checker(scenario about) : about_(std::move(about)) { report_.name = about_.replicas.name; }

result<> checker::run_without_faults()
{
    const auto seed = about_.options->first_seed;
    auto first = course(about_, {}, seed, nullptr, false).run();
    if (first.refused) return failure(cond::invalid, *first.refused);
    record(first, "reference", seed, {});
    std::vector<made_object> made;
    for (auto& [key, path, text] : first.made) made.push_back({path.substr(0, path.rfind('/')), key, text});
    made_ = made.size();
    if (!made.empty()) {
        run_with_taken_names(made);
        auto got_about = with_others(about_, made, false);
        if (!got_about) return got_about.error();
        about_ = std::move(*got_about);
        first = course(about_, {}, seed, nullptr, false).run();
        record(first, "reference", seed, {});
    }
    reference_ = std::move(first.states);
    report_.requests = first.requests;
    return {};
}

std::size_t checker::edits() const
{
    std::size_t out = 0;
    for (const auto& o : about_.objects) out += o.edits.size();
    return out;
}

void checker::run_with_taken_names(const std::vector<made_object>& made)
{
    auto taken = with_others(about_, made, true);
    if (!taken || taken->others.empty()) return;
    taken_ = std::move(*taken);
    const auto seed = about_.options->first_seed;
    auto out = course(*taken_, {}, seed, nullptr, false).run();
    // It may fail for good, and need not make anything.
    std::erase_if(out.broken, [](const auto& b) { return b.which != oracle::spares_others; });
    record(out, "taken names", seed, {});
}

result<operator_report> checker::check()
{
    const auto& o = *about_.options;
    const auto begin = real_clock()->now();
    if (auto done = run_without_faults(); !done) return done.error();
    // A run without faults that does not settle has no state to compare with.
    const bool settles =
        std::none_of(order_.begin(), order_.end(), [](const auto& b) { return b.which == oracle::converges; });
    if (settles && o.crashes)
        run_plans(plans_of_all(report_.requests, made_, edits(), about_.elects()), "systematic", false);
    std::vector<run_plan> drawn;
    for (std::size_t n = 1; settles && n <= o.seeds; ++n)
        drawn.push_back(draw_plan(o.first_seed + n, report_.requests, about_.elects()));
    run_plans(drawn, "seed", true);
    if (settles) look_at_rights();
    report_.took = real_clock()->now() - begin;
    report_findings();
    return std::move(report_);
}

void checker::run_plans(const std::vector<run_plan>& plans, const char* kind, bool own_seeds)
{
    const auto first = about_.options->first_seed;
    for (std::size_t n = 0; n < plans.size(); ++n) {
        const auto seed = own_seeds ? first + n + 1 : first;
        record(course(about_, plans[n], seed, &reference_, false).run(), kind, seed, plans[n]);
    }
}

void checker::record(const course_outcome& out, const char* kind, std::uint64_t seed, const run_plan& plan)
{
    ++report_.runs;
    for (const auto& t : out.answered) used_.add(t.route, t.lists);
    for (const auto& b : out.broken) {
        const auto [at, is_new] =
            found_.try_emplace(b, found{kind, seed, plan, 0, std::string_view(kind) == "taken names"});
        if (is_new) order_.push_back(b);
        ++at->second.runs;
    }
}

void checker::look_at_rights()
{
    for (auto& name : used_.unused(about_.rights)) {
        broken_promise b{oracle::uses_rights, "the right to " + name + " is declared and never used"};
        found_.try_emplace(b, found{"all runs", about_.options->first_seed, {}, report_.runs, false});
        order_.push_back(std::move(b));
    }
}

std::string checker::allowed(const broken_promise& b) const
{
    for (const auto& a : about_.options->allowed)
        if (a.which == b.which && b.what.find(a.about) != std::string::npos) return a.because;
    return {};
}

void checker::report_findings()
{
    // Each costs many runs, and the first ones say most.
    constexpr std::size_t most_reduced = 3;
    std::size_t reductions = about_.options->reductions == 0 ? 0 : most_reduced;
    for (const auto& b : order_) {
        const auto reduce = reductions != 0 && b.which != oracle::uses_rights && allowed(b).empty();
        if (reduce) --reductions;
        report_.findings.push_back(shown(b, found_.at(b), reduce));
    }
}

bool checker::breaks(const broken_promise& b, const scenario& about, const run_plan& plan, std::uint64_t seed) const
{
    const bool all = about.objects.size() == about_.objects.size();
    auto states = reference_;
    if (!all) {
        auto first = course(about, {}, about.options->first_seed, nullptr, false).run();
        if (plan.empty()) return std::find(first.broken.begin(), first.broken.end(), b) != first.broken.end();
        states = std::move(first.states);
    }
    const auto out = course(about, plan, seed, plan.empty() ? nullptr : &states, false).run();
    return std::find(out.broken.begin(), out.broken.end(), b) != out.broken.end();
}

operator_report::finding checker::shown(const broken_promise& b, found f, bool reduce)
{
    operator_report::finding out{.which = b.which, .what = b.what, .run = f.run, .seed = f.seed, .runs = f.runs};
    out.allowed_because = allowed(b);
    auto less = f.taken ? *taken_ : about_;
    if (reduce && f.taken) {
        out.trace = course(less, {}, f.seed, nullptr, true).run().trace;
    } else if (reduce) {
        auto budget = about_.options->reductions;
        f.plan = reduced<planned_fault>(
            std::move(f.plan), [&](const run_plan& p) { return breaks(b, about_, p, f.seed); }, budget);
        std::vector<std::size_t> kept(about_.objects.size());
        for (std::size_t n = 0; n < kept.size(); ++n) kept[n] = n;
        const auto with = [&](const std::vector<std::size_t>& some) {
            auto s = about_;
            s.objects.clear();
            for (const auto n : some) s.objects.push_back(about_.objects[n]);
            return s;
        };
        kept = reduced<std::size_t>(
            std::move(kept), [&](const auto& some) { return breaks(b, with(some), f.plan, f.seed); }, budget, 1);
        less = with(kept);
        auto states = reference_;
        if (less.objects.size() != about_.objects.size())
            states = course(less, {}, about_.options->first_seed, nullptr, false).run().states;
        out.trace = course(less, f.plan, f.seed, f.plan.empty() ? nullptr : &states, true).run().trace;
    }
    for (const auto& fault : f.plan) out.faults.push_back(describe(fault));
    for (const auto& o : less.objects) out.objects.push_back(o.key);
    return out;
}

} // namespace kubecoro::testing::detail
