import type { OpenApiObject, SchemasByName } from '../../../src/web/openapi';
import { listReferencedSchemas } from './model-schemas';

/** Lists the known values of an open set, for generators that know this extension. */
const OPEN_VALUES_KEYWORD = 'x-extensible-enum';

type PathItems = Record<string, Record<string, OpenApiObject>>;

/** The parts of a document that contain schemas. */
interface DescribedDocument {
  paths: PathItems;
  /** Requests of the service, which contain events. */
  webhooks?: PathItems;
  components: { schemas: SchemasByName; responses: OpenApiObject; parameters: OpenApiObject };
}

/**
 * Returns the document with open sets of values in responses and events: values may be added to them
 * (docs/guide/versioning.md), and generated clients must accept these. The values of requests remain closed.
 */
export function openResponseValues<T extends OpenApiObject>(document: T): T {
  const copy = structuredClone(document);
  const { paths, webhooks = {}, components } = copy as unknown as DescribedDocument;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const requests = operations.map(({ requestBody, parameters }) => [requestBody, parameters]);
  const requestNames = listReferencedSchemas(components.schemas, [requests, components.parameters]);
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (!requestNames.has(name)) openValues(schema, name.endsWith('StreamEvent'));
  }
  for (const part of [operations.map(({ responses }) => responses), components.responses, webhooks]) openValues(part);
  return copy;
}

/** @param hasFixedType whether `type` selects this schema among those of a stream's events */
function openValues(part: unknown, hasFixedType = false): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as OpenApiObject;
  if (Array.isArray(schema.enum)) openSchema(schema, schema.enum as (string | number | null)[]);
  for (const [name, member] of Object.entries(schema)) {
    if (name === 'examples' || name === 'example') continue;
    if (hasFixedType && name === 'properties') openValues({ ...(member as SchemasByName), type: undefined });
    else openValues(member);
  }
}

/** Leaves a single text closed: it names the kind of a record. */
function openSchema(schema: OpenApiObject, members: (string | number | null)[]): void {
  const values = members.filter((value) => value !== null);
  if (values.length === 1 && typeof values[0] === 'string') return;
  delete schema.enum;
  const known = values.map((value) => `\`${value}\``).join(', ');
  const description = typeof schema.description === 'string' ? `${schema.description} ` : '';
  schema.description = `${description}Known values, to which others may be added: ${known}.`;
  schema[OPEN_VALUES_KEYWORD] = values;
}
