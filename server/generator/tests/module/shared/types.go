// Package shared has types that other packages use.
package shared

// Address is where somebody lives.
// +structType=atomic
type Address struct {
	// Street and number.
	// +kubebuilder:validation:MinLength=1
	Street string `json:"street"`
	// City is optional here, since the package says nothing of it.
	City string `json:"city,omitempty"`
}

// Level is a number.
// +kubebuilder:validation:Minimum=1
// +kubebuilder:validation:Maximum=5
type Level int32

// Names are a list with a name.
// +listType=set
// +kubebuilder:validation:MaxItems=8
// +kubebuilder:validation:items:MaxLength=20
type Names []string

// Secret hides how it is written.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:Format=password
type Secret struct {
	hidden []byte
}

// MarshalJSON writes it.
func (s Secret) MarshalJSON() ([]byte, error) { return nil, nil }

// Color is written as a text.
type Color struct{ Red, Green, Blue uint8 }

// MarshalText writes it.
func (c *Color) MarshalText() ([]byte, error) { return nil, nil }

// Painted has the methods of Color.
type Painted struct{ Color }
