package resource

// Quantity is known to controller-gen.
type Quantity struct{}
