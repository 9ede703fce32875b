// Package v1 stands in for that of Kubernetes: it has the names that controller-gen looks for.
package v1

// TypeMeta says what an object is.
type TypeMeta struct {
	// Kind is the kind.
	// +optional
	Kind string `json:"kind,omitempty"`

	// APIVersion is the group and the version.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
}

// ObjectMeta is known to controller-gen.
type ObjectMeta struct {
	Name string `json:"name,omitempty"`
}

// ListMeta is that of lists.
type ListMeta struct {
	Continue string `json:"continue,omitempty"`
}

// Time is known to controller-gen.
type Time struct{}

// Duration is known to controller-gen.
type Duration struct{}

// A Condition has its own limits.
type Condition struct {
	// Type of the condition.
	// +required
	// +kubebuilder:validation:Required
	// +kubebuilder:validation:MaxLength=316
	Type string `json:"type"`
	// LastTransitionTime is when it changed.
	LastTransitionTime Time `json:"lastTransitionTime"`
	// Reason is a word.
	// +kubebuilder:validation:Pattern=`^[A-Za-z]+$`
	Reason string `json:"reason,omitempty"`
}
