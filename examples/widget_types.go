// Package v1 has the types of widgets.
// +groupName=example.com
package v1

// WidgetSpec is what a widget should be.
type WidgetSpec struct {
	// Name is shown to users.
	// +kubebuilder:validation:MaxLenght=20
	Name string `json:"name"`

	// Size is the number of parts.
	// +kubebuilder:validation:Minimum=one
	// +optional because it has a default
	Size int `json:"size,omitempty"`
}

// Widget is one.
type Widget struct {
	// +kubebuilder:subresource:status
	Spec WidgetSpec `json:"spec"`
}
