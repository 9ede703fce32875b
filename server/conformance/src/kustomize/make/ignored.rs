//! Generates fields that change no object. kustomize decodes them, too, and fails if they are wrong.

use super::Made;

/// Correct fields.
const FIELDS: [&str; 12] = [
    "metadata: {name: a, namespace: b, labels: {c: d}, annotations: {}}",
    "metadata: {Name: a}",
    "metadata: null",
    "sortOptions: {order: fifo}",
    "sortOptions: {order: legacy, legacySortOptions: {orderFirst: [Namespace], orderLast: [Widget]}}",
    "sortOptions: null",
    "helmGlobals: {chartHome: charts}",
    "helmCharts: []",
    "helmCharts: null",
    "helmChartInflationGenerator: []",
    "buildMetadata: []",
    "openapi: {}",
];

/// Fields that are wrong in an outermost kustomization.
const WRONG: [&str; 21] = [
    "metadata: {nam: a}",
    "metadata: {labels: {a: 1}}",
    "metadata: a",
    "sortOptions: {}",
    "sortOptions: {order: first}",
    "sortOptions: {order: null}",
    "sortOptions: {order: legacy, legacySortOption: {}}",
    "sortOptions: {order: legacy, legacySortOptions: {orderFirst: Namespace}}",
    "sortOptions: {order: legacy, legacySortOptions: {first: []}}",
    "helmGlobals: {charthome: a, confighom: b}",
    "helmGlobals: {chartHome: 1}",
    "helmCharts: {name: a}",
    "helmCharts: [{nam: a}]",
    "helmCharts: [{name: a, version: 1.2}]",
    "helmCharts: [{name: a, includeCRDs: yes please}]",
    "helmCharts: [{name: a, valuesInline: [b]}]",
    "helmCharts: [{name: a, apiVersions: v1}]",
    "helmChartInflationGenerator: [{chart: a}]",
    "helmChartInflationGenerator: [{chartName: a, extraArgs: -x}]",
    "buildMetadata: a",
    "crds: a.yaml",
];

impl Made<'_> {
    pub(super) fn ignored(&mut self, text: &mut String) {
        let line = if self.is(8) {
            self.pick(&FIELDS)
        } else if self.is(1) {
            self.pick(&WRONG)
        } else {
            return;
        };
        let key = line.split(':').next().unwrap_or_default();
        if !text.contains(&format!("\n{key}:")) {
            text.push_str(line);
            text.push('\n');
        }
    }
}
