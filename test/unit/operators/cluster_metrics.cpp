// The series of whole objects: each family against text that kube-state-metrics has written for the same objects.
#include "cluster_series.hpp"
#include "exposition.hpp"

#include <kubecoro/client/manifests.hpp>
#include <kubecoro/test/catch.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace json = boost::json;
using namespace kubecoro;
using namespace kubecoro::cluster_metrics;

namespace {

std::string contents(const std::string& name)
{
    std::ifstream file(KUBECORO_OPERATOR_DATA "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<json::value> samples()
{
    return load_manifests(contents("cluster_metrics.yaml"), "cluster_metrics.yaml").value();
}

/// As an informer stores it.
object stored(const json::value& o, const series_kind& kind, const label_names& shown)
{
    return decode_object(json::serialize(o), options_of(kind, shown).decode).value();
}

std::vector<kind_state> states(const std::vector<json::value>& objects, const label_names& shown = {})
{
    std::vector<kind_state> out;
    for (const auto& kind : all_kinds()) {
        kind_state state{&kind, shown, {}};
        for (const auto& o : objects)
            if (o.at("kind").as_string() == kind.resource.kind) state.objects.push_back(stored(o, kind, shown));
        out.push_back(std::move(state));
    }
    return out;
}

std::string text_of(exposition& e)
{
    std::string out;
    std::string part;
    for (bool follows = true; follows;) {
        part.clear();
        follows = e.next(part);
        out += part;
    }
    return out;
}

std::string text_of(const std::vector<json::value>& objects, const label_names& shown = {})
{
    exposition e(states(objects, shown));
    return text_of(e);
}

std::vector<std::string> sorted_lines(std::string_view text)
{
    std::vector<std::string> out;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<std::string> series_lines(std::string_view text)
{
    auto out = sorted_lines(text);
    std::erase_if(out, [](const std::string& line) { return line.starts_with("# "); });
    return out;
}

json::value pod_with(std::size_t containers)
{
    json::array specs;
    json::array statuses;
    for (std::size_t i = 0; i < containers; ++i) {
        const auto name = "c" + std::to_string(i);
        specs.push_back({{"name", name}, {"image", "i"}});
        statuses.push_back({{"name", name}, {"ready", true}});
    }
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", "p"}, {"namespace", "n"}, {"uid", "u"}}},
            {"spec", {{"containers", std::move(specs)}}},
            {"status", {{"containerStatuses", std::move(statuses)}}}};
}

/// A number of the exposition format, alone.
bool is_number(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789+-.einfNa") == text.npos;
}

/// `name{label="value",..} number` with every quote and backslash escaped.
bool is_series(std::string_view line)
{
    const auto opening = line.find('{');
    if (opening == line.npos || !line.starts_with("kube_")) return false;
    auto rest = line.substr(opening);
    while (rest.starts_with('{') || rest.starts_with(',')) {
        const auto quote = rest.find("=\"");
        if (quote == rest.npos) return false;
        rest.remove_prefix(quote + 2);
        while (!rest.empty() && rest.front() != '"') rest.remove_prefix(rest.front() == '\\' ? 2 : 1);
        if (rest.empty()) return false;
        rest.remove_prefix(1);
    }
    return rest.starts_with("} ") && is_number(rest.substr(2));
}

/// Replaces, removes or repeats a random part.
void damage(json::value& v, std::mt19937& random)
{
    const auto any = [&random](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    if (auto* o = v.if_object(); o != nullptr && !o->empty() && any(4) != 0) {
        auto at = std::next(o->begin(), static_cast<std::ptrdiff_t>(any(o->size())));
        return damage(at->value(), random);
    }
    if (auto* a = v.if_array(); a != nullptr && !a->empty() && any(4) != 0) {
        if (any(4) == 0) a->push_back(json::value(a->front()));
        return damage((*a)[any(a->size())], random);
    }
    const std::vector<json::value> others{nullptr,
                                          true,
                                          -7,
                                          1e300,
                                          "a \"b\" \\ c\nd",
                                          "",
                                          json::array{1, ""},
                                          json::object{},
                                          "9999999Ei",
                                          "2026-01-01T00:00:00Z"};
    v = others[any(others.size())];
}

} // namespace

TEST_CASE("cluster-metrics: every family has the text of kube-state-metrics", "[cluster_metrics]")
{
    const auto text = text_of(samples());
    const auto expected = sorted_lines(contents("cluster_metrics.txt"));
    const auto found = series_lines(text);
    std::vector<std::string> missing;
    std::vector<std::string> surplus;
    std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(), std::back_inserter(missing));
    std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(), std::back_inserter(surplus));
    CHECK(missing == std::vector<std::string>());
    CHECK(surplus == std::vector<std::string>());
    CHECK(found.size() == expected.size());
}

TEST_CASE("cluster-metrics: the samples have a series of every family but those of labels", "[cluster_metrics]")
{
    const auto lines = series_lines(text_of(samples()));
    std::set<std::string> seen;
    for (const auto& line : lines) seen.insert(line.substr(0, line.find('{')));
    for (const auto& kind : all_kinds())
        for (const auto& f : kind.families) {
            INFO(f.name);
            CHECK(seen.count(std::string(f.name)) == (f.name.ends_with("_labels") ? 0U : 1U));
        }
}

TEST_CASE("cluster-metrics: families follow each other with their headers, once, and kinds without objects have none",
          "[cluster_metrics]")
{
    const auto text = text_of(samples());
    std::set<std::string> names;
    std::string present;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        if (line.starts_with("# HELP ")) {
            present = line.substr(7, line.find(' ', 7) - 7);
            CHECK(names.insert(present).second);
            continue;
        }
        INFO(line);
        if (line.starts_with("# TYPE "))
            CHECK(line.starts_with("# TYPE " + present + (present.ends_with("_total") ? " counter" : " gauge")));
        else
            CHECK(line.substr(0, line.find('{')) == present);
    }
    CHECK(text.find("# HELP kube_pod_info [STABLE] Information about pod.\n# TYPE kube_pod_info gauge\n") != text.npos);
    CHECK(text_of(std::vector<json::value>()).empty());
    CHECK(text_of({pod_with(1)}).find("kube_node") == std::string::npos);
}

