// Random graphs of derivations over random histories, against a naive computation of everything. KUBECORO_SEED=N repeats a run;
// KUBECORO_LONG makes 100,000 histories.
#include "core_fixture.hpp"
#include "dice.hpp"

#include <kubecoro/test/catch.hpp>
#include <kubecoro/test/random_amount.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>

namespace {

using namespace collections_test;
using table_state = std::map<std::string, element>;

/// How a rule reads: the same code for the graph and for the model.
struct readers
{
    std::function<std::optional<element>(std::size_t, const std::string&)> by_key;
    std::function<std::vector<element>(std::size_t, const std::string&)> by_index;
    std::function<std::vector<element>(std::size_t, const std::string&)> by_selector;
    std::function<std::vector<element>(std::size_t)> all;
};

const std::vector<std::string> keys{"a", "b", "c", "d", "e", "f"};
const std::vector<std::string> groups{"g", "h", "i"};
const std::vector<std::string> selectors{"app=x", "app in (x,y)",   "tier",  "!tier", "app!=x", "app=y,tier=1",
                                         "",      "tier notin (1)", "tier>1"};

const kubecoro::label_selector& selector_of(const std::string& text)
{
    static std::map<std::string, kubecoro::label_selector> parsed;
    const auto known = parsed.find(text);
    return known != parsed.end() ? known->second
                                 : parsed.emplace(text, kubecoro::label_selector::parse(text).value()).first->second;
}

template<class T>
const T& any(dice& random, const std::vector<T>& of)
{
    return of[random.below(of.size())];
}

/// The function of one rule of a graph: a few reads, of which the later ones depend on what the first have found.
struct program
{
    enum class read
    {
        key,
        index,
        selector,
        all
    };
    struct step
    {
        read how;
        std::size_t table;
        std::string what;
        bool follows;
    };
    std::vector<step> steps = {};
    bool keyed = false;
    bool throws = false;
    std::vector<std::size_t> primaries = {};

    /// The results for a key. Throws for some contents.
    [[nodiscard]] std::vector<std::pair<std::string, element>>
    run(const std::string& key, const std::vector<std::optional<element>>& inputs, const readers& from) const
    {
        std::string text = key;
        element out;
        for (const auto& i : inputs) text += i ? "(" + i->text + ")" : "()";
        for (const auto& s : steps) {
            const auto what = s.follows ? pick(text, s.how) : s.what;
            std::vector<element> found;
            if (s.how == read::key) {
                if (auto one = from.by_key(s.table, what)) found.push_back(*one);
            } else if (s.how == read::index) {
                found = from.by_index(s.table, what);
            } else if (s.how == read::selector) {
                found = from.by_selector(s.table, what);
            } else {
                found = from.all(s.table);
            }
            text += "[";
            for (const auto& e : found) text += e.text + ",";
            text += "]";
        }
        const auto h = hash(text);
        if (throws && h % 11 == 0) throw std::runtime_error(text);
        // Short texts are often equal to those before.
        out.text = std::to_string(h % 50);
        out.groups = {groups[h % 3]};
        if (h % 4 == 0) out.groups.push_back(groups[h / 4 % 3]);
        if (h % 5 != 0) out.labels["app"] = h % 2 ? "x" : "y";
        if (h % 3 == 0) out.labels["tier"] = std::to_string(h % 4);
        if (keyed) {
            std::vector<std::pair<std::string, element>> many;
            for (const auto& g : out.groups) many.emplace_back(h % 7 == 0 ? key : g, out);
            return many;
        }
        if (h % 6 == 0) return {};
        return {{key, out}};
    }

    static std::uint64_t hash(const std::string& text)
    {
        std::uint64_t h = 1469598103934665603ULL;
        for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
        return h >> 17;
    }
    static std::string pick(const std::string& text, read how)
    {
        const auto h = hash(text);
        return how == read::key     ? keys[h % keys.size()]
               : how == read::index ? groups[h % groups.size()]
                                    : selectors[h % selectors.size()];
    }
};

/// Computes everything from the inputs. Keeps what results had that now throw.
struct model
{
    std::vector<table_state> tables = {};
    std::vector<std::map<std::string, std::vector<std::pair<std::string, element>>>> made = {};
    std::vector<std::set<std::string>> stale = {};

