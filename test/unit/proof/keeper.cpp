#include "keeper.hpp"

#include <kubecoro/api/edit.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/client.hpp>
#include <kubecoro/client/writing.hpp>
#include <kubecoro/controller/finalizer.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace proof_test {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace kubecoro;

namespace {

const resource_type notes{"desk.example.com", "v1", "notes", "Note"};
const resource_type maps{"", "v1", "configmaps", "ConfigMap"};
const resource_type secrets{"", "v1", "secrets", "Secret"};

constexpr const char* definition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: notes.desk.example.com}
spec:
  group: desk.example.com
  scope: Namespaced
  names: {kind: Note, listKind: NoteList, plural: notes, singular: note}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [text]
              properties:
                text: {type: string, maxLength: 100}
                colour: {type: string, enum: [red, blue]}
            status:
              type: object
              x-kubernetes-preserve-unknown-fields: true
)";

constexpr const char* two_notes = R"(
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {password: correct-horse-battery}
---
apiVersion: desk.example.com/v1
kind: Note
metadata: {name: one}
spec: {text: hello}
---
apiVersion: desk.example.com/v1
kind: Note
metadata: {name: two}
spec: {text: bye, colour: red}
)";

class keeper
{
public:
    keeper(manager& m, planted defect, client shop)
        : m_(&m),
          cluster_(m.client()),
          notes_(m.lister(notes)),
          maps_(m.lister(maps)),
          defect_(defect),
          shop_(std::move(shop))
    {
    }

    asio::awaitable<result<action>> run(const object& note) const
    {
        if (defect_ == planted::throws && note["spec"]["colour"].as_string().empty())
            throw std::runtime_error("no colour");
        while (defect_ == planted::never_waits) co_await asio::post(asio::use_awaitable);
        if (defect_ == planted::logs_secrets) KUBECORO_TRY(co_await log_secret(note));
        if (defect_ == planted::lacks_a_right) (void)co_await cluster_.list(secrets, "default");
        const auto kept = co_await keep(note);
        if (!kept && kept.error() == cond::already_exists) co_return action::requeue_after(std::chrono::minutes{1});
        if (!kept && defect_ == planted::gives_up_when_refused && kept.error() == cond::forbidden)
            co_return action::done();
        if (!kept) co_return kept.error();
        KUBECORO_TRY(co_await report(note));
        co_return action::done();
    }

    asio::awaitable<result<action>> clean_up(const object& note) const
    {
        if (defect_ == planted::never_finishes) co_return action::requeue_after(std::chrono::seconds{30});
        if (defect_ == planted::swallows_failures) (void)co_await cluster_.remove(maps, note.ns(), note.name());
        if (defect_ == planted::deletes_by_label) {
            const auto all = maps_.list(label_selector::parse("desk.example.com/kept=yes").value(), note.ns());
            for (const auto& m : all) (void)co_await cluster_.remove(maps, m.ns(), m.name());
        }
        co_return action::done();
    }

private:
    [[nodiscard]] bool leaves_owners_out() const
    {
        return defect_ == planted::leaves_children || defect_ == planted::swallows_failures;
    }

    [[nodiscard]] json::object child_of(const object& note, bool has_owner) const
    {
        json::object o;
        o["apiVersion"] = "v1";
        o["kind"] = "ConfigMap";
        o["metadata"] = json::object{
            {"namespace", std::string(note.ns())},
            {"labels", {{"desk.example.com/kept", "yes"}, {"desk.example.com/note", std::string(note.name())}}}};
        o["data"] = json::object{{"text", std::string(note["spec"]["text"].as_string())}};
        if (has_owner) set_controller_reference(note, o);
        return o;
    }

    asio::awaitable<result<>> make_unnamed(const object& note) const
    {
        auto child = child_of(note, true);
        child.at("metadata").as_object()["generateName"] = std::string(note.name()) + "-";
        KUBECORO_TRY(auto made, co_await cluster_.create(maps, note.ns(), child));
        if (defect_ == planted::forgets_what_it_made)
            KUBECORO_TRY(co_await patch_status(cluster_, note, {{"child", made.name()}}));
        co_return result<>{};
    }

