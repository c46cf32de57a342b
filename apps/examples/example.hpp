// Declarations shared by the examples. Each is one file with a run(); main.cpp passes it a client.
#pragma once

#include <kubecoro/kubecoro.hpp>

#include <boost/asio/awaitable.hpp>

#include <iostream>

/// The example itself.
boost::asio::awaitable<kubecoro::result<>> run(kubecoro::client client);

/// Acts as another client: creates, changes and deletes the config map `default/greeting`.
boost::asio::awaitable<kubecoro::result<>> make_some_changes(kubecoro::client client);
