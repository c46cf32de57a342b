#include <kubecoro/base/detail/owner_end.hpp>

#include <exception>

namespace kubecoro::detail {

void show_end(const logger& log, metrics* numbers, std::string_view owner, const std::string& name,
              const std::string& task, const failure& why) noexcept
{
    try {
        log.error("a loop failed and has ended its owner",
                  {{owner, name}, {"task", task}, {"failure", why.describe()}});
        if (numbers == nullptr) return;
        numbers->make_counter("kubecoro_ended_owners_total", {{"owner", std::string(owner)}, {"name", name}})->add(1);
    } catch (const std::exception&) { // documented
    }
}

} // namespace kubecoro::detail
