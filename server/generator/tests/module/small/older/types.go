// Package older has kinds whose version is left out. Candle has no other version, and Lamp has one in a package that Candle needs.
// +groupName=versions.example.com
package older

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/shop/small/newer"
)

// +kubebuilder:skipversion
type Candle struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Bulb newer.Bulb `json:"bulb"`
}

// +kubebuilder:skipversion
type Lamp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
