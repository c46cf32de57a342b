// The sample-controller of Kubernetes: a Foo has a Deployment. docs/guide/sample-controller.md reads it beside the original.
#include "example.hpp"

#include <kubecoro/api/crd.hpp>
#include <kubecoro/api/described.hpp>
#include <kubecoro/apps_v1/deployment.hpp>
#include <kubecoro/events_v1/event.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace asio = boost::asio;
using kubecoro::action;
using kubecoro::event_type;
using kubecoro::object_key;
using kubecoro::reconcile_context;
using kubecoro::result;
using kubecoro::typed_object;
using kubecoro::apps_v1::deployment;

namespace sample {

struct foo_spec
{
    std::string deploymentName;
    std::optional<int> replicas;
    static std::vector<kubecoro::field_rule> field_rules()
    {
        return {{.field = "replicas", .minimum = 1, .maximum = 10}};
    }
};
BOOST_DESCRIBE_STRUCT(foo_spec, (), (deploymentName, replicas))

struct foo_status
{
    std::optional<int> availableReplicas;
};
BOOST_DESCRIBE_STRUCT(foo_status, (), (availableReplicas))

struct foo
{
    static kubecoro::resource_type resource() { return {"samplecontroller.k8s.io", "v1alpha1", "foos", "Foo"}; }
    kubecoro::meta_v1::object_meta metadata;
    foo_spec spec;
    foo_status status;
};
BOOST_DESCRIBE_STRUCT(foo, (), (metadata, spec, status))

} // namespace sample

namespace {

using sample::foo;

/// The Deployment of a Foo. The reference makes `owns<deployment>()` find the Foo, and the garbage collector the Deployment.
deployment new_deployment(const typed_object<foo>& owner, const foo& f)
{
    const std::map<std::string, std::string> labels{{"app", "nginx"}, {"controller", std::string(owner.name())}};
    deployment d{.metadata = {.name = f.spec.deploymentName, .namespace_ = std::string(owner.ns())}};
    d.spec.replicas = f.spec.replicas;
    d.spec.selector.ensure().matchLabels = labels;
    d.spec.template_.metadata.labels = labels;
    d.spec.template_.spec.containers = {{.name = "nginx", .image = "nginx:latest"}};
    set_controller_reference(owner, d);
    return d;
}

//[reconcile
class sample_controller
{
public:
    explicit sample_controller(kubecoro::manager& m)
        : cluster_(m.client()), deployments_(m.lister<deployment>()), events_(m.events())
    {
    }

    asio::awaitable<result<action>> operator()(const typed_object<foo>& found, reconcile_context& context)
    {
        KUBECORO_TRY(const auto f, kubecoro::read_struct(found));
        if (f.spec.deploymentName.empty()) {
            context.log().warning("the name of the deployment is missing");
            co_return action::done(); // the next change of the Foo leads to another run
        }
        auto present = deployments_.get(found.ns(), f.spec.deploymentName);
        bool changes = !present;
        if (changes) {
            const auto wanted = new_deployment(found, f);
            KUBECORO_TRY(present, co_await cluster_.resource<deployment>(found.ns()).create(wanted));
        }
        if (!kubecoro::is_controlled_by(present, found)) {
            const auto why = "Resource \"" + f.spec.deploymentName + "\" already exists and is not managed by Foo";
            events_.event(found.untyped(), event_type::warning, "ErrResourceExists", "Create", why);
            co_return kubecoro::failure(kubecoro::cond::conflict, why); // again later, and later each time
        }
        if (f.spec.replicas && f.spec.replicas != present->spec().replicas()) {
            KUBECORO_TRY(present, co_await scale(present, *f.spec.replicas));
            changes = true;
        }
        KUBECORO_TRY(co_await remove_former(found, f.spec.deploymentName));
        const auto available = present->status().availableReplicas();
        KUBECORO_TRY(co_await patch_status(cluster_, found, {{"availableReplicas", available}}));
        if (changes) events_.event(found.untyped(), event_type::normal, "Synced", "Sync", "Foo synced successfully");
        co_return action::done();
    }
    //]

private:
    /// The Foo may have named another Deployment before.
    asio::awaitable<result<>> remove_former(typed_object<foo> found, std::string name)
    {
        for (const auto& d : deployments_.list_in(found.ns()))
            if (d.name() != name && kubecoro::is_controlled_by(d, found))
                KUBECORO_TRY(co_await cluster_.resource<deployment>(found.ns()).remove(d.name()));
        co_return result<>();
    }

    /// Sends the change alone: what others have set stays.
    asio::awaitable<result<typed_object<deployment>>> scale(typed_object<deployment> present, int replicas)
    {
        kubecoro::edit_options how;
        how.known = present;
        const object_key key(present.key());
        const auto edit = [replicas](deployment& d) { d.spec.replicas = replicas; };
        KUBECORO_TRY(auto done, co_await kubecoro::create_or_patch<deployment>(cluster_, key, edit, how));
        co_return typed_object<deployment>(done.now);
    }

