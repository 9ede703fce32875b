// Package bare has values without quotes around them, but with quotes in them.
// +groupName=bare.example.com
package bare

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:Pattern=[a-z]+:message="m, n"
	A string `json:"a"`
	// +kubebuilder:validation:XValidation:rule=self == "a; b",message=no "c"
	B string `json:"b"`
	// +kubebuilder:validation:Enum=a "b";c
	C string `json:"c"`
}
