// Passes the server's warnings on to the program, each of them once.
#include "rest/client_state.hpp"

#include <kubecoro/base/catch_failure.hpp>

#include <exception>
#include <utility>

namespace kubecoro {

void client::state::pass_on_warnings(const answer_head& head, const request& r)
{
    for (const auto& [name, value] : head.headers)
        if (name == "warning")
            for (auto& text : detail::parse_warnings(value)) pass_on({std::move(text), r.method, r.target});
}

void client::state::pass_on(const server_warning& w)
{
    {
        std::lock_guard lock(mutex_);
        if (!warnings_.is_new(w.text)) return;
    }
    if (!options.on_warning) {
        options.log.warning("the server sent a warning", {{"target", w.target}, {"warning", w.text}});
        return;
    }
    try {
        std::as_const(options.on_warning)(w);
    } catch (...) {
        const auto why = to_failure(std::current_exception());
        options.log.error("the sink for the server's warnings threw an exception", {{"why", why.describe()}});
    }
}

} // namespace kubecoro
