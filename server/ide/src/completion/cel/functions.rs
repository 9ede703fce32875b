//! Completion of functions and macros in expressions.

use std::fmt::Write as _;

use crd_analyzer_cel::{
    Context, KubernetesVersion,
    decls::{Environment, ExpressionSet, FunctionDecl, OverloadDecl, Role},
    library::{Estimate, MOST_USED, declarations},
    parser::macros::{Macro, Target},
    types::Type,
};

use super::super::{Item, ItemKind};
use crate::markdown::Documentation;

/// The methods and macros that can be called on a value of a type.
pub(super) fn of_type(context: &Context, ty: &Type) -> Vec<Item> {
    let mut ranked = Vec::new();
    for (order, it) in macros(context).iter().enumerate() {
        if fits_macro(it, ty) {
            // Macros with two variables are rare, so they come last.
            let rank = if it.has_two_variables() { 2_000 } else { 0 };
            ranked.push((rank + order, macro_item(it, ty, context)));
        }
    }
    let environment = context.environment();
    let mut functions: Vec<_> = environment.functions().filter(|it| is_name(&it.name)).collect();
    functions.sort_by(|one, other| one.name.cmp(&other.name));
    for (order, function) in functions.into_iter().enumerate() {
        let fitting: Vec<_> = function
            .overloads
            .iter()
            .filter(|it| it.member && it.params.first().is_some_and(|of| takes(of, ty)))
            .collect();
        if let Some(first) = fitting.first() {
            let rank = rank(&function.name, ty, order);
            ranked.push((rank, function_item(function, first, &fitting, true, &function.name)));
        }
    }
    ranked.sort_by_key(|it| it.0);
    ranked.into_iter().map(|it| it.1).collect()
}

/// The rank of a method among the methods of its type. For a list, `size` comes before the comprehensions.
fn rank(name: &str, ty: &Type, order: usize) -> usize {
    let used = declarations(name).iter().map(|it| it.traits.method_rank).max();
    match used.unwrap_or_default() {
        _ if ty.is_dyn() => 3_000 + order,
        MOST_USED if matches!(ty, Type::List(_) | Type::Map(_)) => 3,
        0 => 1_000 + order,
        used => 900 + usize::from(MOST_USED - used),
    }
}

/// The functions that are not called on a value.
pub(super) fn global(context: &Context) -> Vec<Item> {
    let mut ranked = Vec::new();
    for it in macros(context).iter().filter(|it| !it.is_method()) {
        ranked.push((0, macro_item(it, &Type::Dyn, context)));
    }
    let environment = context.environment();
    let mut functions: Vec<_> = environment.functions().filter(|it| is_name(&it.name)).collect();
    functions.sort_by(|one, other| one.name.cmp(&other.name));
    for (order, function) in functions.into_iter().enumerate() {
        let fitting: Vec<_> = function.overloads.iter().filter(|it| !it.member).collect();
        // A conversion has one overload for each type. Prefer the one for strings, and never offer the one that converts a type to itself.
        let of_text = fitting.iter().find(|it| it.params.first() == Some(&Type::String));
        let Some(first) = of_text.or(fitting.first()) else {
            continue;
        };
        let name = &*function.name;
        let used = declarations(name).iter().map(|it| it.traits.function_rank).max();
        let rank = match used.unwrap_or_default() {
            0 => 1_000 + order,
            MOST_USED => 1,
            _ => 100 + order,
        };
        ranked.push((rank, function_item(function, first, &fitting, false, name)));
    }
    ranked.sort_by_key(|it| it.0);
    ranked.into_iter().map(|it| it.1).collect()
}

/// The functions in a namespace, whose names start with `namespace` and a dot.
pub(super) fn of_namespace(context: &Context, namespace: &str) -> Vec<Item> {
    let environment = context.environment();
    let prefix = format!("{namespace}.");
    let mut found: Vec<_> = environment
        .functions()
        .filter_map(|it| Some((it.name.strip_prefix(&prefix)?.to_owned(), it)))
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
        .into_iter()
        .filter_map(|(name, function)| {
            let fitting: Vec<_> = function.overloads.iter().filter(|it| !it.member).collect();
            Some(function_item(function, fitting.first()?, &fitting, false, &name))
        })
        .collect()
}

fn macros(context: &Context) -> &[&'static Macro] {
    context.environment().parsing().macros()
}

/// Whether users can write the name of a function. Operators and expanded macros have internal names.
fn is_name(name: &str) -> bool {
    name.starts_with(|it: char| it.is_ascii_alphabetic()) && !name.contains('@')
}

fn fits_macro(it: &Macro, ty: &Type) -> bool {
    match it.target {
        Target::Nothing => false,
        Target::Optional => ty.optional_of().is_some(),
        Target::List => matches!(ty, Type::List(_)) || ty.is_dyn(),
        Target::Collection => matches!(ty, Type::List(_) | Type::Map(_)) || ty.is_dyn(),
    }
}

fn takes(parameter: &Type, ty: &Type) -> bool {
    if ty.is_dyn() {
        return true;
    }
    // A type parameter accepts any type, but a method for any type is not specific to this type.
    parameter.is_assignable_from(ty) || matches!((parameter, ty), (Type::List(_), Type::List(of)) if of.is_dyn())
}

