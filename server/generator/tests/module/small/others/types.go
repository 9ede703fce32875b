// Package others has wrong markers of other generators, which the one of CRDs does not read.
// +groupName=others.example.com
// +kubebuilder:rbac:nothing=a
package others

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true:warning=w
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
