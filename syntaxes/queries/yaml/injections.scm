; extends

; CEL in the rules of CustomResourceDefinitions
(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#set! injection.language "cel"))

(block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node [(plain_scalar) (single_quote_scalar) (double_quote_scalar)] @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#set! injection.language "cel"))

(flow_pair
  key: (flow_node) @_key
  value: (flow_node [(plain_scalar) (single_quote_scalar) (double_quote_scalar)] @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#set! injection.language "cel"))
