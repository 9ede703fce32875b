; CEL in the rules of CustomResourceDefinitions, for Helix: to be added to its own queries.
; Helix cannot leave the quotes of a scalar out, so rules in quotes keep the color of strings.

(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#set! injection.language "cel"))

(block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node (plain_scalar) @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#set! injection.language "cel"))

(flow_pair
  key: (flow_node) @_key
  value: (flow_node (plain_scalar) @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#set! injection.language "cel"))