fn macro_item(it: &'static Macro, ty: &Type, context: &Context) -> Item {
    let kind = ItemKind::Macro;
    let mut item = Item::new(it.name, kind);
    let names = names(it, ty, context);
    item.suffix = Some(format!("({})", names.join(", ")));
    item.detail = Some("macro".to_owned());
    let places: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(n, name)| format!("${{{}:{name}}}", n + 1))
        .collect();
    item.snippet = Some(format!("{}({})$0", it.name, places.join(", ")));
    let mut doc = it.documentation.to_owned();
    for (expression, value) in it.examples {
        let _ = write!(doc, "\n```cel\n{expression} // {value}\n```");
    }
    if matches!(it.target, Target::Collection | Target::List) {
        doc.push_str("\n\nCost: the cost of the arguments, for each element.");
    }
    item.documentation = Some(Documentation::Ours(doc.into()));
    item.note = since_macro(it);
    item
}

fn names(it: &Macro, ty: &Type, context: &Context) -> Vec<String> {
    let value = context.variable_of(Role::Value).map_or("operand", |it| &*it.name);
    let is_map = matches!(ty, Type::Map(_));
    let name = |parameter: &&str| {
        let name = match *parameter {
            "element" if is_map => "k",
            "element" | "value" if it.parameters.len() == 2 => "x",
            "element" => "x",
            "key" if is_map => "k",
            "key" => "i",
            "value" => "v",
            "operand.field" => return format!("{value}.field"),
            other => other,
        };
        name.to_owned()
    };
    it.parameters.iter().map(name).collect()
}

fn since_macro(it: &Macro) -> Option<String> {
    // New expressions may use a function only if the previous Kubernetes version has it, too.
    let since = it.server.number().max(it.environment.number().saturating_add(1));
    (since > KubernetesVersion::OLDEST.number()).then(|| format!("since 1.{since}"))
}

fn function_item(
    function: &FunctionDecl,
    first: &OverloadDecl,
    fitting: &[&std::sync::Arc<OverloadDecl>],
    is_method: bool,
    name: &str,
) -> Item {
    let kind = if is_method {
        ItemKind::Method
    } else {
        ItemKind::Function
    };
    let mut item = Item::new(name, kind);
    let parameters = |it: &OverloadDecl| it.params[usize::from(is_method)..].to_vec();
    let shown = |it: &OverloadDecl| {
        let types: Vec<_> = parameters(it).iter().map(ToString::to_string).collect();
        format!("({})", types.join(", "))
    };
    let more = if fitting.len() > 1 { " …" } else { "" };
    item.suffix = Some(format!("{}{more}", shown(first)));
    item.detail = Some(first.result.to_string());
    let needs_none = fitting.iter().any(|it| parameters(it).is_empty());
    item.snippet = Some(if needs_none && fitting.len() == 1 {
        format!("{name}()$0")
    } else if needs_none {
        format!("{name}($1)$0")
    } else {
        let places: Vec<_> = parameters(first)
            .iter()
            .enumerate()
            .map(|(n, ty)| format!("${{{}:{}}}", n + 1, super::super::escape_snippet(&ty.to_string())))
            .collect();
        format!("{name}({})$0", places.join(", "))
    });
    item.documentation = Some(Documentation::Ours(documentation(function, fitting).into()));
    item.note = since(&function.name, first);
    item
}

fn documentation(function: &FunctionDecl, fitting: &[&std::sync::Arc<OverloadDecl>]) -> String {
    let mut doc = String::from("```cel\n");
    for overload in fitting {
        let mut params = overload.params.iter().map(ToString::to_string);
        let target = if overload.member {
            params.next().map(|it| format!("{it}."))
        } else {
            None
        };
        let params: Vec<_> = params.collect();
        let _ = writeln!(
            doc,
            "{}{}({}) -> {}",
            target.unwrap_or_default(),
            function.name,
            params.join(", "),
            overload.result
        );
    }
    doc.push_str("```\n");
    doc.push_str(function.doc);
    let examples = declarations(&function.name).iter().flat_map(|it| it.examples);
    for (expression, gives) in examples.take(4) {
        let _ = write!(doc, "\n```cel\n{expression} // {gives}\n```");
    }
    let fixed = fitting.iter().map(|it| match it.cost.estimate {
        Estimate::Fixed(cost) => Some(cost),
        Estimate::Sized(_) => None,
    });
    match fixed.collect::<Option<Vec<_>>>() {
        Some(costs) => {
            let _ = write!(doc, "\n\nCost: {}.", costs.iter().max().unwrap_or(&1));
        }
        None => doc.push_str("\n\nCost: grows with the size of the arguments."),
    }
    doc
}

/// The first Kubernetes version whose new expressions may use an overload. `None` if all supported versions allow it.
fn since(name: &str, overload: &OverloadDecl) -> Option<String> {
    let has = |version: KubernetesVersion| {
        Environment::of(version, ExpressionSet::New)
            .function(name)
            .is_some_and(|it| it.overloads.iter().any(|it| it.id == overload.id))
    };
    let first = KubernetesVersion::all().find(|it| has(*it))?;
    (first > KubernetesVersion::OLDEST).then(|| format!("since {first}"))
}