TEST_CASE("cluster-metrics: parts are small, and together the whole", "[cluster_metrics]")
{
    std::vector<json::value> pods;
    for (int i = 0; i < 3000; ++i) {
        pods.push_back(pod_with(1));
        pods.back().at("metadata").at("name") = "p" + std::to_string(i);
    }
    exposition e(states(pods));
    std::string part;
    std::string whole;
    std::size_t parts = 0;
    for (bool follows = true; follows; ++parts) {
        part.clear();
        follows = e.next(part);
        CHECK(part.size() < std::size_t{70} * 1024);
        whole += part;
    }
    CHECK(parts > 20);
    CHECK(e.so_far().bytes == whole.size());
    CHECK(e.so_far().series == series_lines(whole).size());
    CHECK(std::all_of(pods.begin(), pods.end(), [&whole](const json::value& p) {
        const std::string name(p.at("metadata").at("name").as_string());
        return whole.find("kube_pod_info{namespace=\"n\",pod=\"" + name + "\"") != std::string::npos;
    }));
}

TEST_CASE("cluster-metrics: a part reads a limited amount, also where it finds no series", "[cluster_metrics]")
{
    constexpr std::size_t pods = 100;
    auto without_status = pod_with(5000); // no family of containers has a series
    without_status.as_object().erase("status");
    const auto all = states({without_status});
    const auto pod = std::find_if(all.begin(), all.end(), [](const kind_state& k) { return !k.objects.empty(); });
    kind_state many{pod->kind, {}, std::vector<object>(pods, pod->objects.front())};
    const auto reads = pods * many.objects.front().bytes() / (std::size_t{4} << 20);
    REQUIRE(reads > 1);
    exposition e({std::move(many)});
    std::string part;
    std::size_t parts = 1;
    for (; e.next(part); ++parts) part.clear();
    CHECK(parts >= pod->kind->families.size() * reads);
}

