//! Repositories that belong to other users.

use std::process::Command;

use crate::{
    Test,
    repository::{IMMUTABLE, Outcome, Place, moved},
};

pub(crate) const TESTS: &[Test] = &[("a_repository_of_another_user_is_refused", refused)];

fn refused() {
    let place = Place::with_repository();
    place.write("repo/crd.yaml", moved());
    let given_away = ["repo", "repo/.git"].map(|name| {
        Command::new("chown")
            .arg("12345")
            .arg(place.path(name))
            .output()
            .is_ok_and(|it| it.status.success())
    });
    if given_away.contains(&false) {
        // Only root can change owners. Without root privileges, the test uses files that belong to root.
        place.write("home/.gitconfig", "");
        let outcome = place.run("/", ["check", "--old-ref=HEAD", "/etc/hostname"]);
        outcome.expect(2, &["is not in a git repository"]);
        return;
    }
    let run = |config: &str| {
        place.write("home/.gitconfig", config);
        let mut command = place.command("repo", ["check", "--old-ref=HEAD", "crd.yaml"]);
        command.env("HOME", place.path("home")).env_remove("XDG_CONFIG_HOME");
        for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"] {
            command.env_remove(name);
        }
        Outcome::of(&mut command)
    };
    let root = place.path("repo").display().to_string();
    let above = place.path(".").components().as_path().display().to_string();
    let safe = |values: &[&str]| {
        values.iter().fold(String::new(), |config, value| {
            format!("{config}[safe]\n\tdirectory = \"{value}\"\n")
        })
    };
    for values in [&[][..], &["/elsewhere"], &["*", ""], &[&root, ""], &[&above]] {
        run(&safe(values)).expect(3, &["belongs to another user", "safe.directory"]);
    }
    for values in [
        &["*"][..],
        &[&root],
        &["", &root],
        &["/a", &root, "/b"],
        &[&format!("{above}/*")],
    ] {
        run(&safe(values)).expect(1, &[IMMUTABLE]);
    }
    // The repository's own configuration must not be able to declare the repository safe.
    place.append("repo/.git/config", &safe(&["*"]));
    run("").expect(3, &["belongs to another user"]);
    let mut command = place.command("repo", ["check", "--old-ref=HEAD", "crd.yaml"]);
    command.envs([
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "safe.directory"),
        ("GIT_CONFIG_VALUE_0", "*"),
    ]);
    Outcome::of(&mut command).expect(1, &[IMMUTABLE]);
}