    [[nodiscard]] readers from() const
    {
        const auto select = [this](std::size_t t, const std::function<bool(const element&)>& f) {
            std::vector<element> out;
            for (const auto& [k, e] : tables[t])
                if (f(e)) out.push_back(e);
            return out;
        };
        return {.by_key = [this](std::size_t t, const std::string& k) -> std::optional<element> {
                    const auto found = tables[t].find(k);
                    return found == tables[t].end() ? std::nullopt : std::optional(found->second);
                },
                .by_index =
                    [select](std::size_t t, const std::string& v) {
                        return select(t, [&v](const element& e) {
                            return std::find(e.groups.begin(), e.groups.end(), v) != e.groups.end();
                        });
                    },
                .by_selector =
                    [select](std::size_t t, const std::string& text) {
                        const auto s = selector_of(text);
                        return select(t, [&s](const element& e) { return s.matches(labels_of(e).labels()); });
                    },
                .all = [select](std::size_t t) { return select(t, [](const element&) { return true; }); }};
    }

    void compute(std::size_t t, const program& p)
    {
        std::map<std::string, std::vector<std::optional<element>>> inputs;
        for (std::size_t i = 0; i != p.primaries.size(); ++i)
            for (const auto& [k, e] : tables[p.primaries[i]]) {
                auto& at = inputs[k];
                at.resize(p.primaries.size());
                at[i] = e;
            }
        auto before = std::exchange(made[t], {});
        const auto reads = from();
        stale[t].clear();
        for (const auto& [k, in] : inputs) try {
                made[t][k] = p.run(k, in, reads);
            } catch (const std::runtime_error&) {
                stale[t].insert(k);
                if (before.count(k)) made[t][k] = before[k];
            }
        tables[t].clear();
        // The first of several results with one key counts, and of inputs the smallest.
        for (const auto& [k, results] : made[t])
            for (const auto& [key, e] : results) tables[t].emplace(key, e);
    }
};

struct history : core_fixture
{
    dice random;
    std::vector<program> programs = {};
    std::vector<kd::table_core*> all = {};
    model naive = {};
    /// The inputs are complete from the beginning. Otherwise some results are computed late, and none throws: what it would keep could not be known.
    bool complete = false;
    /// The sum of the changes.
    std::vector<std::map<std::string, std::string>> told = {};

    explicit history(std::uint64_t seed) : random(seed) {}

    [[nodiscard]] readers from()
    {
        const auto elements = [](const std::vector<kd::live_item>& items) {
            std::vector<element> out;
            for (const auto& i : items) out.push_back(read(i));
            return out;
        };
        return {.by_key = [this](std::size_t t, const std::string& k) -> std::optional<element> {
                    const auto i = graph.read_key(*all[t], k);
                    return i ? std::optional(read(i)) : std::nullopt;
                },
                .by_index =
                    [this, elements](std::size_t t, const std::string& v) {
                        return elements(graph.read_index(*all[t], "group", v));
                    },
                .by_selector =
                    [this, elements](std::size_t t, const std::string& s) {
                        return elements(graph.read_selection(*all[t], selector_of(s)));
                    },
                .all = [this, elements](std::size_t t) { return elements(graph.read_all(*all[t])); }};
    }

    program random_program(std::size_t tables_before)
    {
        program p;
        p.keyed = random.below(4) == 0;
        p.throws = complete;
        p.primaries = {random.below(tables_before)};
        if (random.below(4) == 0) p.primaries.push_back(random.below(tables_before));
        const auto steps = random.below(4);
        for (std::size_t i = 0; i < steps; ++i) {
            const auto how = static_cast<program::read>(random.below(4));
            const bool follows = random.below(2) == 0;
            p.steps.push_back(
                {how, random.below(tables_before), program::pick(std::to_string(random.below(1000)), how), follows});
        }
        return p;
    }

    void add_table(kd::table_core& t)
    {
        all.push_back(&t);
        (void)t.take_changes();
        naive.tables.emplace_back();
        naive.made.emplace_back();
        naive.stale.emplace_back();
        told.emplace_back();
    }