    kubecoro::client cluster_;
    kubecoro::lister<deployment> deployments_;
    kubecoro::event_recorder events_;
};

result<boost::json::value> definition()
{
    kubecoro::crd_options how;
    how.annotations = {
        {"api-approved.kubernetes.io", "unapproved, experimental-only"}}; // the group is one of Kubernetes
    return kubecoro::definition_of<foo>(how);
}

//[manager
void add_sample_controller(kubecoro::manager& m)
{
    m.control<foo>(sample_controller(m), {.running = {.workers = 2}})
        .owns<deployment>()
        .writes<deployment>({"get", "create", "patch", "delete"});
    m.needs<foo>({"get", "patch"}, "status");
}
//]

/// Prints the events, in the order of their texts.
asio::awaitable<result<>> print_events(kubecoro::client cluster)
{
    auto events = cluster.resource<kubecoro::events_v1::event>("shop");
    KUBECORO_TRY(const auto page, co_await events.list());
    std::set<std::string> lines;
    for (const auto& e : page.items)
        lines.insert(std::string(e->type()) + " " + std::string(e->reason()) + " " +
                     std::string(e->regarding().name()) + ": " + std::string(e->note()));
    for (const auto& line : lines) std::cout << line << '\n';
    co_return result<>();
}

/// The users' part: makes Foos and spoils what the controller has made.
asio::awaitable<result<>> use(kubecoro::client cluster, kubecoro::manager& m)
{
    using namespace std::chrono_literals;
    auto foos = cluster.resource<foo>("shop");
    auto deployments = cluster.resource<deployment>("shop");
    const auto informer = m.informer<deployment>();
    const auto foo_informer = m.informer<foo>();
    const object_key web("shop", "web");
    const object_key example("shop", "example");
    const auto has = [](int replicas) {
        return [replicas](const typed_object<deployment>& d) { return d && d->spec().replicas() == replicas; };
    };

    foo made;
    made.metadata.name = "example";
    made.spec = {"web", 2};
    KUBECORO_TRY(co_await foos.create(made));
    const auto has_two = has(2);
    KUBECORO_TRY(auto first, co_await informer.wait_for(web, has_two, 30s));
    std::cout << first.name() << " has " << *first->spec().replicas() << " replicas\n";

    KUBECORO_TRY(co_await patch_status(cluster, first, {{"availableReplicas", 2}}));
    const auto tells = [](const typed_object<foo>& f) {
        const auto seen = kubecoro::read_struct(f);
        return seen && seen->status.availableReplicas == 2;
    };
    KUBECORO_TRY(co_await foo_informer.wait_for(example, tells, 30s));
    std::cout << "example: 2 are available\n";

    KUBECORO_TRY(co_await deployments.patch("web", kubecoro::patch_kind::merge, R"({"spec":{"replicas":7}})"));
    KUBECORO_TRY(co_await informer.wait_for(web, has(7), 30s));
    KUBECORO_TRY(co_await informer.wait_for(web, has_two, 30s));
    std::cout << "web had 7, and has 2 again\n";

    deployment taken{.metadata = {.name = "taken"}};
    taken.spec.selector.ensure().matchLabels = {{"app", "other"}};
    taken.spec.template_.metadata.labels = {{"app", "other"}};
    taken.spec.template_.spec.containers = {{.name = "main", .image = "other"}};
    KUBECORO_TRY(co_await deployments.create(taken));
    const object_key taken_key("shop", "taken");
    const auto exists = [](const typed_object<deployment>& d) { return static_cast<bool>(d); };
    KUBECORO_TRY(co_await informer.wait_for(taken_key, exists, 30s));
    made.metadata.name = "late";
    made.spec.deploymentName = "taken";
    KUBECORO_TRY(co_await foos.create(made));
    co_return result<>();
}

} // namespace

asio::awaitable<result<>> run(kubecoro::client client)
{
    KUBECORO_TRY(auto printed, definition());
    std::vector<boost::json::value> definitions{printed};
    KUBECORO_TRY(co_await kubecoro::install_crds(client, std::move(definitions)));
    kubecoro::manager m(client, {.name = "sample-controller"});
    add_sample_controller(m);
    m.start();
    auto outcome = co_await m.ready();
    if (outcome) outcome = co_await use(client, m);
    const auto told = [&m]() -> asio::awaitable<result<bool>> { co_return m.events().stats().created == 2; };
    const kubecoro::poll_timing often{.interval = std::chrono::milliseconds{10}};
    if (outcome) outcome = co_await kubecoro::poll_until(*m.time(), often, told);
    auto stopped = co_await m.stop();
    if (outcome) outcome = co_await print_events(client);
    co_return outcome ? stopped : outcome;
}
