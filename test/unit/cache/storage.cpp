// Tests of the storage policies: they differ in cost only.

#include "informer_fixture.hpp"

#include "store/store.hpp"

#include <kubecoro/api/decode.hpp>
#include <kubecoro/api/detail/object_encoding.hpp>
#include <kubecoro/api/selector.hpp>

using namespace informer_test;
using kubecoro::object;
using kubecoro::storage;

namespace {

constexpr std::size_t learn_from = 10;
constexpr storage policies[] = {storage::plain, storage::compressed, storage::metadata_only};

object a_pod(int i, int version)
{
    const auto n = std::to_string(i);
    const auto v = std::to_string(version);
    return kt::make_object({.ns = i % 2 == 0 ? "even" : "odd",
                            .name = "p" + n,
                            .resource_version = v,
                            .uid = {},
                            .labels = {{"app", i % 3 == 0 ? "shop" : "web"}},
                            .members = R"("spec":{"nodeName":"n)" + std::to_string(i % 4) +
                                       R"(","restartPolicy":"Always","schedulerName":"default-scheduler","version":")" +
                                       v + R"("},"status":{"phase":"Running","podIP":"10.0.0.)" + n + R"("})"});
}

std::vector<object> pods(int from, int to, int version)
{
    std::vector<object> all;
    for (int i = from; i < to; ++i) all.push_back(a_pod(i, version + i));
    return all;
}

kubecoro::informer_options keeping(storage policy)
{
    kubecoro::informer_options o;
    o.storage = {.policy = policy, .learn_from = learn_from};
    return o;
}

/// Returns the script of the policy's scope; metadata_only requests less.
kt::scripted_source& source(fixture& f, storage policy)
{
    kubecoro::source_scope scope;
    if (policy == storage::metadata_only) {
        scope.metadata_only = true;
        scope.decode.prune.keep = {"metadata"};
        scope.decode.drop_managed_fields = true;
    }
    return *f.provider->source(pod::resource(), scope);
}

/// The part of the objects that is compared.
enum class look
{
    everything,
    metadata
};

std::string told(const object& o, look at)
{
    const std::string identity = fixture::text(o) + " " + std::string(o.uid()) + " " + std::string(o.kind()) + " " +
                                 std::string(o.api_version()) + " " + o.path("metadata.labels.app").to_text();
    if (at == look::metadata) return identity + " " + o.metadata().to_text();
    return identity + " " + std::string(o.path("spec.nodeName").as_string()) + " " + o.to_text();
}

/// Returns the object as decoded from a response with metadata only.
object metadata_of(const object& o)
{
    static const auto encoding = kubecoro::detail::make_object_encoding(
        kubecoro::detail::encoding_for(pod::resource(), {.policy = storage::metadata_only}));
    const kubecoro::decode_options decode{.drop_managed_fields = true, .prune = {.keep = {"metadata"}}};
    const auto text =
        R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)" + o.metadata().to_text() + "}";
    return kubecoro::decode_object(text, decode, encoding).value();
}

std::vector<object> sent(std::vector<object> objects, storage policy)
{
    if (policy == storage::metadata_only)
        for (auto& o : objects) o = metadata_of(o);
    return objects;
}

object sent(const object& o, storage policy) { return sent(std::vector<object>{o}, policy).front(); }

kubecoro::event_handler<object> teller(lines& out, look at)
{
    return {.on_add = [&out, at](const kubecoro::added<object>& e) { out.push_back("+ " + told(e.obj, at)); },
            .on_update =
                [&out, at](const kubecoro::updated<object>& e) {
                    out.push_back("~ " + told(e.before, at) + " > " + told(e.after, at) +
                                  (e.resync() ? " resync" : ""));
                },
            .on_delete = [&out, at](const kubecoro::deleted<object>& e) { out.push_back("- " + told(e.obj, at)); }};
}

/// Returns the results of every query of a lister.
lines seen_by(const kubecoro::lister<object>& l, look at)
{
    lines out;
    const auto note = [&out, at](std::string_view what, const std::vector<object>& objects) {
        lines some;
        for (const auto& o : objects) some.push_back(std::string(what) + " " + told(o, at));
        std::sort(some.begin(), some.end());
        out.insert(out.end(), some.begin(), some.end());
    };
    note("all", l.list());
    note("odd", l.list_in("odd"));
    note("shop", l.list(kubecoro::label_selector::parse("app=shop").value()));
    for (const auto& value : sorted(l.index_values("by"))) note("by " + value, l.by_index("by", value));
    lines one_by_one;
    l.for_each([&](const object& o) { one_by_one.push_back("each " + told(o, at)); });
    std::sort(one_by_one.begin(), one_by_one.end());
    out.insert(out.end(), one_by_one.begin(), one_by_one.end());
    for (const auto& o : l.list())
        if (!l.get(o.key()).is_same(o)) out.push_back("get() finds another " + told(o, at));
    return out;
}

