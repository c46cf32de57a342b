#pragma once

#include <kubecoro/api/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace kubecoro::detail {

/** Finds out who an object is while its events pass by: name, namespace, uid and version of its metadata, wherever the
    metadata stands and in whatever order. */
class item_identity
{
public:
    void begin() noexcept
    {
        in_metadata_ = false;
        field_ = nullptr;
        for (auto* text : {&ns_, &name_, &uid_, &version_}) text->clear();
    }

    /// @param depth  Containers that are open around the key.
    void key(std::size_t depth, std::string_view text) noexcept
    {
        field_ = nullptr;
        if (depth == 1)
            in_metadata_ = text == "metadata";
        else if (depth == 2 && in_metadata_)
            field_ = field(text);
    }

    /// A string at that depth. @return whether it told something new and nothing is missing.
    [[nodiscard]] bool string(std::size_t depth, std::string_view text)
    {
        if (field_ == nullptr || depth != 2) return false;
        *field_ = text;
        field_ = nullptr;
        return !name_.empty() && !uid_.empty() && !version_.empty();
    }

    [[nodiscard]] object_key_view key() const noexcept { return {ns_, name_}; }
    [[nodiscard]] std::string_view uid() const noexcept { return uid_; }
    [[nodiscard]] std::string_view resource_version() const noexcept { return version_; }

private:
    [[nodiscard]] std::string* field(std::string_view key) noexcept
    {
        return key == "name"              ? &name_
               : key == "namespace"       ? &ns_
               : key == "uid"             ? &uid_
               : key == "resourceVersion" ? &version_
                                          : nullptr;
    }

    bool in_metadata_ = false;
    /// Where the next string goes.
    std::string* field_ = nullptr;
    std::string ns_;
    std::string name_;
    std::string uid_;
    std::string version_;
};

} // namespace kubecoro::detail
