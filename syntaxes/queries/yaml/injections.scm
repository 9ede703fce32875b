; extends

; CEL in the rules of CustomResourceDefinitions, for Neovim.
; Quotes and the indicators of block scalars are YAML's, not CEL's.

(block_mapping_pair
  key: (flow_node) @_key
  value: (block_node (block_scalar) @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#offset! @injection.content 0 1 0 0)
  (#set! injection.language "cel"))

(block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node (plain_scalar) @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#set! injection.language "cel"))

(block_mapping_pair
  key: (flow_node) @_key
  value: (flow_node [(single_quote_scalar) (double_quote_scalar)] @injection.content)
  (#any-of? @_key "rule" "messageExpression")
  (#offset! @injection.content 0 1 0 -1)
  (#set! injection.language "cel"))

(flow_pair
  key: (flow_node) @_key
  value: (flow_node (plain_scalar) @injection.content)
  (#any-of? @_key "rule" "\"rule\"" "messageExpression" "\"messageExpression\"")
  (#set! injection.language "cel"))

(flow_pair
  key: (flow_node) @_key
  value: (flow_node [(single_quote_scalar) (double_quote_scalar)] @injection.content)
  (#any-of? @_key "rule" "\"rule\"" "messageExpression" "\"messageExpression\"")
  (#offset! @injection.content 0 1 0 -1)
  (#set! injection.language "cel"))
