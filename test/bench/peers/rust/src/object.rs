use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::NamespaceResourceScope;
use kube::{Resource, ResourceExt};
use serde::de::DeserializeOwned;
use std::fmt::Debug;

use crate::widget::Widget;

const STAMP: &str = "bench.example.com/stamp";

/// A kind that the bench watches, and the fields that its reconciles read.
pub trait Object: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned + Send + Sync + 'static {
    /// spec.nodeName, of a widget spec.color
    fn first(&self) -> &str;
    /// status.phase
    fn phase(&self) -> &str;
    /// status.podIP, of a widget spec.schedule
    fn fifth(&self) -> &str;

    fn stamp(&self) -> &str {
        self.annotations().get(STAMP).map_or("", String::as_str)
    }
}

fn or_empty(value: Option<&String>) -> &str {
    value.map_or("", String::as_str)
}

impl Object for Pod {
    fn first(&self) -> &str {
        or_empty(self.spec.as_ref().and_then(|s| s.node_name.as_ref()))
    }
    fn phase(&self) -> &str {
        or_empty(self.status.as_ref().and_then(|s| s.phase.as_ref()))
    }
    fn fifth(&self) -> &str {
        or_empty(self.status.as_ref().and_then(|s| s.pod_ip.as_ref()))
    }
}

impl Object for Widget {
    fn first(&self) -> &str {
        &self.spec.color
    }
    fn phase(&self) -> &str {
        or_empty(self.status.as_ref().and_then(|s| s.phase.as_ref()))
    }
    fn fifth(&self) -> &str {
        &self.spec.schedule
    }
}
