//! Completion in `.crd-analyzer.yaml`: settings, diagnostic codes and values.

use crd_analyzer_syntax::paths::Step;
use crd_analyzer_workspace::{
    codes,
    config::settings::{self, LEVELS, SETTINGS, Values},
};

use super::{Context, Item, ItemKind, insert::Shape};
use crate::cursor_context::Slot;

pub(super) fn complete(context: &Context<'_, '_>) -> Vec<Item> {
    let place = context.place;
    let names: Vec<_> = place
        .path
        .iter()
        .map_while(|it| match it {
            Step::Key(key) => Some(key.as_ref()),
            Step::Index(_) => None,
        })
        .collect();
    let setting = names.first().and_then(|it| settings::find(it)).map(|it| it.values);
    match (place.slot, names.as_slice(), setting) {
        (Slot::Key { .. } | Slot::Value { on_own_line: true, .. }, [], _) => keys(context),
        (Slot::Key { .. } | Slot::Value { on_own_line: true, .. }, [_], Some(Values::Levels)) => all_codes(context),
        (Slot::Value { .. }, [_, _], Some(Values::Levels)) => {
            let levels = LEVELS.iter().map(|it| (it.0.to_owned(), Some(it.1)));
            values(context, levels)
        }
        (Slot::Value { .. }, [_], Some(Values::Boolean)) => {
            values(context, ["true", "false"].map(|it| (it.to_owned(), None)))
        }
        (Slot::Value { .. }, [_], Some(Values::KubernetesVersions)) => values(
            context,
            settings::kubernetes_versions().into_iter().map(|it| (it, None)),
        ),
        _ => Vec::new(),
    }
}

fn keys(context: &Context<'_, '_>) -> Vec<Item> {
    let present = context.place.siblings();
    let missing = SETTINGS.iter().filter(|it| !present.iter().any(|name| name == it.name));
    let convert = |setting: &settings::Setting| {
        let mut item = Item::new(setting.name, ItemKind::Key);
        item.documentation = Some(setting.doc.into());
        let shape = match setting.values {
            Values::KubernetesVersions | Values::Boolean => Shape::Scalar,
            Values::Globs | Values::Paths | Values::Markers => Shape::List,
            Values::Levels => Shape::Mapping,
        };
        context.writer.key(&mut item, setting.name, shape);
        item.asks_again &= !matches!(shape, Shape::List);
        item
    };
    missing.map(convert).collect()
}

fn all_codes(context: &Context<'_, '_>) -> Vec<Item> {
    let present = context.place.siblings();
    let all = codes::all().into_iter();
    let missing = all.filter(|it| !present.iter().any(|name| name == it.name));
    let convert = |code: codes::Code| {
        let mut item = Item::new(code.name, ItemKind::Key);
        item.documentation = Some(code.summary.into());
        context.writer.key(&mut item, code.name, Shape::Scalar);
        item
    };
    missing.map(convert).collect()
}

fn values(context: &Context<'_, '_>, texts: impl IntoIterator<Item = (String, Option<&'static str>)>) -> Vec<Item> {
    let convert = |(text, doc): (String, Option<&'static str>)| {
        let mut item = Item::new(text.as_str(), ItemKind::EnumMember);
        item.documentation = doc.map(Into::into);
        context.writer.value(&mut item, &text, false);
        item
    };
    texts.into_iter().map(convert).collect()
}
