// Worlds with a bad network, users who change their minds, and an operator that is stopped and started again.
#include "website_fixture.hpp"

#include <kubecoro/base/detail/random.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

using namespace website_test;

namespace {

/// The pages that each site is to serve; a site that was removed has none.
using truth = std::map<std::string, std::optional<std::string>>;

constexpr std::array<const char*, 3> names{"blog", "shop", "docs"};

struct bad_world : fixture
{
    detail::random_source chance;
    truth wanted;
    int changes = 0;

    explicit bad_world(std::uint64_t seed) : fixture(seed), chance(seed)
    {
        for (const auto* name : names) wanted[name] = std::nullopt;
        begin(seed);
        faults->set_chances({.refuse = 0.03,
                             .no_answer = 0.01,
                             .server_error = 0.05,
                             .too_many = 0.02,
                             .expired = 0.02,
                             .cut = 0.05,
                             .stall = 0.01,
                             .delay = 0.1});
    }

    void change_a_site()
    {
        auto& [name, page] = *std::next(wanted.begin(), static_cast<std::ptrdiff_t>(chance() % wanted.size()));
        const auto there = read<website>(name);
        const auto text = "version " + std::to_string(++changes);
        if (!there) {
            put(name, 1, text);
            page = text;
        } else if (page && chance() % 3 == 0) {
            remove(name);
            page.reset();
        } else if (page) {
            edit(name, [&text](website& s) { s.spec.pages["index.html"] = text; });
            page = text;
        }
    }
    void step()
    {
        const auto n = chance() % 10;
        if (n < 6) change_a_site();
        if (n == 6) faults->cut_open();
        if (n == 7) (void)run.run(users.remove(deployment::resource(), "default", names[chance() % names.size()]));
        if (n == 8) {
            end();
            begin(chance());
        }
        run.advance(std::chrono::milliseconds(chance() % 4000));
    }
    void check()
    {
        faults->clear();
        faults->cut_open();
        run.advance(5min);
        std::size_t listed = 0;
        for (const auto& [name, page] : wanted) {
            CAPTURE(name);
            CHECK(read<website>(name).has_value() == page.has_value());
            CHECK(read<deployment>(name).has_value() == page.has_value());
            CHECK(read<service>(name).has_value() == page.has_value());
            const auto pages = read<config_map>(name + "-pages");
            CHECK((pages ? std::optional(pages->data.at("index.html")) : std::nullopt) == page);
            CHECK(ready(name) == (page ? "True Serving 1 of 1 pods are ready" : "gone"));
            if (page) ++listed;
        }
        const auto all = read<config_map>("websites");
        CHECK((all ? all->data.size() : 0) == listed);
    }
};

} // namespace

TEST_CASE("website: after any faults every site is as it was last wanted, and nothing is left of the others",
          "[website][simulation]")
{
    int changes = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        bad_world w(seed);
        for (int n = 0; n < 60; ++n) w.step();
        w.check();
        changes += w.changes;
    }
    CHECK(changes > 200);
}
