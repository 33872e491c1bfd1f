/** Writes which answers a service gives to each call, from its OpenAPI documents, for clients that check them. */
export const DEVICE_ANSWERS = 'packages/protocol/src/generated/device-answers.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Calls of the console and of callers, which devices don't make. */
const NOT_OF_DEVICES = /^\/v1\/(control|webhooks|relay-calls|audit-events|openapi|asyncapi)\b/;

/** @param document text of the document of the device API */
export function deviceAnswers(document) {
  const { paths, components } = JSON.parse(document);
  return `/** Generated from docs/protocol/device-openapi.json by npm run generate; not edited by hand. */
/** The answers of the service to one call, as its OpenAPI document says. */
export interface DocumentedAnswers {
  /** A success: without a body, with one record or a list of them in the member data, or an object of other members. */
  result: 'none' | 'record' | 'list' | 'object';
  /** Value of the member object in each record. */
  object?: string;
  /** Members that each record without such a member has, or the object, separated by spaces. */
  members?: string;
  /** Codes of the problems, separated by spaces. */
  codes: string;
}

export const DEVICE_ANSWERS: Readonly<Record<string, DocumentedAnswers>> = {
${formatAnswers(
  Object.entries(paths).filter(([path]) => !NOT_OF_DEVICES.test(path)),
  components,
)}
};
`;
}

function formatAnswers(paths, components) {
  const answers = paths.flatMap(([path, operations]) =>
    METHODS.filter((method) => method in operations).map((method) => [
      `${method.toUpperCase()} ${path}`,
      describeAnswers(Object.entries(operations[method].responses), components),
    ]),
  );
  return answers.map(([call, answer]) => `  '${call}': ${formatMembers(answer)},`).join('\n');
}

function describeAnswers(responses, components) {
  const resolve = (part) => (part?.$ref ? resolve(components[part.$ref.split('/')[2]][part.$ref.split('/')[3]]) : part);
  const problems = responses.filter(([status]) => status >= 400).map(([, response]) => resolve(response));
  const codes = problems.flatMap(({ content }) => {
    const { anyOf } = content['application/problem+json'].schema;
    return anyOf.map((each) => resolve(each)).flatMap((schema) => readCodes(schema));
  });
  const [, success] = responses.find(([status]) => status.startsWith('2'));
  const schema = resolve(resolve(success).content?.['application/json']?.schema);
  return { ...describeResult(schema, resolve), codes: [...new Set(codes)].sort().join(' ') };
}

/** Returns the codes of a kind of problem. `Problem` itself, for codes of later releases, has none. */
function readCodes(schema) {
  const { code } = Object.assign({}, ...[schema, ...(schema.allOf ?? [])].map(({ properties }) => properties));
  return code?.const ? [code.const] : (code?.enum ?? code?.['x-extensible-enum'] ?? []);
}

function describeResult(schema, resolve) {
  if (!schema) return { result: 'none' };
  const data = resolve(schema.properties?.data);
  if (!data) return { result: 'object', members: (schema.required ?? []).join(' ') };
  const record = data.type === 'array' ? resolve(data.items) : data;
  const object = record.properties?.object;
  return {
    result: data.type === 'array' ? 'list' : 'record',
    ...(object ? { object: object.const ?? object.enum[0] } : { members: (record.required ?? []).join(' ') }),
  };
}

const formatMembers = (answer) =>
  `{ ${Object.entries(answer)
    .map(([name, value]) => `${name}: '${value}'`)
    .join(', ')} }`;
