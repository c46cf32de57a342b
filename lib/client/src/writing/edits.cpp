// The verbs that read, edit and write: performs the steps of edit_core. Status as a merge patch, and the JSON of structs.
#include "rest/client_state.hpp"
#include "writing/edit_core.hpp"

#include <kubecoro/api/detail/written_json.hpp>
#include <kubecoro/api/object.hpp>
#include <kubecoro/base/catch_failure.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/client/struct_edit.hpp>
#include <kubecoro/client/writing.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kubecoro {

namespace asio = boost::asio;
namespace json = boost::json;

using detail::edit_core;
using detail::edit_rules;

namespace {

/// Performs the steps with one client.
class edit_driver
{
public:
    edit_driver(client c, edit_rules rules, write_options write)
        : client_(std::move(c)), rules_(std::move(rules)), write_(std::move(write))
    {
    }

    asio::awaitable<result<written>> run(object_edit edit, retry_policy retry, object known)
    {
        edit_core core(rules_, std::move(edit), retry);
        auto next = core.begin(std::move(known));
        while (!std::holds_alternative<result<written>>(next)) next = co_await perform(core, std::move(next));
        co_return std::get<result<written>>(std::move(next));
    }

private:
    asio::awaitable<edit_core::step> perform(edit_core& core, edit_core::step step)
    {
        if (std::holds_alternative<edit_core::read>(step)) {
            auto found = co_await client_.get(rules_.type, ns(), rules_.key.name);
            co_return core.have_read(std::move(found));
        }
        if (const auto* pause = std::get_if<edit_core::wait>(&step)) {
            const auto waited = co_await sleep_for(client_.time(), pause->length);
            co_return waited ? core.have_waited() : edit_core::step(result<written>(waited.error()));
        }
        auto stored = co_await write(std::move(step));
        co_return core.have_written(std::move(stored));
    }

    asio::awaitable<result<object>> write(edit_core::step step)
    {
        if (const auto* fresh = std::get_if<edit_core::create>(&step))
            return client_.create(rules_.type, ns(), json::value(fresh->body), write_);
        if (const auto* whole = std::get_if<edit_core::update>(&step))
            return client_.update(rules_.type, ns(), rules_.key.name, json::value(whole->body), write_);
        return client_.patch(rules_.type, ns(), rules_.key.name, patch_kind::merge,
                             json::value(std::get<edit_core::patch>(step).body), write_,
                             rules_.status_only ? "status" : "");
    }

    [[nodiscard]] std::string ns() const { return rules_.type.namespaced ? rules_.key.ns : std::string(); }

    client client_;
    edit_rules rules_;
    write_options write_;
};

asio::awaitable<result<written>> run_steps(client c, edit_rules rules, object_edit edit, edit_options how)
{
    // Writers that were late together would otherwise try again together, and be late again.
    if (!how.retry.seed) how.retry.seed = detail::client_access::state_of(c)->next_seed();
    edit_driver driver(std::move(c), std::move(rules), std::move(how.write));
    co_return co_await driver.run(std::move(edit), how.retry, std::move(how.known));
}

asio::awaitable<result<written>> run_edit(client c, edit_rules rules, object_edit edit, edit_options how)
{
    return catch_failure(run_steps(std::move(c), std::move(rules), std::move(edit), std::move(how)));
}

/// Edits one object, by its uid.
asio::awaitable<result<written>> edit_this(client c, object o, edit_rules rules, object_edit edit, edit_options how)
{
    KUBECORO_TRY(rules.type, co_await c.resource_of(std::string(o.api_version()), std::string(o.kind())));
    rules.key = object_key(o.key());
    rules.uid = std::string(o.uid());
    rules.patches = true;
    if (!how.known) how.known = std::move(o);
    co_return co_await run_steps(std::move(c), std::move(rules), std::move(edit), std::move(how));
}

asio::awaitable<result<object>> get_if_there(client c, resource_type type, object_key key)
{
    auto found = co_await c.get(std::move(type), std::move(key.ns), std::move(key.name));
    if (!found && found.error() == cond::not_found) co_return object();
    co_return found;
}

edit_rules rules_for(resource_type type, object_key key, edit_rules::absence absent, bool patches)
{
    edit_rules rules;
    rules.type = std::move(type);
    rules.key = std::move(key);
    rules.absent = absent;
    rules.patches = patches;
    return rules;
}

result<> add_finalizer_to(json::object& o, const std::string& finalizer)
{
    if (add_finalizer(o, finalizer) && find_field(o, "metadata", "deletionTimestamp") != nullptr)
        return failure(cond::invalid, "cannot add finalizer \"" + finalizer + "\": the object is being deleted");
    return {};
}

asio::awaitable<result<object>> edit_finalizers(client c, object o, object_edit edit, edit_rules::absence absent,
                                                write_options options)
{
    edit_rules rules;
    rules.absent = absent;
    edit_options how;
    how.write = std::move(options);
    KUBECORO_TRY(auto outcome,
                 co_await edit_this(std::move(c), std::move(o), std::move(rules), std::move(edit), std::move(how)));
    co_return outcome.now;
}

} // namespace

