// +groupName=shop.example.com
// +kubebuilder:validation:Optional
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is an older order, whose fields are optional.
// +kubebuilder:unservedversion
// +kubebuilder:deprecatedversion:warning="shop.example.com/v1beta1 Order: use v1"
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Price int64 `json:"price"`
	// +kubebuilder:validation:Required
	Customer string `json:"customer"`
}