    asio::awaitable<result<>> keep(const object& note) const
    {
        if (defect_ == planted::forgets_what_it_made) {
            if (note["status"]["child"].as_string().empty()) co_return co_await make_unnamed(note);
            co_return result<>{};
        }
        if (defect_ == planted::trusts_its_store) {
            const auto mine = label_selector::parse("desk.example.com/note=" + std::string(note.name())).value();
            if (maps_.list(mine, note.ns()).empty()) co_return co_await make_unnamed(note);
            co_return result<>{};
        }
        const object_key key(note.key());
        const auto edit = [&](json::object& o) -> result<> {
            const auto there = object::from_json(o);
            const bool is_new = !o.at("metadata").as_object().contains("uid");
            if (!is_new && defect_ != planted::takes_what_is_there && !leaves_owners_out() &&
                !is_controlled_by(there.value(), note))
                return failure(cond::already_exists, "the config map is not of this note");
            if (!is_new && defect_ == planted::keeps_the_first_text) return {};
            auto wanted = child_of(note, false);
            o["data"] = wanted.at("data");
            o.at("metadata").as_object()["labels"] = wanted.at("metadata").at("labels");
            if (is_new && !leaves_owners_out()) set_controller_reference(note, o);
            return {};
        };
        edit_options how;
        how.known = maps_.get(key);
        KUBECORO_TRY(co_await create_or_update(cluster_, maps, key, edit, std::move(how)));
        co_return result<>{};
    }

    asio::awaitable<result<>> report(const object& note) const
    {
        if (defect_ == planted::writes_in_each_run) {
            // With a finer time each write would cause the next run.
            const auto now = std::chrono::floor<std::chrono::minutes>(m_->time()->now().time_since_epoch());
            KUBECORO_TRY(co_await patch_status(cluster_, note, {{"checkedAt", std::to_string(now.count())}}));
        }
        if (defect_ == planted::tells_everything)
            m_->events().event(note, event_type::normal, "Checked", "Check",
                               "at " + std::to_string(m_->time()->now().time_since_epoch().count()));
        if (orders() && note["status"]["ticket"].as_string().empty()) {
            KUBECORO_TRY(const auto ticket, co_await order(note));
            KUBECORO_TRY(co_await patch_status(cluster_, note, {{"ticket", ticket}}));
        }
        KUBECORO_TRY(co_await patch_status(cluster_, note, {{"ready", true}}));
        co_return result<>{};
    }

    [[nodiscard]] bool orders() const { return defect_ == planted::orders_twice || defect_ == planted::orders_once; }

    asio::awaitable<result<std::string>> order(const object& note) const
    {
        const auto* const method = defect_ == planted::orders_once ? "PUT" : "POST";
        KUBECORO_TRY(const auto got, co_await shop_.raw({.method = method, .target = "/" + std::string(note.name())}));
        if (got.head.status != 201) co_return failure(cond::retry_later, "the shop refuses");
        co_return got.body;
    }

    asio::awaitable<result<>> log_secret(const object& note) const
    {
        KUBECORO_TRY(const auto key, co_await cluster_.get(secrets, note.ns(), "key"));
        KUBECORO_TRY(const auto password, bytes::from_base64(key["data"]["password"].as_string()));
        m_->log().info("uses a password", {{"password", password.data}});
        co_return result<>{};
    }

    manager* m_;
    client cluster_;
    lister<object> notes_;
    lister<object> maps_;
    planted defect_;
    client shop_;
};

} // namespace

void add_keeper(manager& m, planted defect, const client& shop)
{
    const auto kept = std::make_shared<const keeper>(m, defect, shop);
    const auto stored = m.lister(notes);
    const auto cluster = m.client();
    const auto run = [kept, stored, cluster](const object_key& key, reconcile_context& context) {
        return run_with_finalizer(
            cluster, stored.get(key), "desk.example.com/kept",
            [kept](const object& o, reconcile_context&) { return kept->run(o); },
            [kept](const object& o, reconcile_context&) { return kept->clean_up(o); }, context);
    };
    auto c = m.control(notes, run, {.needs_leadership = defect != planted::works_without_leading});
    c.writes(notes, {"get", "patch"}).writes(maps, {"get", "create", "update", "patch"});
    if (defect != planted::ignores_children) c.owns(maps);
    if (defect == planted::deletes_by_label || defect == planted::swallows_failures) c.writes(maps, {"delete"});
    if (defect == planted::has_a_right_too_many) c.writes(secrets, {"delete"});
    if (defect == planted::logs_secrets) c.writes(secrets, {"get"});
    m.needs(notes, {"patch"}, "status");
    m.needs(notes, {"update"}, "finalizers");
    if (defect == planted::tells_everything) (void)m.events();
}

kt::operator_check_options keeper_options()
{
    kt::operator_check_options o;
    o.definitions = definition;
    o.objects = two_notes;
    o.name = "keeper";
    return o;
}

kt::operator_report check_keeper(planted defect, kt::operator_check_options options)
{
    // How often each thing was ordered.
    const auto orders = std::make_shared<std::map<std::string, int>>();
    options.begin_run = [orders] { orders->clear(); };
    options.application = [orders](const request& r) {
        auto& n = (*orders)[r.target];
        if (n == 0 || r.method == "POST") ++n;
        return client::raw_answer{.head = {.status = 201}, .body = std::to_string(n) + " of " + r.target};
    };
    return kt::check_operator([defect](manager& m, const client& shop) { add_keeper(m, defect, shop); }, options);
}

} // namespace proof_test
