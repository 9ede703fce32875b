// Package label has a label without a value, on which controller-gen crashes after the first kind.
// +groupName=label.example.com
package label

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Bulb struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// +kubebuilder:metadata:labels="a"
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
