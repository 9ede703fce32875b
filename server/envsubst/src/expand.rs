//! Substitutes variables by their values (`Execute` of `envsubst`, in its strict mode).

use crd_analyzer_budget as budget;

use crate::{
    functions::apply,
    parser::{Node, Template, Variable},
};

/// What is known about a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<'v> {
    /// The variable has this value.
    Known(&'v str),
    /// The variable may have any value.
    Unknown,
    /// The variable is not defined. Unless it has a default, Flux fails.
    Undefined,
}

impl Template {
    /// All variables, in the order in which Flux looks for their values: those in the arguments of a variable come before it.
    pub fn variables(&self) -> Vec<&Variable> {
        let mut found = Vec::new();
        self.nodes.iter().for_each(|it| add_variables(it, &mut found));
        found
    }
}

fn add_variables<'t>(node: &'t Node, found: &mut Vec<&'t Variable>) {
    if let Node::Variable(variable) = node {
        variable.arguments.iter().for_each(|it| add_variables(it, found));
        found.push(variable);
    }
}

impl Node {
    /// The text with the values of its variables. `None` if it is unknown, or if Flux fails because a variable is undefined.
    pub fn expand<'v>(&self, values: &dyn Fn(&str) -> Value<'v>) -> Option<String> {
        let variable = match self {
            Node::Text(text) => {
                budget::bytes(text.len() as u64).ok()?;
                return Some(text.clone());
            }
            Node::Variable(variable) => variable,
        };
        let arguments = variable.arguments.iter().map(|it| it.expand(values));
        let arguments: Vec<String> = arguments.collect::<Option<_>>()?;
        let value = match values(&variable.name) {
            Value::Known(value) => value,
            Value::Undefined if variable.has_default() => "",
            Value::Undefined | Value::Unknown => return None,
        };
        budget::bytes(value.len() as u64).ok()?;
        apply(&variable.operator, value, &arguments)
    }
}
