//! The meaning of a token of an expression.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crd_analyzer_cel::{
    Context,
    ast::{Ast, ExprKind, NodeId, operators},
    decls::{FunctionDecl, OverloadDecl},
    parser::{
        TokenClass,
        macros::{MACROS, Macro},
    },
    types::{DeclType, Type, is_reserved, unescape},
};
use crd_analyzer_schema::rules::SchemaStep;

use super::Expression;
use crate::schema::{self, Property};

/// The meaning of a token.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A variable of the context or of a comprehension.
    Variable {
        /// The name of the variable.
        name: Arc<str>,
        /// The type of the variable.
        ty: Type,
        /// The token at which a comprehension declares the variable; `None` for variables of the context.
        declared: Option<usize>,
        /// The node of the use, if the token uses the variable and does not declare it.
        node: Option<NodeId>,
    },
    /// The name of a type.
    Type {
        /// The type.
        ty: Type,
    },
    /// A field.
    Field {
        /// The name as written in the expression.
        name: Arc<str>,
        /// The steps from the rule's schema to the field's schema; `None` for entries of maps and for values without a schema.
        steps: Option<Vec<SchemaStep>>,
        /// The schema of the field as written; `None` if it is not in a file.
        property: Option<Property>,
        /// The type of the value.
        ty: Type,
        /// The node of the selection.
        node: NodeId,
    },
    /// A function, method or operator.
    Function {
        /// The name of the function in the syntax tree.
        name: Arc<str>,
        /// A description of the function.
        doc: &'static str,
        /// The overloads that fit the arguments. If none fits, all overloads.
        overloads: Vec<Arc<OverloadDecl>>,
        /// The type of the result.
        ty: Type,
        /// The node of the call.
        node: NodeId,
    },
    /// A macro.
    Macro {
        /// The macro.
        of: &'static Macro,
        /// The type of the result.
        ty: Type,
        /// The node of the macro's expansion.
        node: NodeId,
    },
    /// A constant.
    Literal {
        /// The type of the value.
        ty: Type,
        /// The node of the constant.
        node: NodeId,
    },
}

impl Meaning {
    /// The node of the expression that the token belongs to.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Self::Variable { node, .. } => *node,
            Self::Type { .. } => None,
            Self::Field { node, .. }
            | Self::Function { node, .. }
            | Self::Macro { node, .. }
            | Self::Literal { node, .. } => Some(*node),
        }
    }
}

/// The name of a type for users: object types are named by their path (`self.hosts[]`).
pub fn display_type(context: &Context, ty: &Type) -> String {
    let roots = context.types().roots().iter();
    let named = roots.fold(ty.to_string(), |text, root| text.replace(&*root.name, &root.shown));
    named.replace(".@idx", "[]").replace(".@elem", "[key]")
}

/// The shape of a type: all object types have the same shape, whatever their path.
pub fn type_shape(context: &Context, ty: &Type) -> String {
    let shape = |ty: &Type| type_shape(context, ty);
    match ty {
        Type::Struct(name) if context.types().root_of(name).is_some() => "object".to_owned(),
        Type::List(element) => format!("list({})", shape(element)),
        Type::Map(types) => format!("map({}, {})", shape(&types[0]), shape(&types[1])),
        _ => match ty.optional_of() {
            Some(inner) => format!("optional_type({})", shape(inner)),
            None => display_type(context, ty),
        },
    }
}

