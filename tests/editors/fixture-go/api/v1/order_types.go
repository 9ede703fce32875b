package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// OrderSpec says what is bought.
// +kubebuilder:validation:XValidation:rule="self.price <= self.limit",message="the price is over the limit"
type OrderSpec struct {
	// Price is the price of all items.
	Price int32 `json:"price"`

	// Limit is the most that the buyer pays.
	// +kubebuilder:validation:Maximum=1000
	Limit int32 `json:"limit"`

	// Tags tell orders apart.
	// +optional
	Tags []string `json:"tags,omitempty"`
}

// Order is an order.
// +kubebuilder:object:root=true
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec,omitempty"`
}
