//! `textDocument/signatureHelp`

use std::sync::Arc;

use crd_analyzer_ide::signature::{Signature, Signatures, signatures};
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams,
    SignatureInformation,
};
use tower_lsp::jsonrpc::Result;

use crate::{request_context, session::Session, source_context};

pub(crate) async fn handle(session: &Arc<Session>, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
    let at = params.text_document_position_params;
    if let Some(snapshot) = session.documents.source_file(&at.text_document.uri) {
        let answer = move |request: &source_context::SourceContext| {
            let offset = request.snapshot.offset(at.position, request.client().unit);
            let found = request.ask_made(offset, |it, versions| it.signatures(versions.newest()))?;
            Some(help(&found, request.client().label_offsets))
        };
        return source_context::read(
            session,
            snapshot,
            |it| it.signature_help,
            "the search for signatures",
            answer,
        )
        .await;
    }
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.signature_help,
        "the search for signatures",
        move |request| {
            let (document, offset) = request.document_at(at.position)?;
            let found = signatures(&document, offset, request.version())?;
            Some(help(&found, request.client().label_offsets))
        },
    );
    found.await
}

fn help(found: &Signatures, offsets: bool) -> SignatureHelp {
    SignatureHelp {
        signatures: found.all.iter().map(|it| information(it, offsets)).collect(),
        active_signature: Some(found.active as u32),
        active_parameter: Some(found.parameter as u32),
    }
}

/// Converts a signature. With `offsets`, the client supports parameters as offsets in the label. Those are always UTF-16.
fn information(signature: &Signature, offsets: bool) -> SignatureInformation {
    let units = |byte: usize| signature.label[..byte].encode_utf16().count() as u32;
    let parameters = signature.parameters.iter().map(|it| ParameterInformation {
        label: if offsets {
            ParameterLabel::LabelOffsets([units(it.start), units(it.end)])
        } else {
            ParameterLabel::Simple(signature.label[it.clone()].to_owned())
        },
        documentation: None,
    });
    SignatureInformation {
        label: signature.label.clone(),
        documentation: (!signature.doc.is_empty()).then(|| {
            Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::PlainText,
                value: signature.doc.to_owned(),
            })
        }),
        parameters: Some(parameters.collect()),
        active_parameter: None,
    }
}
