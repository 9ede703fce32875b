//! Text output: the steps, with commands to copy.

use std::io::{self, Write};

use crd_analyzer_io::print::Terminal;
use crd_analyzer_workspace::{
    comparison::stored_versions::{MigrationStep, State},
    resource::effective::yaml,
};
use serde_json::Value;

use super::{Format, Planned};
use crate::output::render::Renderer;

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "For people",
    print,
};

fn print(out: &mut dyn Write, columns: usize, planned: &[Planned]) -> io::Result<()> {
    let mut text = Text {
        out: &mut Terminal::new(out, false),
        renderer: Renderer::new(columns),
    };
    for (n, it) in planned.iter().enumerate() {
        if n > 0 {
            text.out.blank()?;
        }
        text.planned(it)?;
    }
    Ok(())
}

struct Text<'t, 'w> {
    out: &'t mut Terminal<'w>,
    renderer: Renderer,
}

impl Text<'_, '_> {
    fn line(&mut self, indent: &str, text: &str) -> io::Result<()> {
        self.renderer.indented(self.out, indent, &format!("{indent}    "), text)
    }

    fn planned(&mut self, planned: &Planned) -> io::Result<()> {
        let Planned { name, plan } = planned;
        let quoted = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
            names.join(", ")
        };
        self.line(
            "",
            &format!(
                "{name}: the API server writes objects as `{}`, and may have stored objects as {}",
                plan.storage,
                quoted(&plan.stored)
            ),
        )?;
        for why in &plan.refusals {
            self.line(
                "  ",
                &format!("error: the API server rejects this CRD as an update: {why}"),
            )?;
        }
        if !plan.removable.is_empty() {
            let names = quoted(&plan.removable);
            self.line(
                "  ",
                &format!("no object is stored as {names}: you can remove this version when no client uses it"),
            )?;
        }
        if plan.steps.is_empty() {
            return self.line("  ", "nothing to migrate");
        }
        if plan.loses_fields {
            self.line(
                "  ",
                "warning: the schemas differ, and the conversion strategy in this file is `None`, which drops fields: `crd-analyzer convert --round-trips 100 --crd FILE` shows what is lost. If a kustomization adds a webhook, pass the CRD that it builds",
            )?;
        }
        for (n, step) in plan.steps.iter().enumerate() {
            self.step(n + 1, step)?;
        }
        Ok(())
    }

    fn step(&mut self, number: usize, step: &MigrationStep) -> io::Result<()> {
        let mark = match step.state {
            State::Done => "[x]",
            State::Due => "[ ]",
            State::Later => "[later]",
            State::Unknown => "[?]",
        };
        self.line("  ", &format!("{number}. {mark} {}", step.text))?;
        // Commands and YAML are not wrapped, so that people can copy them.
        if let Some(command) = &step.command {
            for line in command.lines() {
                self.out.line(format_args!("       {line}"))?;
            }
        }
        if let Some(Value::Object(object)) = &step.object {
            for line in yaml(object) {
                self.out.line(format_args!("       {line}"))?;
            }
        }
        Ok(())
    }
}
