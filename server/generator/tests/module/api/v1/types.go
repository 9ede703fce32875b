// Package v1 has every form of type, and the markers that controller-gen reads.
// +groupName=shop.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	. "example.com/shop/shared"
	other "example.com/shop/shared"
)

// Phase says how far an order is.
// +kubebuilder:validation:Enum=Open;"In Delivery";Closed
type Phase string

// Number is another name for a type of Go.
type Number = int64

// Street is another name for a type of another package.
type Home = other.Address

// Tree holds itself.
type Tree struct {
	Name string `json:"name"`
	// Children are trees, too.
	Children []Tree `json:"children,omitempty"`
	// Parent is a tree.
	Parent *Tree `json:"parent,omitempty"`
}

// Base is embedded.
type Base struct {
	// ID is the number of the base.
	// +kubebuilder:default=1
	ID int32 `json:"id,omitempty"`
	// Same is in both.
	Same string `json:"same"`
}

// Item is a part of an order.
// +kubebuilder:validation:XValidation:rule="self.count > 0 || has(self.note)",message="count or note",fieldPath=".count",reason=FieldValueRequired
type Item struct {
	Base `json:",inline"`

	// Same hides the one that is embedded.
	// +kubebuilder:validation:MaxLength=10
	Same string `json:"same,omitempty"`

	// Count is how many.
	// It goes on here: with a colon.
	//
	// A new paragraph, and a line that is so long that it has to be wrapped when it is written to the file.
	//
	// TODO: this line is left out.
	// ---
	// So is this.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	// +kubebuilder:validation:MultipleOf=2
	Count int32 `json:"count"`

	Note *string `json:"note,omitempty" yaml:"note"`

	Left, Right bool `json:"side"`

	Hidden string `json:"-"`
	// Dash is a field with the name of a dash.
	Dash string `json:"-,"`
}

// OrderSpec is what somebody wants.
type OrderSpec struct {
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=id
	// +listMapKey=-
	Items []Item `json:"items"`

	// Phase with another default.
	// +kubebuilder:default=Open
	// +optional
	Phase Phase `json:"phase"`

	// +kubebuilder:validation:MaxLength=12
	// +kubebuilder:validation:Pattern="^[a-z]+(\\.[a-z]+)*$"
	Shortened Phase `json:"shortened,omitempty"`

	Number Number `json:"number,omitempty"`
	Home   Home   `json:"home,omitempty"`
	// Address of the shop, from the package that is imported with a dot.
	Address Address                `json:"address"`
	Named   other.Names            `json:"named,omitempty"`
	Level   other.Level            `json:"level,omitempty"`
	Levels  map[string]other.Level `json:"levels,omitempty"`
	Secret  other.Secret           `json:"secret,omitempty"`
	Color   *other.Color           `json:"color,omitempty"`
	Painted other.Painted          `json:"painted,omitempty"`
	Tree    *Tree                  `json:"tree,omitempty"`

	// +mapType=atomic
	// +kubebuilder:validation:MinProperties=1
	Labels map[string]string   `json:"labels,omitempty"`
	Lists  map[string][]string `json:"lists,omitempty"`
	// +kubebuilder:validation:items:XValidation:rule="self.size() > 0"
	Matrix [][]int64 `json:"matrix,omitempty"`
	Data   []byte    `json:"data,omitempty"`
	Bytes  []uint8   `json:"bytes,omitempty"`
	Fixed  [4]byte   `json:"fixed,omitempty"`

	// +kubebuilder:default="10m"
	Timeout metav1.Duration `json:"timeout,omitempty"`
	Created *metav1.Time    `json:"created,omitempty"`
	// +kubebuilder:default=5
	Port  intstr.IntOrString `json:"port,omitempty"`
	Limit *resource.Quantity `json:"limit,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	Raw runtime.RawExtension `json:"raw,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:XPreserveUnknownFields
	// +kubebuilder:validation:Type=object
	Free other.Address `json:"free,omitempty"`
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:validation:XPreserveUnknownFields
	Template runtime.RawExtension `json:"template,omitempty"`
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:Type=""
	Either string `json:"either,omitempty"`

	// +default={"b": [1, 2.5], "a": "x"}
	// +nullable
	Json map[string]string `json:"json,omitempty"`
	// +kubebuilder:default={}
	Empty []string `json:"empty,omitempty"`
	// +kubebuilder:default={count: 1, side: true, same: "a", "-": x}
	Default *Item `json:"default,omitempty"`
	// +kubebuilder:example={1, 2}
	Example []int32 `json:"example,omitempty"`
	// +kubebuilder:validation:Maximum=9007199254740993
	// +kubebuilder:validation:Minimum=-1e3
	Large int64 `json:"large,omitempty"`
	//+kubebuilder:validation:UniqueItems=true
	//+kubebuilder:validation:MinItems=1
	Unique []string `json:"unique,omitempty"`

	/* Block comments
	   are documentation, too. */
	Block string `json:"block,omitempty"`
	// It's "quoted" — and é, 世界.
	Quoted string `json:"quoted,omitempty"`
	// # not a comment
	Hash string `json:"hash,omitempty"`
	//nolint:all
	// yes
	Yes bool `json:"yes,omitempty"`
}

// OrderStatus is how far it is.
type OrderStatus struct {
	// +listType=map
	// +listMapKey=type
	// +patchStrategy=merge
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	Total      int32              `json:"total,omitempty"`
	Selector   string             `json:"selector,omitempty"`
}

// Order is what somebody orders.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.number,statuspath=.status.total,selectorpath=.status.selector
// +kubebuilder:resource:shortName=o;od,categories={all,shop},scope=Namespaced
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.spec.phase`,description="How far it is",priority=1
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:selectablefield:JSONPath=.spec.phase
// +kubebuilder:metadata:annotations="example.com/a=b=c",labels="team=shop"
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec OrderSpec `json:"spec,omitempty"`
	// +optional
	Status OrderStatus `json:"status,omitempty"`
}

// OrderList is a list.
type OrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Order `json:"items"`
}

// +kubebuilder:resource:path=supplies,singular=supply,scope=Cluster

// Policy has a comment between its markers and its documentation.
type Policy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +kubebuilder:validation:Enum={a,"1",true,2}
	Any   string `json:"any"`
	Newer Newer  `json:"newer,omitempty"`
}