/// Returns the notifications and states of an informer from first list to stop.
lines history(storage policy, look at)
{
    fixture f;
    auto& script = source(f, policy);
    script.on_list(kt::make_page(sent(pods(0, 60, 100), policy), "500"));
    auto watch = script.on_watch();
    auto informer = f.informers->get<pod>(keeping(policy));
    REQUIRE(informer.add_index("by", [at](const object& o, kubecoro::index_sink out) {
        out(at == look::metadata ? o.metadata()["labels"]["app"].as_string() : o["spec"]["nodeName"].as_string());
    }));
    lines out;
    auto handler = informer.add_event_handler(teller(out, at));
    f.informers->start();
    REQUIRE(f.run.run(handler.has_synced()));
    f.settle();
    const auto note_all = [&] {
        const auto now = seen_by(informer.lister(), at);
        out.insert(out.end(), now.begin(), now.end());
    };
    note_all();
    for (int i = 0; i < 300; ++i) {
        const object o = sent(a_pod((i * 7) % 70, 1000 + i), policy);
        watch.send(i % 11 == 0 ? kt::deleted(o) : kt::modified(o));
        if (i % 50 == 0) f.settle();
    }
    f.settle();
    note_all();
    lines late;
    auto joined = informer.add_event_handler(teller(late, at), {.resync = 10s});
    REQUIRE(f.run.run(joined.has_synced()));
    f.run.advance(11s);
    late = sorted(std::move(late));
    out.insert(out.end(), late.begin(), late.end());

    script.on_list(kt::make_page(sent(pods(20, 75, 3000), policy), "4000"));
    auto second = script.on_watch();
    watch.send(kt::error_event(410, "Expired", "too old"));
    f.run.advance(2s);
    note_all();
    if (policy == storage::metadata_only)
        for (const auto& o : informer.lister().list()) CHECK((!o["spec"] && !o["status"] && !o.path("spec.nodeName")));
    const auto stats = informer.stats();
    CHECK(stats.storage.policy == policy);
    CHECK(stats.storage.broken == 0);
    if (policy == storage::compressed) {
        CHECK(stats.storage.stage == kubecoro::dictionary_stage::settled);
        CHECK(stats.storage.packed > 0);
        CHECK(informer.describe().find("dictionary settled") != std::string::npos);
    }
    REQUIRE(f.run.run(f.informers->stop()));
    note_all();
    return out;
}

} // namespace

TEST_CASE("storage: an informer shows the same with every policy", "[cache][storage]")
{
    const auto check_same = [](storage policy, look at) {
        const auto plain = history(storage::plain, at);
        REQUIRE(plain.size() > 500);
        // The order of a relist's deletions is unspecified.
        CHECK(sorted(history(policy, at)) == sorted(plain));
    };
    check_same(storage::compressed, look::everything);
    check_same(storage::compressed, look::metadata);
    check_same(storage::metadata_only, look::metadata);
}

TEST_CASE("storage: objects outlive handler, informer and store", "[cache][storage]")
{
    const storage policy = GENERATE_COPY(from_range(std::begin(policies), std::end(policies)));
    std::vector<object> kept;
    {
        fixture f;
        auto& script = source(f, policy);
        script.on_list(kt::make_page(pods(0, 60, 100), "500"));
        auto watch = script.on_watch();
        auto informer = f.informers->get<pod>(keeping(policy));
        auto handler = informer.add_event_handler(
            {.on_add = [&kept](const kubecoro::added<object>& e) { kept.push_back(e.obj); }});
        f.informers->start();
        REQUIRE(f.run.run(handler.has_synced()));
        watch.send(kt::added(a_pod(90, 600)));
        f.settle();
        for (const auto& o : informer.lister().list()) kept.push_back(o);
        REQUIRE(f.run.run(f.informers->stop()));
    }
    CHECK(kept.size() == 122);
    for (const auto& o : kept) CHECK(o.path("status.phase").as_string() == "Running");
}

TEST_CASE("storage: a compressed store is smaller, and recompresses early objects", "[cache][storage]")
{
    const auto bytes = [](storage policy) {
        auto encoding =
            kubecoro::detail::make_object_encoding({.storage = {.policy = policy, .learn_from = learn_from}});
        kubecoro::detail::store s({}, 512, encoding);
        REQUIRE(s.add_index("node",
                            [](const object& o, kubecoro::index_sink out) { out(o["spec"]["nodeName"].as_string()); }));
        std::vector<object> items;
        for (int i = 0; i < 300; ++i)
            items.push_back(kubecoro::decode_object(a_pod(i, 100 + i).to_text(), {}, encoding).value());
        REQUIRE(s.replace({}, std::move(items), true).size() == 300);
        CHECK(s.wants_renewal() == (policy == storage::compressed));
        std::size_t steps = 0;
        while (s.wants_renewal() && steps < 100) {
            (void)s.renew(7);
            ++steps;
        }
        CHECK(steps < 60);
        CHECK_FALSE(s.wants_renewal());
        for (const auto& k : s.keep({})) CHECK((policy == storage::plain || !encoding->stale(k)));
        std::size_t sum = 0;
        for (const auto& k : s.keep({})) sum += k.bytes();
        CHECK(s.bytes() == sum);
        for (const auto& node : s.values_of("node"))
            for (const auto& o : s.by_index("node", node)) CHECK(s.get(o.key()).is_same(o));
        for (int i = 0; i < 300; i += 2)
            (void)s.apply(std::vector<kubecoro::delta>{{kubecoro::delta_type::deleted, a_pod(i, 900)}});
        CHECK(s.size() == 150);
        return s.bytes();
    };
    CHECK(bytes(storage::compressed) < bytes(storage::plain) * 3 / 4);
}
