/** Generates the types of the client from openapi.json, as callers can. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './lib.mjs';
import { getOrCreateText } from './text-cache.mjs';

export const CLIENT_TYPES = 'clients/typescript/src/generated/external-api.ts';

/** The client knows the values and errors of its release, which its users compare. It accepts others as well. */
function closeValues(_name, part) {
  if (part?.anyOf?.at(-1).$ref === '#/components/schemas/Problem') return { ...part, anyOf: part.anyOf.slice(0, -1) };
  const values = part?.['x-extensible-enum'];
  if (!values) return part;
  return { ...part, enum: Array.isArray(part.type) ? [...values, null] : values };
}

/** @param document text of openapi.json */
export function clientTypes(document) {
  return formatTypes('openapi.json', JSON.parse(document, closeValues), {});
}

/** Types of the records that devices and browsers read, without those of calls and errors. */
export const DEVICE_RECORD_TYPES = 'packages/protocol/src/generated/device-records.ts';
const RECORDS = [
  ...['Account', 'Device', 'SignedInDevice', 'Pairing', 'PairingStatus', 'PendingPairing'],
  ...['ExternalToken', 'DeveloperApp', 'KeyGrant', 'Machine', 'DeviceSession', 'DeviceMessage', 'DeltaLiveEvent'],
  ...['Turn', 'Invocation', 'DevicePermissionRequest', 'Artifact', 'DeviceArtifact', 'PushSubscription'],
];

/** @param document text of the document of the device API */
export function deviceRecordTypes(document) {
  const { openapi, info, components } = JSON.parse(document, describeRecord);
  const schemas = pickSchemas(components.schemas, RECORDS);
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true };
  return formatTypes('docs/protocol/device-openapi.json', { openapi, info, components: { schemas } }, options);
}

/** Leaves out examples and formats, which are longer than the types. */
const describeRecord = (name, part) => (['examples', 'format'].includes(name) ? undefined : closeValues(name, part));

/** Returns the schemas of these names, and those that they refer to. */
function pickSchemas(schemas, names, picked = {}) {
  for (const name of names.filter((each) => !(each in picked))) {
    picked[name] = schemas[name];
    const references = JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    pickSchemas(
      schemas,
      Array.from(references, ([, reference]) => reference),
      picked,
    );
  }
  return picked;
}

function formatTypes(source, document, options) {
  const code = [fileURLToPath(import.meta.url), join(root, 'package-lock.json')].map((file) => readFileSync(file));
  return getOrCreateText(join('types', source), [...code, JSON.stringify(document)], async () => {
    // Loads TypeScript, which those who only need the path should not.
    const { default: openapiTS, astToString } = await import('openapi-typescript');
    const nodes = await openapiTS(document, { alphabetize: true, defaultNonNullable: false, ...options });
    return `/** Generated from ${source} by npm run generate; not edited by hand. */\n${astToString(nodes)}`;
  });
}
