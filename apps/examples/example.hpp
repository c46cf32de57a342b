// What the examples share. Each is one file with a run(); main.cpp gives it a client.
#pragma once

#include <kubecoro/kubecoro.hpp>

#include <boost/asio/awaitable.hpp>

#include <iostream>

/// The example itself.
boost::asio::awaitable<kubecoro::result<>> run(kubecoro::client client);

/// What somebody else does meanwhile: creates, changes and deletes the config map `default/greeting`.
boost::asio::awaitable<kubecoro::result<>> make_some_changes(kubecoro::client client);
