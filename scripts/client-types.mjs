/** Types of a client of the External API, as any caller would make them from openapi.json; the tests use them. */
import openapiTS, { astToString } from 'openapi-typescript';

export const CLIENT_TYPES = 'test/support/generated/external-api.ts';

/** @param document text of openapi.json */
export async function clientTypes(document) {
  const nodes = await openapiTS(JSON.parse(document), { alphabetize: true, defaultNonNullable: false });
  return `/** Generated from openapi.json by npm run generate; not edited by hand. */\n${astToString(nodes)}`;
}
