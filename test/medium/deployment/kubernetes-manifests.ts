import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { REPOSITORY_ROOT } from './dockerfile';

const FOLDER = join(REPOSITORY_ROOT, 'deploy', 'kubernetes');
const KINDS = [
  ...(['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Job', 'NetworkPolicy'] as const),
  ...(['PodDisruptionBudget', 'Secret', 'Service'] as const),
] as const;

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  [field: string]: any;
}

/** Reads all manifests of deploy/kubernetes and its examples, by their kind, as kubectl parses YAML. */
export function readManifests(): Record<(typeof KINDS)[number], Manifest> {
  const paths = ['.', 'examples'].flatMap((folder) =>
    readdirSync(join(FOLDER, folder)).map((name) => join(folder, name)),
  );
  const manifests = paths
    .filter((path) => path !== 'examples')
    .map((path) => {
      const document = parseDocument(readFileSync(join(FOLDER, path), 'utf8'), { version: '1.1' });
      if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]!.message}`);
      return document.toJS() as Manifest;
    });
  const kinds = manifests.map(({ kind }) => kind).sort();
  if (String(kinds) !== String([...KINDS])) throw new Error(`deploy/kubernetes has the kinds ${kinds.join(', ')}`);
  return Object.fromEntries(manifests.map((manifest) => [manifest.kind, manifest])) as ReturnType<typeof readManifests>;
}
