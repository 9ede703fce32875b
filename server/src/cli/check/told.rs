//! Reports the diagnostics of each file in a run of `check`, and counts them.

use crd_analyzer_ide::fixes::Fix;
use crd_analyzer_io::print::tell;
use crd_analyzer_schema::codes;
use crd_analyzer_workspace::{config::Config, findings::report::FileReport, roles::Judgement};

use super::{Args, left_out};
use crate::{
    cli::{Status, UsageError, baseline::Baseline, fix::Repaired},
    input::{Input, Source, Unreadable},
    output::{File, Outputs, Repeated, Summary, kept_patches, unwritten},
};

/// The state of one run: its outputs, and the results so far.
pub(super) struct CheckRun<'a> {
    pub(super) args: &'a Args,
    pub(super) outputs: Outputs,
    pub(super) summary: Summary,
    pub(super) status: Status,
    /// The files that could not be fixed or written, each with the reason.
    pub(super) unwritten: Vec<String>,
    /// The number of files that were checked or could not be read.
    pub(super) seen: usize,
    /// A description of standard input for an error message, if it contains no objects.
    pub(super) stdin_without_objects: Option<String>,
    /// The diagnostics that were already reported for the same kind.
    pub(super) repeated: Repeated,
    /// The baseline of known diagnostics.
    pub(super) baseline: Option<Baseline>,
    /// Whether an output needs fingerprints, which identify a diagnostic across runs.
    pub(super) has_fingerprints: bool,
}

impl CheckRun<'_> {
    /// Writes a fixed file, or prints the diff.
    pub(super) fn repaired(&mut self, input: &Input, repaired: anyhow::Result<Option<Repaired>>) -> anyhow::Result<()> {
        match repaired {
            Ok(Some(repaired)) if repaired.is_patch => {
                if self.args.diff {
                    tell(format_args!(
                        "note: {}",
                        kept_patches(std::slice::from_ref(&input.label))
                    ));
                }
                self.summary.kept_patches.push(input.label.clone());
            }
            Ok(Some(repaired)) if self.args.diff => {
                self.status = self.status.max(Status::Findings);
                if let Some(out) = self.outputs.stdout() {
                    repaired.print(out)?;
                }
            }
            Ok(Some(repaired)) => {
                if let Err(why) = repaired.write(self.args.replacing.replaceable()) {
                    self.status = Status::Failed;
                    self.unwritten.push(unwritten(&input.label, &why));
                } else {
                    let fixed = self.summary.fixed.get_or_insert_default();
                    fixed.0 += repaired.done.len();
                    fixed.1 += 1;
                }
            }
            Ok(None) => {}
            Err(error) if error.is::<UsageError>() => return Err(error),
            Err(error) if self.args.diff => {
                self.status = Status::Failed;
                input.unreadable(&error).tell();
            }
            // Files that cannot be read are reported by the check.
            Err(_) => {}
        }
        Ok(())
    }

    /// Prints and counts the diagnostics of a file.
    pub(super) fn report(
        &mut self,
        input: &Input,
        report: &FileReport,
        config: &Config,
        (fixes, roles, is_base): (&[Fix], &[Judgement], bool),
    ) -> anyhow::Result<()> {
        // Standard input with a file name is treated like a file of the repository, which need not contain objects.
        if matches!(input.source, Source::Stdin(None)) && !report.has_objects() {
            self.stdin_without_objects = Some(left_out::without_objects(&report.text));
        }
        let mut file = File::new(&input.label, report, config, fixes);
        file.is_version_chosen |= self.args.manifests.kubernetes_version.is_some();
        file.is_base = is_base;
        file.roles = roles;
        if self.has_fingerprints {
            file.take_fingerprints();
        }
        if let Some(baseline) = &mut self.baseline {
            baseline.apply(&mut file, &input.place()?);
        }
        file.leave_out(&mut self.repeated);
        self.summary.add(&file);
        let mut verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
        let is_left_out = report.findings.iter().any(|it| it.code == codes::NOT_FINISHED);
        if is_left_out || verdicts.any(|(_, verdict)| !verdict.is_known_strictly()) {
            self.status = Status::Failed;
        }
        if file.worst().is_some_and(|worst| worst <= self.args.fails()) {
            self.status = self.status.max(Status::Findings);
        }
        Ok(self.outputs.file(&file)?)
    }

    /// Reports that a file could not be read.
    pub(super) fn unreadable(&mut self, unreadable: &Unreadable) -> anyhow::Result<()> {
        self.summary.unreadable += 1;
        self.status = Status::Failed;
        Ok(self.outputs.unreadable(unreadable)?)
    }
}
