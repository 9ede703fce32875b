// Package methods has methods that do not write a type as JSON, because they return something else, and one that does.
// +groupName=methods.example.com
package methods

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Plain  Plain  `json:"plain"`
	Given  Given  `json:"given"`
	Named  Named  `json:"named"`
	Custom Custom `json:"custom"`
}

type Plain struct {
	A int32 `json:"a"`
}

func (p Plain) MarshalJSON() string { return "" }

type Given struct {
	A int32 `json:"a"`
}

func (g Given) MarshalText(by int) ([]byte, error) { return nil, nil }

type Named struct {
	A int32 `json:"a"`
}

func (n *Named) MarshalText() (text []byte, err error) { return nil, nil }

// +kubebuilder:validation:Type=number
type Custom struct {
	A int32 `json:"a"`
}

func (c Custom) MarshalJSON() ([]uint8, error) { return nil, nil }