result<> object_edit::operator()(json::object& o) const
{
    try {
        return kept_(o);
    } catch (...) {
        return to_failure(std::current_exception());
    }
}

asio::awaitable<result<object>> get_or_none(client c, resource_type type, object_key key)
{
    return catch_failure(get_if_there(std::move(c), std::move(type), std::move(key)));
}

asio::awaitable<result<written>> create_or_update(client c, resource_type type, object_key key, object_edit edit,
                                                  edit_options how)
{
    return run_edit(std::move(c), rules_for(std::move(type), std::move(key), edit_rules::absence::create, false),
                    std::move(edit), std::move(how));
}

asio::awaitable<result<written>> create_or_patch(client c, resource_type type, object_key key, object_edit edit,
                                                 edit_options how)
{
    return run_edit(std::move(c), rules_for(std::move(type), std::move(key), edit_rules::absence::create, true),
                    std::move(edit), std::move(how));
}

asio::awaitable<result<written>> retry_on_conflict(client c, resource_type type, object_key key, object_edit edit,
                                                   edit_options how)
{
    return run_edit(std::move(c), rules_for(std::move(type), std::move(key), edit_rules::absence::fail, false),
                    std::move(edit), std::move(how));
}

asio::awaitable<result<written>> edit_status(client c, object o, object_edit edit, edit_options how)
{
    edit_rules rules;
    rules.status_only = true;
    return catch_failure(edit_this(std::move(c), std::move(o), std::move(rules), std::move(edit), std::move(how)));
}

asio::awaitable<result<object>> ensure_finalizer(client c, object o, kept_text finalizer, write_options options)
{
    const auto edit = [name = std::move(finalizer)](json::object& edited) { return add_finalizer_to(edited, name); };
    return catch_failure(
        edit_finalizers(std::move(c), std::move(o), edit, edit_rules::absence::fail, std::move(options)));
}

asio::awaitable<result<object>> remove_finalizer(client c, object o, kept_text finalizer, write_options options)
{
    const auto edit = [name = std::move(finalizer)](json::object& edited) { remove_finalizer(edited, name); };
    return catch_failure(
        edit_finalizers(std::move(c), std::move(o), edit, edit_rules::absence::accept, std::move(options)));
}

