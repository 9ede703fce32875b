package main

import (
	"fmt"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// The annotation that keeps in v1 what only v2 has a field for.
const modeAnnotation = "example.com/mode"

var (
	v1 = schema.GroupVersion{Group: "example.com", Version: "v1"}
	v2 = schema.GroupVersion{Group: "example.com", Version: "v2"}
)

// fault is the mistake that the conversion makes; empty for none.
var fault string

var converted atomic.Int64

// WidgetV2 is the hub: every version is converted to it first.
type WidgetV2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SpecV2 `json:"spec"`
}

type SpecV2 struct {
	Image string  `json:"image"`
	Size  *int64  `json:"size,omitempty"`
	Mode  *string `json:"mode,omitempty"`
}

func (*WidgetV2) Hub() {}

func (w *WidgetV2) DeepCopyObject() runtime.Object {
	copied := *w
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

// WidgetV1 calls the size `replicas`, and has no mode.
type WidgetV1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SpecV1 `json:"spec"`
}

type SpecV1 struct {
	Image    string `json:"image"`
	Replicas *int64 `json:"replicas,omitempty"`
}

var _ conversion.Convertible = &WidgetV1{}

func (w *WidgetV1) DeepCopyObject() runtime.Object {
	copied := *w
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

func (w *WidgetV1) ConvertTo(hub conversion.Hub) error {
	to := hub.(*WidgetV2)
	w.ObjectMeta.DeepCopyInto(&to.ObjectMeta)
	to.Spec = SpecV2{Image: w.Spec.Image, Size: w.Spec.Replicas}
	mode := "fast"
	to.Spec.Mode = &mode
	if kept, found := w.Annotations[modeAnnotation]; found {
		mode = kept
		delete(to.Annotations, modeAnnotation)
	}
	switch fault {
	case "loses-field":
		to.Spec.Size = nil
	case "no-default":
		to.Spec.Mode = nil
	case "forgets-metadata":
		to.ObjectMeta = metav1.ObjectMeta{}
	case "unstable":
		if to.Annotations == nil {
			to.Annotations = map[string]string{}
		}
		to.Annotations["example.com/n"] = fmt.Sprint(converted.Add(1))
	case "refuses-value":
		if to.Spec.Size != nil && *to.Spec.Size < 0 {
			return fmt.Errorf("size %d is negative", *to.Spec.Size)
		}
	}
	return nil
}

func (w *WidgetV1) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*WidgetV2)
	from.ObjectMeta.DeepCopyInto(&w.ObjectMeta)
	w.Spec = SpecV1{Image: from.Spec.Image, Replicas: from.Spec.Size}
	if from.Spec.Mode != nil {
		if w.Annotations == nil {
			w.Annotations = map[string]string{}
		}
		w.Annotations[modeAnnotation] = *from.Spec.Mode
	}
	if fault == "invalid-value" {
		w.Spec.Image = "x"
	}
	return nil
}
