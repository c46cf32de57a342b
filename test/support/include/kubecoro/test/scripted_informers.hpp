#pragma once

#include <kubecoro/cache/informer_factory.hpp>
#include <kubecoro/testing/coroutine_runner.hpp>
#include <kubecoro/testing/scripted_source.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kubecoro::test {

/// A factory of informers over scripted sources, in the virtual time of a runner.
struct scripted_informers
{
    std::shared_ptr<testing::scripted_provider> provider;
    std::unique_ptr<informer_factory> informers;

    explicit scripted_informers(testing::runner& run, factory_options options = {})
        : provider(std::make_shared<testing::scripted_provider>(run.executor(), run.shared_clock()))
    {
        options.time = run.shared_clock();
        if (!options.seed) options.seed = 7;
        informers = std::make_unique<informer_factory>(provider, std::move(options));
    }
    scripted_informers(const scripted_informers&) = delete;
    scripted_informers& operator=(const scripted_informers&) = delete;

    /// The script for the whole resource, or for one namespace.
    [[nodiscard]] testing::scripted_source& source(const resource_type& resource, std::string ns = {}) const
    {
        return *provider->source(resource,
                                 {.ns = std::move(ns), .label_selector = {}, .field_selector = {}, .decode = {}});
    }
};

} // namespace kubecoro::test
