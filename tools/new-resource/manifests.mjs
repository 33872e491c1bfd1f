import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';

/** Returns the texts of the manifests of all modules. */
export function readManifests() {
  const source = join(root, 'src');
  const paths = readdirSync(source, { recursive: true }).filter((path) => /\w\/[\w-]+\.manifest\.ts$/.test(path));
  return paths.map((path) => readFileSync(join(source, path), 'utf8'));
}
