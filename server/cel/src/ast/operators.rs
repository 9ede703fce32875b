//! The function names of operators (`cel-go` `common/operators`).

/// `c ? a : b`
pub const CONDITIONAL: &str = "_?_:_";
/// `a && b`
pub const LOGICAL_AND: &str = "_&&_";
/// `a || b`
pub const LOGICAL_OR: &str = "_||_";
/// `!a`
pub const LOGICAL_NOT: &str = "!_";
/// `a == b`
pub const EQUALS: &str = "_==_";
/// `a != b`
pub const NOT_EQUALS: &str = "_!=_";
/// `a < b`
pub const LESS: &str = "_<_";
/// `a <= b`
pub const LESS_EQUALS: &str = "_<=_";
/// `a > b`
pub const GREATER: &str = "_>_";
/// `a >= b`
pub const GREATER_EQUALS: &str = "_>=_";
/// `a + b`
pub const ADD: &str = "_+_";
/// `a - b`
pub const SUBTRACT: &str = "_-_";
/// `a * b`
pub const MULTIPLY: &str = "_*_";
/// `a / b`
pub const DIVIDE: &str = "_/_";
/// `a % b`
pub const MODULO: &str = "_%_";
/// `-a`
pub const NEGATE: &str = "-_";
/// `a[b]`
pub const INDEX: &str = "_[_]";
/// `a[?b]`
pub const OPT_INDEX: &str = "_[?_]";
/// `a.?b`
pub const OPT_SELECT: &str = "_?._";
/// `a in b`
pub const IN: &str = "@in";
/// Wraps the condition of `all` and `exists`.
pub const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
/// The former name of `@not_strictly_false`.
pub const OLD_NOT_STRICTLY_FALSE: &str = "__not_strictly_false__";
/// The former name of `@in`.
pub const OLD_IN: &str = "_in_";

/// The function of an infix comparison or arithmetic operator, by its symbol.
pub fn find(text: &str) -> Option<&'static str> {
    Some(match text {
        "+" => ADD,
        "/" => DIVIDE,
        "==" => EQUALS,
        ">" => GREATER,
        ">=" => GREATER_EQUALS,
        "in" => IN,
        "<" => LESS,
        "<=" => LESS_EQUALS,
        "%" => MODULO,
        "*" => MULTIPLY,
        "!=" => NOT_EQUALS,
        "-" => SUBTRACT,
        _ => return None,
    })
}

/// The symbol of an operator, by its function: `None` if the function is not an operator, empty if it has no single symbol (`?:`, `[]`).
pub fn display_name(function: &str) -> Option<&'static str> {
    Some(match function {
        CONDITIONAL | INDEX | OPT_INDEX | OPT_SELECT => "",
        LOGICAL_OR => "||",
        LOGICAL_AND => "&&",
        EQUALS => "==",
        GREATER => ">",
        GREATER_EQUALS => ">=",
        IN | OLD_IN => "in",
        LESS => "<",
        LESS_EQUALS => "<=",
        NOT_EQUALS => "!=",
        ADD => "+",
        SUBTRACT | NEGATE => "-",
        DIVIDE => "/",
        MODULO => "%",
        MULTIPLY => "*",
        LOGICAL_NOT => "!",
        _ => return None,
    })
}
