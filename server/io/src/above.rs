//! The folders above a file, whose files may say what the file is for.

use std::path::Path;

use crate::{read::Access, roots::exists};

/// The nearest folders above a file. Those above its repository say nothing about it, even if the user has named the file.
pub(crate) fn folders<'p>(path: &'p Path, access: &Access, most: usize) -> impl Iterator<Item = &'p Path> {
    let is_named = matches!(access, Access::Named);
    let mut is_inside = true;
    let is_of_repository = move |folder: &&Path| {
        let is_root = is_named && exists(&folder.join(".git"));
        std::mem::replace(&mut is_inside, !is_root)
    };
    path.ancestors().skip(1).take(most).take_while(is_of_repository)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_above_the_repository_of_a_named_file_are_left_out() {
        let top = tempfile::tempdir().expect("a folder");
        let file = top.path().join("repository/config/a.yaml");
        let found = || folders(&file, &Access::Named, 3).count();
        std::fs::create_dir_all(top.path().join("repository/config")).expect("folders");
        assert_eq!(found(), 3);
        std::fs::create_dir(top.path().join("repository/.git")).expect("a folder");
        assert_eq!(found(), 2);
    }
}