    void add_rule()
    {
        auto p = random_program(all.size());
        std::vector<kd::table_core*> primaries;
        for (const auto i : p.primaries) primaries.push_back(all[i]);
        auto& t = rule(
            "t" + std::to_string(all.size()), primaries,
            [p, reads = from()](kd::computation& c) {
                std::vector<std::optional<element>> inputs;
                for (const auto& i : c.inputs) inputs.push_back(i ? std::optional(read(i)) : std::nullopt);
                for (auto& [key, e] : p.run(std::string(c.key), inputs, reads)) c.results.emplace_back(key, item(e));
            },
            p.keyed);
        add_table(t);
        programs.push_back(std::move(p));
    }

    element random_element()
    {
        element e{.text = std::to_string(random.below(5))};
        for (const auto& g : groups)
            if (random.below(3) == 0) e.groups.push_back(g);
        if (random.below(3)) e.labels["app"] = random.below(2) ? "x" : "y";
        if (random.below(3) == 0) e.labels["tier"] = std::to_string(random.below(4));
        return e;
    }

    void change_input(std::size_t inputs)
    {
        const auto t = random.below(inputs);
        const auto& key = any(random, keys);
        if (random.below(4) == 0) {
            erase(*all[t], key);
            naive.tables[t].erase(key);
        } else {
            const auto e = random_element();
            set(*all[t], key, e);
            naive.tables[t][key] = e;
        }
    }

    /// Much cheaper than an assertion each.
    static void expect(bool holds, const char* what)
    {
        if (!holds) FAIL(what);
    }

    void check()
    {
        for (std::size_t t = 0; t != all.size(); ++t) {
            lines wanted;
            for (const auto& [k, e] : naive.tables[t]) wanted.push_back(k + "=" + e.text);
            if (content(*all[t]) != wanted) REQUIRE(content(*all[t]) == wanted);
            std::set<std::string> stale;
            for (const auto& [k, why] : *graph.stale(*all[t])) stale.insert(k);
            expect(stale == naive.stale[t], "other results are stale");
            follow(t);
        }
    }

    /// Applies the changes of a collection, and compares.
    void follow(std::size_t t)
    {
        for (const auto& c : all[t]->take_changes()) {
            const auto known = told[t].find(std::string(c.of->key()));
            expect((known != told[t].end()) == (c.before != nullptr), "a change begins with another state");
            if (c.before) expect(known->second == read(c.before).text, "a change begins with another element");
            expect(c.before || c.after, "a change of nothing");
            if (c.before && c.after) expect(!(read(c.before) == read(c.after)), "a change without a change");
            if (c.after)
                told[t][std::string(c.of->key())] = read(c.after).text;
            else
                told[t].erase(known);
        }
        std::map<std::string, std::string> now;
        for (const auto& [k, e] : naive.tables[t]) now[k] = e.text;
        expect(told[t] == now, "the changes do not add up to the state");
    }

    void play()
    {
        const std::size_t inputs = 1 + random.below(3);
        complete = random.below(3) != 0;
        for (std::size_t i = 0; i < inputs; ++i)
            add_table(input("in" + std::to_string(i), complete || random.below(2) != 0));
        const auto rules = 1 + random.below(4);
        const auto steps = 5 + random.below(10);
        for (std::size_t step = 0; step < steps; ++step) {
            if (programs.size() < rules && random.below(2) == 0) add_rule();
            const auto changes = random.below(5);
            for (std::size_t i = 0; i < changes; ++i) change_input(inputs);
            if (step == 3)
                for (std::size_t i = 0; i < inputs; ++i) graph.set_synced(*all[i]);
            run(1 + random.below(8));
            if (step < 3 && !complete) continue;
            for (std::size_t i = 0; i != programs.size(); ++i) naive.compute(inputs + i, programs[i]);
            check();
        }
        for (std::size_t i = 0; i < inputs; ++i)
            for (const auto& k : keys) erase(*all[i], k);
        run();
        REQUIRE(graph.edges() == 0);
        for (const auto* t : all) REQUIRE(content(*t).empty());
    }
};

} // namespace

TEST_CASE("derived collections are what a naive computation makes of their inputs", "[collections]")
{
    auto amount = kubecoro::test::wanted_amount();
    const auto histories = amount.each == 10000 ? 100'000 : amount.each * 5;
    for (std::uint64_t n = 0; n < histories; ++n) {
        CAPTURE(amount.seed + n);
        history h(amount.seed + n);
        h.play();
    }
}
