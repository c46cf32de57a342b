#include <kubecoro/endpoints/streamed_page.hpp>

#include <utility>

namespace kubecoro {

streamed_page text_page(std::string path, std::function<std::string()> make)
{
    streamed_page out;
    out.path = std::move(path);
    out.begin = [make = std::move(make)]() -> body_parts {
        return [make](std::string& part) {
            part += make();
            return false;
        };
    };
    return out;
}

} // namespace kubecoro
