//! Creates nodes with ids and positions in the same order as `cel-go` (`parser/helper.go`).

use super::ParseOptions;
use crate::KubernetesVersion;
use crate::ast::{Ast, ExprKind, Location, MapEntry, NodeId, Source, Span, StructField};

/// The maximum number of nodes after macro expansion. `cel-go` has no such limit: `a.optMap(x, x)` chained n times creates 2^n nodes.
const MAX_NODES: usize = 1_000_000;

/// The expression under construction.
pub(super) struct Builder<'a> {
    pub(super) source: &'a Source,
    pub(super) ast: Ast,
    next_id: i64,
}

impl<'a> Builder<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            ast: Ast::new(),
            next_id: 1,
        }
    }

    /// Creates an id with this position.
    pub(super) fn id(&mut self, span: Span) -> i64 {
        let id = self.next_id;
        self.ast.source_info.set_span(id, span);
        self.next_id += 1;
        id
    }

    /// Creates an id at a location. [`Location::NONE`] gives the offset -1.
    pub(super) fn id_at(&mut self, location: Location) -> i64 {
        let offset = if location == Location::NONE {
            -1
        } else {
            self.source.location_offset(location).unwrap_or(-1)
        };
        let byte = self.source.byte(offset.max(0) as usize) as u32;
        self.id(Span {
            offset,
            bytes: (byte, byte),
        })
    }

    /// Releases an id that no expression uses.
    pub(super) fn delete_id(&mut self, id: i64) {
        self.ast.source_info.clear(id);
        if id == self.next_id - 1 {
            self.next_id -= 1;
        }
    }

    /// The location of the expression `id`.
    pub(super) fn location(&self, id: i64) -> Location {
        self.ast.source_info.location(self.source, id)
    }

    /// The location that an error reports for the expression `id`.
    pub(super) fn location_told(&self, id: i64, options: &ParseOptions) -> Location {
        if options.lines_begin_late {
            let version = KubernetesVersion::minor(31);
            self.ast.source_info.location_told(self.source, id, version)
        } else {
            self.location(id)
        }
    }

    pub(super) fn push(&mut self, id: i64, kind: ExprKind) -> NodeId {
        self.ast.push(id, kind)
    }

    /// Whether macro expansions created too many nodes.
    pub(super) fn is_full(&self) -> bool {
        self.ast.len() > MAX_NODES
    }

    /// A copy with new ids. Entries of maps and messages get the position `macro_call`.
    pub(super) fn copy(&mut self, node: NodeId, macro_call: Location) -> NodeId {
        let expr = self.ast[node].clone();
        let span = self.ast.source_info.span(expr.id).unwrap_or(Span {
            offset: 0,
            bytes: (0, 0),
        });
        let id = self.id(span);
        if self.is_full() {
            return self.push(id, ExprKind::Unspecified);
        }
        let kind = match expr.kind {
            kind @ (ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_)) => kind,
            ExprKind::Select {
                operand,
                field,
                test_only,
            } => ExprKind::Select {
                operand: self.copy(operand, macro_call),
                field,
                test_only,
            },
            ExprKind::Call { function, target, args } => {
                let args = args.into_iter().map(|a| self.copy(a, macro_call)).collect();
                ExprKind::Call {
                    function,
                    target: target.map(|t| self.copy(t, macro_call)),
                    args,
                }
            }
            ExprKind::List {
                elements,
                optional_indices,
            } => {
                let elements = elements.into_iter().map(|e| self.copy(e, macro_call)).collect();
                ExprKind::List {
                    elements,
                    optional_indices,
                }
            }
            ExprKind::Map { entries } => {
                let entries = entries.into_iter().map(|e| {
                    let id = self.id_at(macro_call);
                    let key = self.copy(e.key, macro_call);
                    MapEntry {
                        id,
                        key,
                        value: self.copy(e.value, macro_call),
                        optional: e.optional,
                    }
                });
                ExprKind::Map {
                    entries: entries.collect(),
                }
            }
            ExprKind::Struct { type_name, fields } => {
                let fields = fields.into_iter().map(|f| {
                    let id = self.id_at(macro_call);
                    StructField {
                        id,
                        name: f.name,
                        value: self.copy(f.value, macro_call),
                        optional: f.optional,
                    }
                });
                ExprKind::Struct {
                    type_name,
                    fields: fields.collect(),
                }
            }
            ExprKind::Comprehension(mut comprehension) => {
                comprehension.iter_range = self.copy(comprehension.iter_range, macro_call);
                comprehension.accu_init = self.copy(comprehension.accu_init, macro_call);
                comprehension.loop_condition = self.copy(comprehension.loop_condition, macro_call);
                comprehension.loop_step = self.copy(comprehension.loop_step, macro_call);
                comprehension.result = self.copy(comprehension.result, macro_call);
                ExprKind::Comprehension(comprehension)
            }
        };
        self.push(id, kind)
    }

    /// Records the call that the expression `id` replaced. Nested macro calls are replaced by placeholders with their ids.
    pub(super) fn add_macro_call(&mut self, id: i64, function: &str, target: Option<NodeId>, args: &[NodeId]) {
        let args = args.iter().map(|a| self.macro_call_argument(*a)).collect();
        let target = target.map(|t| self.macro_call_argument(t));
        let call = self.push(
            0,
            ExprKind::Call {
                function: function.into(),
                target,
                args,
            },
        );
        self.ast.set_macro_call(id, call);
    }

    fn macro_call_argument(&mut self, node: NodeId) -> NodeId {
        let id = self.ast[node].id;
        if self.ast.macro_call(id).is_some() {
            return self.push(id, ExprKind::Unspecified);
        }
        match self.ast[node].kind.clone() {
            ExprKind::Call { function, target, args } => {
                let copies: Vec<_> = args.iter().map(|a| self.macro_call_argument(*a)).collect();
                let new_target = target.map(|t| self.macro_call_argument(t));
                if copies == args && new_target == target {
                    node
                } else {
                    self.push(
                        id,
                        ExprKind::Call {
                            function,
                            target: new_target,
                            args: copies,
                        },
                    )
                }
            }
            ExprKind::List {
                elements,
                optional_indices,
            } => {
                let copies: Vec<_> = elements.iter().map(|e| self.macro_call_argument(*e)).collect();
                if copies == elements {
                    node
                } else {
                    self.push(
                        id,
                        ExprKind::List {
                            elements: copies,
                            optional_indices,
                        },
                    )
                }
            }
            _ => node,
        }
    }
}
