//! Scans the workspace folders for CRDs and resources.

use std::sync::{Arc, atomic::AtomicUsize};

use crd_analyzer_workspace::index::{Origin, names_crds};
use lsp_types::Uri;

use crate::{progress, session::Session, tasks, workspace_index};

/// Scans the workspace folders in the background. Afterwards, the index matches the manifests on disk.
pub(crate) fn look_through(session: &Arc<Session>) {
    session.first_look.begin();
    // Set the folders first, because the role of a file depends on its path below the root of its repository.
    session.crds_changed(&session.workspace.set_folders(&session.folders()));
    let session = session.clone();
    tasks::beside(async move {
        look(&session).await;
        session.first_look.end();
    });
}

async fn look(session: &Arc<Session>) {
    let _only = session.looking.lock().await;
    let folders = session.folders();
    let settings = session.settings();
    let lister = session.clone();
    let list = move || {
        let is_trusted = lister.trust.is_granted();
        let mut manifests = workspace_index::files_of(&settings, &folders, is_trusted);
        for problem in &manifests.problems {
            lister.tell(problem);
        }
        let of_cluster = lister.cluster.files().into_iter();
        manifests.files.extend(of_cluster.map(|it| (it, Origin::Cluster)));
        let unread = lister.workspace.unread(&manifests);
        let replaced = lister.workspace.describe_folders(&folders);
        (manifests, unread, replaced)
    };
    let Ok((manifests, unread, replaced)) = tasks::blocking("the list of the workspace's files", list).await else {
        return;
    };
    let (all, done) = (manifests.files.len(), Arc::new(AtomicUsize::new(0)));
    let shown = if unread < progress::MANY {
        None
    } else {
        progress::begin(session, None, "Reading manifests").await
    };
    let (looker, count) = (session.clone(), done.clone());
    let look = tasks::blocking("the scan of the workspace", move || {
        let mut changed = looker.workspace.look_at(&manifests, &looker.documents, &count);
        changed.extend(replaced);
        changed.extend(looker.start_building(&manifests.kustomizations));
        changed
    });
    if let Ok(changed) = progress::watch(shown.as_ref(), all, &done, look).await {
        session.crds_changed(&changed);
    }
    session.check_objects_soon();
}

/// If a document has resources, waits until the workspace's CRDs are known. Otherwise the first answer would be empty.
pub(crate) async fn know_crds(session: &Arc<Session>, uri: &Uri) {
    if !session.first_look.is_underway() {
        return;
    }
    let Some(snapshot) = session.documents.snapshot(uri) else {
        return;
    };
    if !snapshot.text.chunks().any(names_crds) {
        session.first_look.ended().await;
    }
}
