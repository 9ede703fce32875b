package v1

// Newer has what not every release knows.
// +kubebuilder:validation:AtMostOneOf=one;two
// +kubebuilder:validation:ExactlyOneOf=two;three
// +kubebuilder:validation:AtLeastOneOf=one;three
// +kubebuilder:title="Newer"
type Newer struct {
	One   *string `json:"one,omitempty"`
	Two   *string `json:"two,omitempty"`
	Three *string `json:"three,omitempty"`

	// +k8s:immutable
	// +optional
	Fixed string `json:"fixed,omitempty"`
	// +k8s:required
	Needed string `json:"needed,omitempty"`
	// +k8s:optional
	Free string `json:"free"`
	// +kubebuilder:title=A field
	Titled string `json:"titled"`
	// Zero is left out if it is zero, to some.
	Zero int32 `json:"zero,omitzero"`
	// +k8s:maxItems=4
	// +k8s:listType=set
	Listed []string `json:"listed,omitempty"`
	// +k8s:maximum=7 # at most
	// +k8s:minimum=-2.0
	Bounded int32 `json:"bounded,omitempty"`
	// +kubebuilder:externalDocs:url="https://example.com/docs",description="More."
	Explained string `json:"explained,omitempty"`
	// Chosen is one of the constants, to some.
	Chosen Choice `json:"chosen,omitempty"`
	// +kubebuilder:default="100Mi"
	Size string `json:"size,omitempty"`
	// +kubebuilder:validation:Enum=x;y
	Twice Choice `json:"twice,omitempty"`
}

// Choice has constants.
// +k8s:enum
type Choice string

const (
	// ChoiceB is the second one.
	ChoiceB Choice = "b"
	ChoiceA Choice = `a`
)