impl Expression<'_> {
    /// The fields of an object type with their types. Empty for other types.
    pub fn fields_of(&self, ty: &Type) -> Vec<(String, Type)> {
        let Type::Struct(path) = ty else {
            return Vec::new();
        };
        let found = self.context.types().find(path);
        let fields = found.map(DeclType::fields).unwrap_or_default();
        fields
            .iter()
            .map(|it| (it.name.to_string(), it.ty.cel_type(&format!("{path}.{}", it.name))))
            .collect()
    }

    /// The meaning of a token. `None` if it is unknown.
    pub fn meaning(&self, token: usize) -> Option<Meaning> {
        let it = *self.tokens.get(token)?;
        match it.class {
            TokenClass::Identifier | TokenClass::EscapedIdentifier | TokenClass::In => {
                if it.class == TokenClass::In {
                    return self.operator(it.start);
                }
                let before = token.checked_sub(1).map(|at| (at, self.tokens[at]));
                let is_field = before.is_some_and(|(_, it)| it.class == TokenClass::Dot || self.is_optional_dot(it));
                let after = self.tokens.get(token + 1);
                let is_call = after.is_some_and(|it| it.class == TokenClass::Open && it.text(self.text()) == "(");
                match (is_field, is_call) {
                    (_, true) => self.call(token, after?.start),
                    (true, false) => self.field(token),
                    (false, false) => self.name(token),
                }
            }
            TokenClass::Dot => self.meaning(token + 1).filter(|it| matches!(it, Meaning::Field { .. })),
            TokenClass::Operator => self.operator(it.start),
            TokenClass::Open => {
                // The meaning of an opening parenthesis or bracket is the meaning of the function's name or the operand before it.
                self.operator(it.start)
            }
            TokenClass::Constant | TokenClass::Number | TokenClass::String => {
                let checked = &self.outline.as_ref()?.checked;
                let node = self.node_at(it.start, |kind| matches!(kind, ExprKind::Literal(_)))?;
                Some(Meaning::Literal {
                    ty: checked.type_of(node).clone(),
                    node,
                })
            }
            _ => None,
        }
    }

    /// Whether the token is the question mark of `.?`.
    fn is_optional_dot(&self, token: crd_analyzer_cel::parser::WrittenToken) -> bool {
        token.text(self.text()) == "?" && self.text()[..token.start as usize].trim_end().ends_with('.')
    }

    fn ast(&self) -> Option<&Ast> {
        Some(&self.outline.as_ref()?.checked.ast)
    }

    /// The node of the wanted kind that begins at a byte.
    fn node_at(&self, byte: u32, is_kind: impl Fn(&ExprKind) -> bool) -> Option<NodeId> {
        let ast = self.ast()?;
        let begins = |id: i64| ast.source_info.span(id).is_some_and(|it| it.bytes.0 == byte);
        let found = ast.nodes().filter(|(_, it)| is_kind(&it.kind) && begins(it.id));
        // Type-checked nodes take precedence over the nodes of the macro call as written.
        let checked = &self.outline.as_ref()?.checked;
        found
            .map(|(node, _)| node)
            .max_by_key(|node| (!checked.type_of(*node).is_dyn_or_error(), *node))
    }

    fn operator(&self, byte: u32) -> Option<Meaning> {
        let is_operator = |name: &str| operators::display_name(name).is_some();
        let node = self.node_at(
            byte,
            |kind| matches!(kind, ExprKind::Call { function, .. } if is_operator(function)),
        )?;
        self.function(node)
    }

    fn call(&self, token: usize, paren: u32) -> Option<Meaning> {
        let text = self.tokens[token].text(self.text());
        let checked = &self.outline.as_ref()?.checked;
        let ast = &checked.ast;
        let at_paren = |id: i64| ast.source_info.span(id).is_some_and(|it| it.bytes.0 == paren);
        if let Some((id, call)) = ast.macro_calls().iter().find(|(id, _)| at_paren(*id))
            && let ExprKind::Call { function, target, args } = &ast[*call].kind
            && **function == *text
        {
            let known = |it: &&Macro| {
                it.name == text && it.is_method() == target.is_some() && it.parameters.len() == args.len()
            };
            let of = MACROS.iter().find(known)?;
            let node = expansion(ast, *id, *call)?;
            return Some(Meaning::Macro {
                of,
                ty: checked.type_of(node).clone(),
                node,
            });
        }
        let node = self.node_at(paren, |kind| matches!(kind, ExprKind::Call { .. }))?;
        self.function(node)
    }

    fn function(&self, node: NodeId) -> Option<Meaning> {
        let checked = &self.outline.as_ref()?.checked;
        let ExprKind::Call { function, .. } = &checked.ast[node].kind else {
            return None;
        };
        let declared = self.declared(function);
        let fitting = checked.overloads(node);
        Some(Meaning::Function {
            name: function.clone(),
            doc: declared.map_or("", |it| it.doc),
            overloads: if fitting.is_empty() {
                declared?.overloads.clone()
            } else {
                fitting.to_vec()
            },
            ty: checked.type_of(node).clone(),
            node,
        })
    }

    /// The declaration of a function that the expression may call.
    pub fn declared(&self, function: &str) -> Option<&FunctionDecl> {
        self.context.environment().function(function)
    }

    fn field(&self, token: usize) -> Option<Meaning> {
        let name: Arc<str> = self.tokens[token].text(self.text()).trim_matches('`').into();
        let mut dot = token.checked_sub(1)?;
        let is_optional = self.tokens[dot].class != TokenClass::Dot;
        if is_optional {
            dot = dot.checked_sub(1)?;
        }
        let checked = &self.outline.as_ref()?.checked;
        let byte = self.tokens[dot].start;
        let is_selection = |kind: &ExprKind| match kind {
            ExprKind::Select { .. } => !is_optional,
            ExprKind::Call { function, .. } => is_optional && **function == *operators::OPT_SELECT,
            // The checker resolves a dotted name to a type.
            ExprKind::Ident(_) => true,
            _ => false,
        };
        let node = self.node_at(byte, is_selection)?;
        let operand = match &checked.ast[node].kind {
            ExprKind::Select { operand, .. } => *operand,
            ExprKind::Call { args, .. } => *args.first()?,
            _ => {
                return Some(Meaning::Type {
                    ty: checked.type_of(node).clone(),
                });
            }
        };
        let mut of = checked.type_of(operand);
        if let Some(inner) = of.optional_of() {
            of = inner;
        }
        let (steps, ty) = match of {
            Type::Struct(path) => {
                let (steps, ty) = self.field_of(path, &name)?;
                (Some(steps), ty)
            }
            Type::Map(types) => (None, types[1].clone()),
            _ => (None, checked.type_of(node).clone()),
        };
        let property = steps
            .as_deref()
            .and_then(|it| schema::follow(self.tree, self.place.rule?.schema, it));
        Some(Meaning::Field {
            name,
            steps,
            property,
            ty,
            node,
        })
    }

    /// The steps to a field of an object type, and the type of the field.
    fn field_of(&self, path: &str, field: &str) -> Option<(Vec<SchemaStep>, Type)> {
        let types = self.context.types();
        let object = types.find(path)?;
        let written = declared_name(object, field)?;
        let found = object.field(&written)?;
        let (_, below) = types.root_of(path)?;
        let mut steps = steps_of(below)?;
        steps.push(SchemaStep::Property(unescape(&written)?.into_owned()));
        Some((steps, found.ty.cel_type(&format!("{path}.{written}"))))
    }

    fn name(&self, token: usize) -> Option<Meaning> {
        let it = self.tokens[token];
        let name: Arc<str> = it.text(self.text()).into();
        let checked = &self.outline.as_ref()?.checked;
        if let Some(ty) = self.declares(it.start) {
            return Some(Meaning::Variable {
                name,
                ty,
                declared: Some(token),
                node: None,
            });
        }
        let node = self.node_at(it.start, |kind| matches!(kind, ExprKind::Ident(_)))?;
        let ty = checked.type_of(node).clone();
        if let Some(declared) = self.declaration(node, &name) {
            return Some(Meaning::Variable {
                name,
                ty,
                declared: Some(declared),
                node: Some(node),
            });
        }
        if self.context.variable(&name).is_some() {
            return Some(Meaning::Variable {
                name,
                ty,
                declared: None,
                node: Some(node),
            });
        }
        match ty {
            Type::Error => None,
            ty => Some(Meaning::Type { ty }),
        }
    }

    /// The type of the comprehension variable that is declared at a byte; `None` if none is.
    fn declares(&self, byte: u32) -> Option<Type> {
        let checked = &self.outline.as_ref()?.checked;
        let ast = &checked.ast;
        ast.macro_calls().iter().find_map(|(id, call)| {
            let ExprKind::Call { args, target, .. } = &ast[*call].kind else {
                return None;
            };
            let at = args.iter().position(|arg| {
                matches!(ast[*arg].kind, ExprKind::Ident(_))
                    && ast.source_info.span(ast[*arg].id).is_some_and(|it| it.bytes.0 == byte)
            })?;
            let node = expansion(ast, *id, *call)?;
            let ExprKind::Comprehension(fold) = &ast[node].kind else {
                // In `optMap` and similar macros, the variable is the value of the optional.
                let of = checked.type_of((*target)?);
                return (at == 0).then(|| of.optional_of().cloned().unwrap_or(Type::Dyn));
            };
            let range = checked.type_of(fold.iter_range);
            let with_two = fold.iter_var2.is_some();
            let ty = match (range, at) {
                (Type::List(_), 0) if with_two => Type::Int,
                (Type::List(element), 0 | 1) if at == usize::from(with_two) => (**element).clone(),
                (Type::Map(types), 0) => types[0].clone(),
                (Type::Map(types), 1) if with_two => types[1].clone(),
                (_, 0) => Type::Dyn,
                (_, 1) if with_two => Type::Dyn,
                _ => return None,
            };
            Some(ty)
        })
    }

    /// The token at which a comprehension around a node declares the variable that the node names.
    fn declaration(&self, node: NodeId, name: &str) -> Option<usize> {
        let ast = self.ast()?;
        let use_at = ast.source_info.span(ast[node].id)?.bytes.0;
        let named = ast.macro_calls().iter().flat_map(|(id, call)| {
            let args = match &ast[*call].kind {
                ExprKind::Call { args, .. } => args.as_slice(),
                _ => &[],
            };
            args.iter().take(2).filter_map(move |arg| match &ast[*arg].kind {
                ExprKind::Ident(it) if **it == *name => Some((ast.source_info.span(ast[*arg].id)?.bytes.0, *id, *call)),
                _ => None,
            })
        });
        let mut named: Vec<_> = named.filter(|it| it.0 < use_at).collect();
        // If there are several, take the last declaration before the use.
        named.sort_unstable_by_key(|it| std::cmp::Reverse(it.0));
        let around = ancestors(ast, node);
        named.into_iter().find_map(|(start, id, call)| {
            let is_around = around.iter().any(|it| is_expansion(ast, *it, id, call));
            let token = self.tokens.binary_search_by_key(&start, |it| it.start).ok()?;
            (is_around && self.declares(start).is_some()).then_some(token)
        })
    }
}

