//! Which API group the author of another one meant.

use crate::words::meant::{is_slip, lacks_last_label};

/// Groups whose kinds have the names of the kinds of another project, on purpose.
const COPIES: [&str; 1] = ["azmonitoring.coreos.com"];

/// Whether a group is the misspelt name of a known one. Short labels name services, such as `eks` and `ecs`.
pub(super) fn is_misspelt(written: &str, known: &str) -> bool {
    is_slip(written, known) && !differs_in_short_label(written, known) || lacks_last_label(written, known)
}

fn differs_in_short_label(written: &str, known: &str) -> bool {
    let (written, known) = (labels(written), labels(known));
    let Some((_, before_last)) = written.split_last() else {
        return false;
    };
    let differing = before_last.iter().zip(&known).find(|it| it.0 != it.1);
    written.len() == known.len() && differing.is_some_and(|it| it.0.len() == it.1.len() && it.0.len() <= 3)
}

/// Whether a group looks like a known one of the same project: it has another last label or lacks a label, a label is shortened, or a label lacks its
/// hyphen. This is a guess, because the group may exist elsewhere.
pub(crate) fn resembles(written: &str, known: &str) -> bool {
    if COPIES.contains(&written) || COPIES.contains(&known) {
        return false;
    }
    let (written, known) = (labels(written), labels(known));
    let differs = |n: &usize| written[*n] != known[*n];
    if written.len() == known.len() {
        let differing: Vec<usize> = (0..known.len()).filter(differs).collect();
        if let [n] = *differing {
            return n + 1 == known.len() || is_shortened(written[n], known[n]);
        }
    }
    if written.len() + 1 == known.len() {
        let first = (0..written.len()).find(differs).unwrap_or(written.len());
        // A single letter marks another release, such as `aws.m.upbound.io`.
        if written[first..] == known[first + 1..] && known[first].len() > 1 && first + 1 < known.len() {
            return true;
        }
    }
    let project = known.len().checked_sub(2).map_or("", |it| known[it]);
    project.contains('-') && written.contains(&&*project.replace('-', ""))
}

/// Whether one label is the start of the other one, which has more than four letters.
fn is_shortened(one: &str, other: &str) -> bool {
    let is_start = one.starts_with(other) || other.starts_with(one);
    is_start && one.len().min(other.len()) > 4
}

fn labels(group: &str) -> Vec<&str> {
    group.split('.').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_groups() {
        assert!(is_misspelt("monitoring.coreos", "monitoring.coreos.com"));
        assert!(is_misspelt("postgressql.cnpg.io", "postgresql.cnpg.io"));
        assert!(is_misspelt("certmanager.io", "cert-manager.io"));
        assert!(!is_misspelt("ecs.aws.upbound.io", "eks.aws.upbound.io"));
        assert!(!is_misspelt("monitoring.coreos.io", "monitoring.coreos.com"));
    }

    #[test]
    fn groups_of_the_same_project() {
        for (written, known, expected) in [
            ("monitoring.coreos.io", "monitoring.coreos.com", true),
            ("monitor.coreos.com", "monitoring.coreos.com", true),
            ("postgres.cnpg.io", "postgresql.cnpg.io", true),
            ("helm.fluxcd.io", "helm.toolkit.fluxcd.io", true),
            ("certmanager.k8s.io", "cert-manager.io", true),
            ("azmonitoring.coreos.com", "monitoring.coreos.com", false),
            ("monitoring.rhobs", "monitoring.coreos.com", false),
            ("postgresql.k8s.enterprisedb.io", "postgresql.cnpg.io", false),
            ("s3.aws.upbound.io", "s3.aws.m.upbound.io", false),
            ("s3.aws.m.upbound.io", "s3.aws.upbound.io", false),
            ("rds.aws.upbound.io", "eks.aws.upbound.io", false),
            ("networking.istio.io", "gateway.networking.k8s.io", false),
            ("traefik.containo.us", "traefik.io", false),
            ("example.com", "example.org", true),
        ] {
            assert_eq!(resembles(written, known), expected, "{written} {known}");
        }
    }
}