namespace {

/// Whether a merge patch of the value would change nothing.
bool says_already(const json::value& present, const json::object& patch)
{
    const auto* members = present.if_object();
    return members && std::all_of(patch.begin(), patch.end(), [members](const auto& wanted) {
               const auto* member = members->if_contains(wanted.key());
               if (wanted.value().is_null()) return member == nullptr;
               const auto* inner = wanted.value().if_object();
               return member && (inner ? says_already(*member, *inner) : *member == wanted.value());
           });
}

bool is_other_object(const failure& f)
{
    if (f != cond::invalid || f.status() == nullptr) return false;
    const auto& causes = f.status()->causes;
    return std::any_of(causes.begin(), causes.end(), [](const auto& c) { return c.field == "metadata.uid"; });
}

json::value body_for(const object& o, json::object status)
{
    json::object body;
    // The server refuses to change the uid: the status of an object is not written to another one of its name.
    if (!o.uid().empty()) field(body, "metadata", "uid") = o.uid();
    body["status"] = std::move(status);
    return body;
}

asio::awaitable<result<object>> send_status(client c, object o, json::object wanted, write_options options)
{
    if (says_already(o["status"].to_json(), wanted)) co_return o;
    KUBECORO_TRY(auto type, co_await c.resource_of(std::string(o.api_version()), std::string(o.kind())));
    auto patched = co_await c.patch(type, std::string(o.ns()), std::string(o.name()), patch_kind::merge,
                                    body_for(o, std::move(wanted)), std::move(options), "status");
    if (!patched && is_other_object(patched.error()))
        co_return failure(cond::not_found, type.display_name() + " \"" + to_string(o.key()) +
                                               "\" was deleted, and another object has its name");
    co_return patched;
}

} // namespace

asio::awaitable<result<object>> patch_status(client c, object o, json_members status, write_options options)
{
    return catch_failure(send_status(std::move(c), std::move(o), status.take(), std::move(options)));
}

} // namespace kubecoro

namespace kubecoro::detail {

namespace json = boost::json;

namespace {

// That of the deepest object: the default of Boost.JSON is less than definitions have.
constexpr std::size_t max_depth = 512;

result<> read_json(const struct_type& type, const json::object& from, void* to)
{
    const auto parsed = object::parse(written_json(from));
    if (!parsed) return parsed.error();
    if (const auto problem = read_root(type, parsed->root(), to, struct_rules::lenient)) return *problem;
    return {};
}

result<json::object> to_json(const struct_type& type, const void* from)
{
    std::string text;
    write_root(type, from, text);
    json::parse_options limits;
    limits.max_depth = max_depth;
    boost::system::error_code ec;
    auto value = json::parse(text, ec, {}, limits);
    if (ec) return failure(cond::invalid, "the struct is not JSON: " + ec.message());
    return std::move(value.get_object());
}

} // namespace

void bring_over(const json::object& before, const json::object& after, json::object& o)
{
    for (const auto& [name, value] : before)
        if (!after.contains(name)) o.erase(name);
    for (const auto& [name, value] : after) {
        const auto* old = before.if_contains(name);
        if (old && *old == value) continue;
        auto& place = o[name];
        if (value.is_object() && place.is_object() && (!old || old->is_object()))
            bring_over(old ? old->get_object() : json::object(), value.get_object(), place.get_object());
        else
            place = value;
    }
}

result<> edit_as_struct(const struct_type& type, void* value, const std::function<result<>()>& change, json::object& o)
{
    if (const auto read = read_json(type, o, value); !read) return read;
    const auto before = to_json(type, value);
    if (!before) return before.error();
    if (const auto changed = change(); !changed) return changed;
    const auto after = to_json(type, value);
    if (!after) return after.error();
    bring_over(*before, *after, o);
    return {};
}

void copy_with_owner(const struct_type& type, const void* from, void* to, const object& owner, bool is_controller,
                     bool blocks_deletion)
{
    auto o = to_json(type, from);
    if (!o) throw error(o.error());
    if (is_controller)
        set_controller_reference(owner, *o, blocks_deletion);
    else
        set_owner_reference(owner, *o, blocks_deletion);
    if (const auto read = read_json(type, *o, to); !read) throw error(read.error());
    if (is_partial({&type, from})) mark_partial(type, to);
}

} // namespace kubecoro::detail
