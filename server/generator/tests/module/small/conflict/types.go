// Package conflict has a kind whose field without a JSON name is embedded, and cannot be.
// +groupName=conflict.example.com
package conflict

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Value string `json:",omitempty"`
}
