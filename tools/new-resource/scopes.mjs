/** Scopes that the External API requires for a resource. */
import { readManifests } from './manifests.mjs';

const PLACEHOLDER_SCOPE = 'profile:read';

/**
 * Returns the scope of reads, that of writes, the ones to add, and one that permits neither. `NAME:read` and
 * `NAME:write` are added if they are used. Any other scope must exist.
 * @throws Error if a scope doesn't exist, or if one to add does
 */
export function scopesOf(plural, { scope, write, event }) {
  const present = readScopes();
  const own = { read: `${plural}:read`, write: `${plural}:write` };
  const read = scope ?? (write || event ? own.read : PLACEHOLDER_SCOPE);
  const added = [read === own.read && own.read, write && own.write].filter(Boolean);
  const taken = added.find((name) => present.includes(name));
  if (taken) throw new Error(`The scope "${taken}" already exists. Choose another name`);
  if (!present.includes(read) && !added.includes(read)) {
    throw new Error(
      `The scope "${read}" doesn't exist. Choose ${own.read}, which is added, or one of: ${present.join(', ')}`,
    );
  }
  return { read, write: own.write, added, other: present.find((name) => name !== read) };
}

/** Returns the scopes of all manifests, whose members are the only names with a colon before an object. */
function readScopes() {
  const readNames = (text) => [...text.matchAll(/^ {4}'([a-z-]+:[a-z:-]+)': \{/gm)].map(([, name]) => name);
  return readManifests().flatMap(readNames).sort();
}
