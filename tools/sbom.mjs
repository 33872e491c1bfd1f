/**
 * `npm run sbom -- [folder]` writes the packages of the lockfile to the folder (`sbom` by default): `sbom.cdx.json`, a
 * CycloneDX bill of materials, and `licences.md`, the packages by licence.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { licenceOf, lockedPackages } from './dependencies/locked-packages.mjs';
import { root } from './lib.mjs';

const folder = resolve(process.argv[2] ?? join(root, 'sbom'));
const packages = lockedPackages();
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
writeFileSync(join(folder, 'licences.md'), licenceList());
console.log(`Written to ${folder}: sbom.cdx.json, licences.md (${packages.length} packages)`);

/** Returns npm's bill of materials with the project's name instead of the folder's, and with missing licences. */
function billOfMaterials() {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const text = execFileSync('npm', args, {
    cwd: root,
    maxBuffer: 64 * 1_048_576,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const bom = JSON.parse(text);
  bom.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
  // The workspaces are parts of the project itself. They have no checksum.
  bom.components = bom.components.filter(({ hashes }) => hashes);
  const references = new Set([bom.metadata.component, ...bom.components].map((component) => component['bom-ref']));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }));
  for (const component of bom.components) {
    const licence = licenceOf(component);
    if (!component.licenses && licence) component.licenses = [{ license: { id: licence } }];
  }
  return bom;
}

function licenceList() {
  const byLicence = new Map();
  for (const { name, version, licence, dev } of packages) {
    if (!byLicence.has(licence)) byLicence.set(licence, []);
    byLicence.get(licence).push(`- ${name} ${version}${dev ? ' (development)' : ''}`);
  }
  const sections = [...byLicence].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    ['# Licences', ...sections.map(([licence, lines]) => `## ${licence}\n\n${lines.join('\n')}`)].join('\n\n') + '\n'
  );
}