/// The node that a macro call expands to. A macro that is nested in another call also has an empty node in that call, which is not its expansion.
fn expansion(ast: &Ast, id: i64, call: NodeId) -> Option<NodeId> {
    let (node, _) = ast.nodes().rfind(|(node, _)| is_expansion(ast, *node, id, call))?;
    Some(node)
}

/// Whether a node is the expansion of a macro call.
fn is_expansion(ast: &Ast, node: NodeId, id: i64, call: NodeId) -> bool {
    let it = &ast[node];
    it.id == id && node != call && it.kind != ExprKind::Unspecified
}

/// A node and its ancestors.
fn ancestors(ast: &Ast, node: NodeId) -> Vec<NodeId> {
    let mut parents: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for (parent, _) in ast.nodes() {
        for child in ast.children(parent) {
            parents.entry(child).or_default().push(parent);
        }
    }
    let (mut found, mut seen) = (vec![node], HashSet::from([node]));
    let mut at = 0;
    while let Some(node) = found.get(at) {
        let above = parents.get(node).into_iter().flatten();
        let new: Vec<NodeId> = above.copied().filter(|it| seen.insert(*it)).collect();
        found.extend(new);
        at += 1;
    }
    found
}

/// The name by which an object declares a field. A reserved word may also be written without escaping.
fn declared_name(object: &DeclType, field: &str) -> Option<String> {
    if object.field(field).is_some() {
        return Some(field.to_owned());
    }
    let escaped = format!("__{field}__");
    (is_reserved(field) && object.field(&escaped).is_some()).then_some(escaped)
}

/// The schema steps for a path below the root of the types.
fn steps_of(path: &str) -> Option<Vec<SchemaStep>> {
    let steps = path.split('.').skip(1).map(|step| {
        Some(match step {
            "@idx" => SchemaStep::Items,
            "@elem" => SchemaStep::Values,
            field => SchemaStep::Property(unescape(field)?.into_owned()),
        })
    });
    steps.collect()
}
