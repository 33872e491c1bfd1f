import { formatValue } from './openapi-types';
import type { ReferenceOperation } from './reference-model';

/** The request that all samples of an operation send. */
interface SampleRequest {
  method: string;
  url: string;
  query: [name: string, value: string][];
  /** Environment variable with the token of the request; null: it needs none. */
  tokenVariable: 'TOKEN' | 'DEVICE_TOKEN' | null;
  hasIdempotencyKey: boolean;
  body: { isForm: boolean; value: unknown } | null;
  isStream: boolean;
  /** Whether the response has a JSON body. */
  hasJson: boolean;
}

export interface RequestSample {
  /** As in fenced blocks of the guide. */
  language: 'sh' | 'js' | 'python' | 'go';
  code: string;
}

/** Writes the same request with curl and in JavaScript, Python and Go. */
export function buildRequestSamples(operation: ReferenceOperation, publicUrl: string): RequestSample[] {
  const request = readSampleRequest(operation, publicUrl);
  return [
    { language: 'sh', code: writeCurl(request) },
    { language: 'js', code: writeJavaScript(request) },
    { language: 'python', code: writePython(request) },
    { language: 'go', code: writeGo(request) },
  ];
}

const TOKEN_VARIABLES = {
  token: 'TOKEN',
  'personal-token': 'TOKEN',
  device: 'DEVICE_TOKEN',
  client: null,
  none: null,
} as const;

function readSampleRequest(operation: ReferenceOperation, publicUrl: string): SampleRequest {
  const { method, parameters, body, credential, responses } = operation;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.example;
    return encodeURIComponent(formatValue(example ?? name));
  });
  const query = parameters
    .filter(
      ({ in: place, isRequired, name, example }) =>
        place === 'query' && (isRequired || name === 'limit') && example !== undefined,
    )
    .map(({ name, example }): [string, string] => [name, formatValue(example)]);
  const mediaTypes = responses.flatMap(({ bodies }) => bodies.map(({ mediaType }) => mediaType));
  return {
    method,
    url: publicUrl + path,
    query,
    tokenVariable: TOKEN_VARIABLES[credential],
    hasIdempotencyKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    body: body && { isForm: body.mediaType !== 'application/json', value: body.example },
    isStream: mediaTypes.includes('text/event-stream'),
    hasJson: mediaTypes.includes('application/json'),
  };
}

const toUrl = ({ url, query }: SampleRequest) =>
  query.length === 0 ? url : `${url}?${new URLSearchParams(query).toString()}`;
const toFields = (value: unknown) => Object.entries((value ?? {}) as Record<string, unknown>);
const quoteShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const toJson = (value: unknown, indent = 2) => JSON.stringify(value ?? {}, null, indent);
const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

