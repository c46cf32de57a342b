use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use serde::{Deserialize, Serialize};

/// The custom resource as an operator's author declares it with kube's derive macro: every field typed, which costs
/// kube-rs less than a `DynamicObject`.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize)]
#[kube(
    group = "bench.example.com",
    version = "v1",
    kind = "Widget",
    namespaced,
    status = "WidgetStatus",
    schema = "disabled"
)]
pub struct WidgetSpec {
    pub color: String,
    pub paused: bool,
    pub placement: Placement,
    pub schedule: String,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Placement {
    pub priority: i64,
    pub zones: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Step {
    pub name: String,
    pub image: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<i64>,
    pub parallelism: i64,
    pub parameters: Parameters,
    pub resources: Resources,
    pub retries: Retries,
    pub timeout: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Parameters {
    pub digest: String,
    pub input: String,
    pub strict: bool,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Resources {
    pub cpu: String,
    pub memory: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Retries {
    pub backoff: f64,
    pub limit: i64,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WidgetStatus {
    #[serde(default)]
    pub conditions: Vec<Condition>,
    pub observed_generation: Option<i64>,
    pub phase: Option<String>,
    #[serde(default)]
    pub steps: Vec<StepStatus>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepStatus {
    pub attempts: i64,
    pub name: String,
    pub node: String,
    pub observed: Observed,
    pub phase: String,
    pub pod: String,
    pub started_at: Time,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Observed {
    pub bytes: i64,
    pub ratio: f64,
    pub records: i64,
}
