// Works in VS Code's workbench with the packaged extension as a person does.
// usage: node session.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const path = require("node:path");
const { inWorkbench, finish } = require("./workbench.cjs");
const { findings } = require("./findings.cjs");
const { writing } = require("./writing.cjs");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
finish(
  inWorkbench({ install, vsix, fixture, out, size: { width: 1280, height: 1100 } }, async (page, session) => {
    await findings(page, session);
    await writing(page, session);
  }),
);
