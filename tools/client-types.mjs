/** Generates the types of the client from openapi.json, as callers can. */
export const CLIENT_TYPES = 'clients/typescript/src/generated/external-api.ts';

/** @param document text of openapi.json */
export async function clientTypes(document) {
  // Loads TypeScript, which those who only need the path should not.
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const nodes = await openapiTS(JSON.parse(document), { alphabetize: true, defaultNonNullable: false });
  return `/** Generated from openapi.json by npm run generate; not edited by hand. */\n${astToString(nodes)}`;
}
