// The place in a document that is being read; errors name it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace kubecoro::codegen {

/// A path such as `spec.versions[0].name`.
class document_path
{
public:
    /// Goes down while it lives.
    class step
    {
    public:
        step(document_path& of, std::string_view name) : of_(of), before_(of.text_.size())
        {
            if (!of_.text_.empty()) of_.text_ += '.';
            of_.text_ += name;
        }
        step(document_path& of, std::size_t index) : of_(of), before_(of.text_.size())
        {
            of_.text_ += '[' + std::to_string(index) + ']';
        }
        ~step() { of_.text_.resize(before_); }
        step(const step&) = delete;
        step& operator=(const step&) = delete;

    private:
        document_path& of_;
        std::size_t before_;
    };

    /// Throws std::runtime_error with the path and the words.
    [[noreturn]] void fail(std::string_view words) const
    {
        throw std::runtime_error((text_.empty() ? "" : text_ + ": ") + std::string(words));
    }

private:
    std::string text_;
};

} // namespace kubecoro::codegen
