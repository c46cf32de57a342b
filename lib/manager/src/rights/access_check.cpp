#include "rights/access_check.hpp"

#include <kubecoro/base/backoff.hpp>
#include <kubecoro/base/printable.hpp>
#include <kubecoro/base/try.hpp>
#include <kubecoro/controller/parallelize.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <utility>

namespace asio = boost::asio;
namespace json = boost::json;

namespace kubecoro::detail {
namespace {

/// Missing rights that are written out.
constexpr std::size_t most_named = 10;
/// Bytes of the server's text in a failure.
constexpr std::size_t longest_problem = 256;

/// Between attempts to reach a server that does not answer.
constexpr auto first_pause = std::chrono::seconds{1};
constexpr auto longest_pause = std::chrono::seconds{30};

const resource_type reviews{.group = "authorization.k8s.io",
                            .version = "v1",
                            .plural = "selfsubjectaccessreviews",
                            .kind = "SelfSubjectAccessReview",
                            .namespaced = false};

struct question
{
    access_right right;
    std::string verb;
    bool answered = false;
    bool refused = false;
    /// The obstacle to an evaluation of all rules of the server. Empty: there was none.
    std::string not_evaluated = {};
};

struct asking
{
    client cluster;
    std::vector<question> questions;
    /// The first failure of a request: the server cannot be asked.
    std::optional<failure> unanswered = {};
};

asio::awaitable<result<>> ask(asking& all, std::size_t n)
{
    auto& q = all.questions[n];
    if (all.unanswered || q.answered) co_return result<>{};
    const auto answer = co_await all.cluster.create(reviews, {}, review_of(q.right, q.verb));
    if (!answer && answer.error() == cond::cancelled) co_return answer.error();
    q.answered = answer.has_value();
    if (answer) {
        const auto status = (*answer)["status"];
        q.refused = !status["allowed"].as_bool();
        q.not_evaluated = printable(status["evaluationError"].as_string(), longest_problem);
    } else {
        all.unanswered = answer.error();
    }
    co_return result<>{};
}

/// A server that starts at the same time as the program, or is busy.
bool may_pass(const failure& f) noexcept
{
    return f == cond::unreachable || f == cond::timed_out || f == cond::retry_later;
}

/// Asks what has no answer yet, until the first failure.
asio::awaitable<result<>> ask_all(asking& all)
{
    all.unanswered.reset();
    const std::function<asio::awaitable<result<>>(std::size_t)> each = [&all](std::size_t n) { return ask(all, n); };
    co_return co_await parallelize(all.questions.size(), each);
}

std::vector<access_right> refused(const std::vector<question>& all)
{
    std::vector<access_right> out;
    for (const auto& q : all) {
        if (!q.refused) continue;
        out.push_back(q.right);
        out.back().verbs = {q.verb};
    }
    return merged(std::move(out));
}

/// The first problem of a refusal: what is behind it may not be the role.
std::string problem_of(const std::vector<question>& all)
{
    for (const auto& q : all)
        if (q.refused && !q.not_evaluated.empty()) return q.not_evaluated;
    return {};
}

std::string quote(const std::vector<std::string>& texts)
{
    std::string out;
    for (const auto& t : texts) out += (out.empty() ? "\"" : ", \"") + t + "\"";
    return "[" + out + "]";
}

} // namespace

std::string review_of(const access_right& right, const std::string& verb)
{
    const auto slash = right.resource.find('/');
    json::object what{{"verb", verb}, {"group", right.group}, {"resource", right.resource.substr(0, slash)}};
    if (slash != std::string::npos) what["subresource"] = right.resource.substr(slash + 1);
    if (!right.ns.empty()) what["namespace"] = right.ns;
    if (!right.name.empty()) what["name"] = right.name;
    return json::serialize(json::object{{"apiVersion", "authorization.k8s.io/v1"},
                                        {"kind", "SelfSubjectAccessReview"},
                                        {"spec", json::object{{"resourceAttributes", std::move(what)}}}});
}

failure missing_rights(const std::vector<access_right>& missing, std::string_view problem)
{
    std::string names, rules;
    std::size_t named = 0;
    for (const auto& m : missing) {
        if (++named > most_named) break;
        names += (names.empty() ? "" : "; ") + describe(m);
        rules += (rules.empty() ? "" : ", ") + std::string("{apiGroups: ") + quote({m.group}) +
                 ", resources: " + quote({m.resource}) + (m.name.empty() ? "" : ", resourceNames: " + quote({m.name})) +
                 ", verbs: " + quote(m.verbs) + "}";
    }
    if (named > most_named) names += "; and " + std::to_string(missing.size() - most_named) + " more";
    std::string why = "the program may not " + names + ". ";
    if (!problem.empty()) why += "The server could not evaluate all of its rules: " + std::string(problem) + ". ";
    return failure(cond::forbidden, why + "Add to the rules of its role: " + rules);
}

asio::awaitable<result<>> check_access(client cluster, std::vector<access_right> rights, logger log, time_source& time,
                                       std::uint64_t seed)
{
    asking all{.cluster = std::move(cluster), .questions = {}};
    for (const auto& r : merged(std::move(rights)))
        for (const auto& v : r.verbs) all.questions.push_back({.right = r, .verb = v});
    backoff pauses({.initial = first_pause, .cap = longest_pause}, seed);
    for (;;) {
        KUBECORO_TRY(co_await ask_all(all));
        const auto missing = refused(all.questions);
        if (!missing.empty()) co_return missing_rights(missing, problem_of(all.questions));
        if (!all.unanswered) break;
        const bool again = may_pass(*all.unanswered);
        if (!again || pauses.attempts() == 0)
            log.warning(again ? "the rights of the program are not checked yet"
                              : "the rights of the program were not checked",
                        {{"failure", all.unanswered->describe()}});
        if (!again) co_return result<>{};
        KUBECORO_TRY(co_await sleep_for(time, pauses.next()));
    }
    log.debug("the program has the rights that it declares", {{"checked", all.questions.size()}});
    co_return result<>{};
}

} // namespace kubecoro::detail