function writeCurl(request: SampleRequest): string {
  const { method, body } = request;
  const options = [
    ...(method === 'GET' || (method === 'POST' && body) ? [] : [`-X ${method}`]),
    ...(request.isStream ? ['-N'] : []),
    ...(request.tokenVariable ? [`-H "Authorization: Bearer $${request.tokenVariable}"`] : []),
    ...(request.hasIdempotencyKey ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(body && !body.isForm ? ["-H 'Content-Type: application/json'", `-d ${quoteShell(toJson(body.value))}`] : []),
    ...(body?.isForm
      ? toFields(body.value).map(([name, value]) => `--data-urlencode ${quoteShell(`${name}=${formatValue(value)}`)}`)
      : []),
  ];
  return `curl ${[...options, quoteShell(toUrl(request))].join(' \\\n  ')}`;
}

function writeJavaScript(request: SampleRequest): string {
  const { method, body } = request;
  const headers = [
    ...(request.tokenVariable ? [`Authorization: \`Bearer \${process.env.${request.tokenVariable}}\``] : []),
    ...(request.hasIdempotencyKey ? ["'Idempotency-Key': crypto.randomUUID()"] : []),
    ...(body && !body.isForm ? ["'Content-Type': 'application/json'"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: {\n    ${headers.join(',\n    ')},\n  }`] : []),
    ...(body
      ? [
          body.isForm
            ? `body: new URLSearchParams(${indent(toJson(body.value), '  ')})`
            : `body: JSON.stringify(${indent(toJson(body.value), '  ')})`,
        ]
      : []),
  ];
  const url = JSON.stringify(toUrl(request));
  const call = options.length > 0 ? `fetch(${url}, {\n  ${options.join(',\n  ')},\n})` : `fetch(${url})`;
  const output = request.isStream
    ? 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) {\n  process.stdout.write(text);\n}'
    : `console.log(response.status${request.hasJson ? ', await response.json()' : ''});`;
  return `const response = await ${call};\n${output}`;
}

function writePython(request: SampleRequest): string {
  const { body } = request;
  const headers = [
    ...(request.tokenVariable ? [`"Authorization": f"Bearer {os.environ['${request.tokenVariable}']}"`] : []),
    ...(request.hasIdempotencyKey ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
  const call = [
    JSON.stringify(request.url),
    ...(request.query.length > 0 ? [`params=${toPython(Object.fromEntries(request.query))}`] : []),
    ...(headers.length > 0 ? [`headers={\n        ${headers.join(',\n        ')},\n    }`] : []),
    ...(body ? [`${body.isForm ? 'data' : 'json'}=${indent(toPython(body.value), '    ')}`] : []),
    ...(request.isStream ? ['stream=True'] : []),
  ];
  const output = request.isStream
    ? 'for line in response.iter_lines(decode_unicode=True):\n    print(line)'
    : `print(response.status_code${request.hasJson ? ', response.json()' : ''})`;
  const imports = [
    ...(request.tokenVariable ? ['import os'] : []),
    ...(request.hasIdempotencyKey ? ['import uuid'] : []),
  ];
  return `${imports.join('\n')}${imports.length > 0 ? '\n\n' : ''}import requests

response = requests.${request.method.toLowerCase()}(
    ${call.join(',\n    ')},
)
${output}`;
}

/** Writes a value of JSON as a Python literal. */
function toPython(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const members = entries.map(([key, member]) => `${JSON.stringify(key)}: ${indent(toPython(member), '    ')}`);
  return `{\n    ${members.join(',\n    ')},\n}`;
}

function writeGo(request: SampleRequest): string {
  const { body, method } = request;
  const url = JSON.stringify(toUrl(request));
  const text =
    body &&
    (body.isForm
      ? new URLSearchParams(toFields(body.value).map(([k, v]) => [k, formatValue(v)])).toString()
      : toJson(body.value));
  const literal =
    text === null ? null : text.includes('`') || !text.includes('\n') ? JSON.stringify(text) : `\`${text}\``;
  const packages = [
    'fmt',
    'io',
    'log',
    'net/http',
    ...(request.tokenVariable ? ['os'] : []),
    ...(text === null ? [] : ['strings']),
  ];
  const headers = [
    ...(request.tokenVariable ? [`"Authorization", "Bearer "+os.Getenv("${request.tokenVariable}")`] : []),
    ...(request.hasIdempotencyKey ? ['"Idempotency-Key", idempotencyKey'] : []),
    ...(body ? [`"Content-Type", "${body.isForm ? 'application/x-www-form-urlencoded' : 'application/json'}"`] : []),
  ];
  const output = request.isStream
    ? '\tif _, err := io.Copy(os.Stdout, response.Body); err != nil {\n\t\tlog.Fatal(err)\n\t}'
    : '\tcontent, err := io.ReadAll(response.Body)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n' +
      '\tfmt.Println(response.StatusCode, string(content))';
  return [
    'package main\n',
    `import (\n${packages
      .filter((name) => name !== 'fmt' || !request.isStream)
      .map((name) => `\t"${name}"`)
      .join('\n')}\n)\n`,
    'func main() {',
    ...(request.hasIdempotencyKey
      ? ['\tidempotencyKey := "5f1c7f0e-8a57-4c0e-9d3e-0d8f5f0a3b61" // a new one per call']
      : []),
    ...(literal === null ? [] : [`\tbody := strings.NewReader(${literal})`]),
    `\trequest, err := http.NewRequest("${method}", ${url}, ${literal === null ? 'nil' : 'body'})`,
    '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    ...headers.map((header) => `\trequest.Header.Set(${header})`),
    '\tresponse, err := http.DefaultClient.Do(request)\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    '\tdefer response.Body.Close()',
    output,
    '}',
  ].join('\n');
}
