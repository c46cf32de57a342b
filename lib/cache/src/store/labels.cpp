// The store's label indexes: built on the first use of a label, maintained by the writer.

#include "store/store.hpp"

#include <utility>

namespace kubecoro::detail {
namespace {

/// Number of objects below which a scan is as fast as an index.
constexpr std::size_t worth_an_index = 256;

/// Number of changes that are made while the writer waits.
constexpr std::size_t few_changes = 64;

} // namespace

std::optional<std::vector<object>> store::candidates(const label_selector& selector, std::string_view ns) const
{
    std::vector<std::string> missing;
    {
        std::shared_lock lock(mutex_);
        if (tables_->size() >= worth_an_index) missing = tables_->labels().missing(selector);
    }
    for (const auto& key : missing) index_label(key);

    std::shared_lock lock(mutex_);
    const store_tables& tables = *tables_;
    return tables.labels().candidates(selector, ns, ns.empty() ? tables.size() : tables.size_of(ns));
}

bool store::index_label(const std::string& key) const
{
    struct construction // given up if it is not finished
    {
        const store& of;
        const std::string& label;
        bool under_way = false;
        ~construction()
        {
            if (!under_way) return;
            std::lock_guard writing(of.writer_);
            std::unique_lock lock(of.mutex_);
            of.tables_->labels().give_up(label);
            ++of.shape_;
        }
    } here{*this, key};
    label_postings built(key);
    {
        store_visits::visit all;
        {
            const std::lock_guard writing(writer_);
            {
                std::unique_lock lock(mutex_);
                if (!tables_->labels().begin(key)) return false;
                ++shape_;
                here.under_way = true;
            }
            open(all, std::string_view());
        }
        for (const auto& o : all.objects) built.change({}, o.keep());
    }
    for (;;) {
        std::unique_lock writing(writer_);
        auto changes = tables_->labels().take_written_down(key);
        if (changes.size() > few_changes) writing.unlock(); // the writer does not wait for them
        for (const auto& c : changes) built.change(c.before, c.now);
        if (!writing.owns_lock()) continue;
        std::unique_lock lock(mutex_);
        tables_->labels().finish(std::move(built));
        ++shape_;
        here.under_way = false;
        return true;
    }
}

std::vector<std::string> store::indexed_labels() const
{
    std::shared_lock lock(mutex_);
    return tables_->labels().keys();
}

} // namespace kubecoro::detail
