//! `$/setTrace`: sets how much the language server reports to the client.

use std::sync::Arc;

use lsp_types::{SetTraceParams, TraceValue};

use crate::session::Session;

pub(crate) fn handle(session: &Arc<Session>, params: &SetTraceParams) {
    session.set_trace(params.value != TraceValue::Off);
}
