// Package nogroup has a kind without a group: its version has no name, and markers of versions have no effect.
package nogroup

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Lamp is a lamp.
// +kubebuilder:deprecatedversion:warning="old"
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name=On,type=boolean,JSONPath=.on
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	On bool `json:"on"`
}
