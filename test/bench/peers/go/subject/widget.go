package main

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Widget is the custom resource as an operator's author would declare it: every field typed, which costs client-go less
// than the dynamic client's maps.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Widget `json:"items"`
}

type WidgetSpec struct {
	Color     string          `json:"color"`
	Paused    bool            `json:"paused"`
	Placement WidgetPlacement `json:"placement"`
	Schedule  string          `json:"schedule"`
	Steps     []WidgetStep    `json:"steps"`
}

type WidgetPlacement struct {
	Priority int64    `json:"priority"`
	Zones    []string `json:"zones"`
}

type WidgetStep struct {
	Name        string               `json:"name"`
	Image       string               `json:"image"`
	Needs       []int64              `json:"needs,omitempty"`
	Parallelism int64                `json:"parallelism"`
	Parameters  WidgetStepParameters `json:"parameters"`
	Resources   WidgetStepResources  `json:"resources"`
	Retries     WidgetStepRetries    `json:"retries"`
	Timeout     string               `json:"timeout"`
}

type WidgetStepParameters struct {
	Digest string `json:"digest"`
	Input  string `json:"input"`
	Strict bool   `json:"strict"`
}

type WidgetStepResources struct {
	CPU    string `json:"cpu"`
	Memory string `json:"memory"`
}

type WidgetStepRetries struct {
	Backoff float64 `json:"backoff"`
	Limit   int64   `json:"limit"`
}

type WidgetStatus struct {
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	Steps              []WidgetStepStatus `json:"steps,omitempty"`
}

type WidgetStepStatus struct {
	Attempts  int64              `json:"attempts"`
	Name      string             `json:"name"`
	Node      string             `json:"node"`
	Observed  WidgetStepObserved `json:"observed"`
	Phase     string             `json:"phase"`
	Pod       string             `json:"pod"`
	StartedAt metav1.Time        `json:"startedAt"`
}

type WidgetStepObserved struct {
	Bytes   int64   `json:"bytes"`
	Ratio   float64 `json:"ratio"`
	Records int64   `json:"records"`
}

var widgetVersion = schema.GroupVersion{Group: "bench.example.com", Version: "v1"}

func addWidgets(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(widgetVersion, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, widgetVersion)
}

// DeepCopyObject implements runtime.Object. An informer never calls it, so it need not be the generated, fast one.
func (w *Widget) DeepCopyObject() runtime.Object { return copied(w) }

// DeepCopyObject implements runtime.Object, see above.
func (l *WidgetList) DeepCopyObject() runtime.Object { return copied(l) }

func copied[T any](from *T) *T {
	text, err := json.Marshal(from)
	if err != nil {
		panic(err)
	}
	to := new(T)
	if err := json.Unmarshal(text, to); err != nil {
		panic(err)
	}
	return to
}
