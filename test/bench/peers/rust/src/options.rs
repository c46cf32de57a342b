use std::env::args;
use std::process::exit;

use kube::runtime::watcher::Config;

/// The run-time differences between the two builds; a flag can set each as well.
const BEST: bool = cfg!(feature = "best");

#[derive(Clone, Debug)]
pub struct Options {
    pub server: String,
    /// A cluster in place of the replay server; empty = none.
    pub kubeconfig: String,
    pub resource: String,
    /// The one namespace to watch; empty = all.
    pub namespace: String,
    /// The Controller instead of watcher, reflector store and a worker.
    pub controller: bool,
    /// The maximum of concurrent reconciles of the Controller; 0 = no limit.
    pub concurrency: u16,
    pub current_thread: bool,
    pub streaming_lists: bool,
    pub strip_managed_fields: bool,
    /// File for the stamp and the time of each reconcile; empty = none.
    pub arrivals: String,
}

const USAGE: &str = "usage: --server URL | --kubeconfig FILE [--resource pods|widgets] [--mode reflector|controller]
       [--concurrency N] [--runtime current-thread|multi-thread] [--list streaming|paged] [--namespaces NAME] [--strip-managed-fields]";

impl Options {
    pub fn from_arguments() -> Self {
        let mut options = Self {
            server: String::new(),
            kubeconfig: String::new(),
            resource: "pods".into(),
            namespace: String::new(),
            controller: false,
            concurrency: if BEST { 64 } else { 0 },
            current_thread: BEST,
            streaming_lists: BEST,
            strip_managed_fields: false,
            arrivals: String::new(),
        };
        let mut words = args().skip(1);
        while let Some(flag) = words.next() {
            if flag == "--strip-managed-fields" {
                options.strip_managed_fields = true;
            } else {
                let value = words.next().unwrap_or_else(|| refuse(&flag, ""));
                options.set(&flag, &value);
            }
        }
        if options.server.is_empty() && options.kubeconfig.is_empty() {
            refuse("--server", "");
        }
        options
    }

    fn set(&mut self, flag: &str, value: &str) {
        match (flag, value) {
            ("--server", _) => self.server = value.into(),
            ("--kubeconfig", _) => self.kubeconfig = value.into(),
            ("--resource", "pods" | "widgets") => self.resource = value.into(),
            ("--namespaces", _) => self.namespace = value.into(),
            ("--arrivals", _) => self.arrivals = value.into(),
            ("--mode", "reflector" | "controller") => self.controller = value == "controller",
            ("--concurrency", _) => self.concurrency = value.parse().unwrap_or_else(|_| refuse(flag, value)),
            ("--runtime", "current-thread" | "multi-thread") => self.current_thread = value == "current-thread",
            ("--list", "streaming" | "paged") => self.streaming_lists = value == "streaming",
            _ => refuse(flag, value),
        }
    }

    pub fn watcher_config(&self) -> Config {
        if self.streaming_lists { Config::default().streaming_lists() } else { Config::default() }
    }
}

fn refuse(flag: &str, value: &str) -> ! {
    eprintln!("kube-rs subject: cannot use {flag} {value}\n{USAGE}");
    exit(2);
}
