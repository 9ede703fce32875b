// Package lists has markers of lists and maps at fields whose types another package names.
// +groupName=lists.example.com
package lists

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	other "example.com/shop/shared"
)

type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	Names other.Names `json:"names"`
	// +listType=atomic
	Pointer *other.Names `json:"pointer"`
}