TEST_CASE("cluster-metrics: an object has a limited number of series, and of labels of limited size",
          "[cluster_metrics]")
{
    exposition many(states({pod_with(501)}));
    const auto text = text_of(many);
    CHECK(text.find("kube_pod_container_status_ready{namespace=\"n\",pod=\"p\",uid=\"u\",container=\"c499\"} 1\n") !=
          text.npos);
    CHECK(text.find("container=\"c500\"") == text.npos);
    CHECK(many.so_far().left_out >= 6);

    auto pod = pod_with(2);
    pod.at("spec").at("containers").at(0).at("image") = std::string(4097, 'x');
    pod.at("spec").at("containers").at(1).at("image") = std::string(4096, 'y');
    exposition large(states({pod}));
    const auto of_large = text_of(large);
    CHECK(of_large.find("xx") == of_large.npos);
    CHECK(of_large.find("yy") != of_large.npos);
    CHECK(large.so_far().left_out == 1);

    pod = pod_with(0);
    json::object labels;
    for (int i = 0; i < 129; ++i) labels["l" + std::to_string(i)] = "v";
    pod.at("metadata").as_object()["labels"] = labels;
    exposition wide(states({pod}, {"*"}));
    CHECK(text_of(wide).find("label_l0") == std::string::npos);
    CHECK(wide.so_far().left_out == 1);
}

TEST_CASE("cluster-metrics: labels are shown on request", "[cluster_metrics]")
{
    auto pod = pod_with(0);
    pod.at("metadata").as_object()["labels"] = {{"app.kubernetes.io/partOf", "a\"b"}, {"app", "x"}, {"App", "y"}};
    CHECK(text_of({pod}).find("kube_pod_labels{") == std::string::npos);
    CHECK(text_of({pod}, {"app", "none"})
              .find("kube_pod_labels{namespace=\"n\",pod=\"p\",uid=\"u\",label_app=\"x\"} 1\n") != std::string::npos);
    CHECK(text_of({pod}, {"*"})
              .find("uid=\"u\",label_app_conflict1=\"y\",label_app_conflict2=\"x\","
                    "label_app_kubernetes_io_part_of=\"a\\\"b\"} 1\n") != std::string::npos);
}

TEST_CASE("cluster-metrics: a changed object has other series, and a deleted one none", "[cluster_metrics]")
{
    auto pod = pod_with(1);
    pod.at("status").as_object()["phase"] = "Pending";
    CHECK(text_of({pod}).find("phase=\"Pending\"} 1\n") != std::string::npos);
    pod.at("status").at("phase") = "Running";
    CHECK(text_of({pod}).find("phase=\"Pending\"} 0\n") != std::string::npos);
    CHECK(text_of({pod}).find("phase=\"Running\"} 1\n") != std::string::npos);
    auto other = pod;
    other.at("metadata").at("name") = "other";
    CHECK(text_of({pod, other}).find("pod=\"p\"") != std::string::npos);
    CHECK(text_of({other}).find("pod=\"p\"") == std::string::npos);
}

TEST_CASE("cluster-metrics: damaged objects give well-formed lines", "[cluster_metrics]")
{
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto originals = samples();
    for (int round = 0; round < 100; ++round) {
        auto objects = originals;
        for (auto& o : objects) {
            const json::value kind = o.at("kind");
            const json::value name = o.at("metadata").at("name");
            for (int i = 0; i < 4; ++i)
                damage(o.as_object().contains("status") ? o.at("status") : o.at("metadata"), random);
            if (o.as_object().contains("spec"))
                for (int i = 0; i < 4; ++i) damage(o.at("spec"), random);
            if (!o.at("metadata").is_object()) o.at("metadata") = json::object();
            o.at("metadata").as_object()["name"] = name;
            o.at("kind") = kind;
        }
        for (const auto& line : series_lines(text_of(objects, {"*"})))
            if (!is_series(line)) FAIL(line);
    }
}

TEST_CASE(
    "cluster-metrics: a stop gives scrapes in progress the time that a scrape may take, within that of the program",
    "[cluster_metrics]")
{
    using namespace std::chrono_literals;
    CHECK(limits_of(5s, 25s).answer_timeout == 5s);
    CHECK(limits_of(5s, 25s).grace == 5s);
    CHECK(limits_of(30s, 25s).answer_timeout == 30s);
    CHECK(limits_of(30s, 25s).grace == 20s);
}
