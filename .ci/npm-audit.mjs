// Reads what `npm audit --json` says on standard input. Fails if it reports a vulnerability. A registry without advisories is told, not failed:
// `npm audit` itself ends with the same code for both.
import { readFileSync } from 'node:fs';

let report;
try {
  report = JSON.parse(readFileSync(0, 'utf8'));
} catch {
  report = { message: 'npm audit printed no JSON' };
}
const counts = report.metadata?.vulnerabilities;
if (typeof counts?.total !== 'number') {
  const why = report.message ?? report.error?.summary ?? 'no reason given';
  console.log(`npm: NO ADVISORIES FROM THE REGISTRY, no package was checked (${why})`);
} else if (counts.total > 0) {
  for (const [name, { severity, range }] of Object.entries(report.vulnerabilities ?? {})) {
    console.log(`npm: ${severity}: ${name} ${range}`);
  }
  console.log(`npm: vulnerable packages: ${counts.total}. \`npm audit\` in editors/vscode has the details`);
  process.exitCode = 1;
} else {
  console.log(`npm: ${report.metadata.dependencies?.total ?? 'all'} packages, no advisory`);
}
