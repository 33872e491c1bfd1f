import { join } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { shareInWorker } from '../worker-state';
import { OperationIndex, API_ROOT } from './operation-index';
import {
  hasDeviceApiDocument,
  readDeviceApiDocument,
  readOpenApiDocument,
  toStrictDocument,
  type OpenApiNode,
} from './strict-document';

const DOCUMENT_KEY = 'openapi.json';

/** Request and response as sent over the network. */
export interface HttpExchange {
  method: string;
  /** Path with the query. */
  path: string;
  status: number;
  headers: Headers;
  /** Parsed if it is JSON; null if it is empty. */
  body: unknown;
}

/** A response that violates the OpenAPI document. */
export class ConformanceError extends Error {}

/** Which paths a document describes. */
export interface DocumentedApi {
  name: string;
  /** Path of the document's server. */
  serverPath: string;
  /** All paths below it are in the document. */
  coveredPath: string;
}

export const EXTERNAL_API: DocumentedApi = { name: 'openapi.json', serverPath: API_ROOT, coveredPath: API_ROOT };
export const DEVICE_API: DocumentedApi = { name: 'device-openapi.json', serverPath: '', coveredPath: '/v1' };

/** Path of the WebSocket of devices, which asyncapi.json describes. */
const SOCKET_PATH = '/v1/devices/socket';

/** Validates responses of an API against its document. Additional and missing fields are violations. */
export class ConformanceValidator {
  private readonly document: OpenApiNode;
  private readonly operationIndex: OperationIndex;
  private readonly ajv: Ajv2020;
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(
    document: OpenApiNode = readOpenApiDocument(),
    private readonly api = EXTERNAL_API,
  ) {
    this.document = toStrictDocument(document);
    this.operationIndex = new OperationIndex(this.document, api.serverPath);
    this.ajv = addFormats(new Ajv2020({ strict: false, validateSchema: false, logger: false }));
    this.ajv.addSchema(this.document, DOCUMENT_KEY);
  }

  /** @throws ConformanceError */
  assertExchange(httpExchange: HttpExchange): void {
    const violation = this.findExchangeViolation(httpExchange);
    if (violation) throw new ConformanceError(violation);
  }

  /** Returns a message with the exchange and what is wrong, or null. */
  findExchangeViolation(httpExchange: HttpExchange): string | null {
    const { method, status, body } = httpExchange;
    const path = httpExchange.path.split('?')[0]!;
    const violation = this.isCovered(method, path) ? this.findViolation(httpExchange, path) : null;
    const bodyText = violation && JSON.stringify(body)?.slice(0, 1_000);
    return violation && `${this.api.name}: ${method} ${path} → ${status}: ${violation}\n${bodyText}`;
  }

  /** Validates the headers and the body of a delivery to a webhook. Returns what is wrong, or null. */
  findDeliveryViolation(headers: Record<string, string>, payload: { type: string }): string | null {
    const webhook = this.document.webhooks[payload.type] as OpenApiNode | undefined;
    const violation = webhook
      ? this.findWebhookViolation(webhook.post as OpenApiNode, headers, payload)
      : 'the event type is not in the document';
    return violation && describeEventViolation(`webhook ${payload.type}`, violation, payload);
  }

  /** Validates the data of a server-sent event. Returns what is wrong, or null. @param path of the stream */
  findStreamEventViolation(path: string, type: string, data: unknown): string | null {
    const found = this.operationIndex.findOperation(path);
    if (!found) return null;
    const names = [
      'paths',
      found.path,
      'get',
      'responses',
      '200',
      'content',
      'text/event-stream',
      'x-event-data',
      type,
    ];
    const isKnown = this.resolvePointer(toPointer(...names.slice(0, -1)))[type] !== undefined;
    const violation = isKnown
      ? this.findSchemaViolation(toPointer(...names), data)
      : 'the event is not in the document';
    return violation && describeEventViolation(`${found.path} event ${type}`, violation, data);
  }

  private findWebhookViolation(operation: OpenApiNode, headers: Record<string, string>, payload: { type: string }) {
    for (const given of operation.parameters as OpenApiNode[]) {
      const { name, required, schema } = this.resolveReference(given);
      const text = headers[name as string];
      if (text === undefined && required) return `the header ${name} is missing`;
      if (text !== undefined && !new RegExp(schema.pattern as string).test(text)) {
        return `the header ${name} is out of form: ${text}`;
      }
    }
    if (headers['content-type'] !== 'application/json') return 'the content type is not declared';
    const names = ['webhooks', payload.type, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    return this.findSchemaViolation(toPointer(...names), payload);
  }

  private findSchemaViolation(pointer: string, value: unknown): string | null {
    const validate = this.getValidator(pointer);
    return validate(value) ? null : this.ajv.errorsText(validate.errors, { dataVar: 'data' });
  }

  /** Returns true for all paths of the API, and for documented operations elsewhere. */
  private isCovered(method: string, path: string): boolean {
    const { coveredPath } = this.api;
    if (path.startsWith(SOCKET_PATH)) return false;
    if (path === coveredPath || path.startsWith(`${coveredPath}/`)) return true;
    return this.operationIndex.findOperation(path)?.item[method.toLowerCase()] !== undefined;
  }

  private findViolation(httpExchange: HttpExchange, path: string): string | null {
    const { method, status, headers } = httpExchange;
    if (!headers.has('x-request-id')) return 'there is no X-Request-Id';
    const found = this.operationIndex.findOperation(path);
    const isKnown = found !== undefined && isServed(path);
    // Routes without cross-origin access respond with 405.
    if (method === 'OPTIONS' && [204, 405].includes(status)) return null;
    if (!isKnown) return status === 404 ? null : 'the path is not in the document';
    if (method === 'OPTIONS') return 'a preflight is answered with 204';
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = found.item[verb] as OpenApiNode | undefined;
    if (!operation) return status === 405 ? null : 'the method is not in the document';
    const declared = operation.responses[status] as OpenApiNode | undefined;
    if (!declared) return 'the status is not declared';
    const pointer = (declared.$ref as string | undefined) ?? toPointer('paths', found.path, verb, 'responses', status);
    const response = this.resolvePointer(pointer);
    return this.findHeaderViolation(response, headers) ?? this.findBodyViolation(response, pointer, httpExchange);
  }

  private findHeaderViolation(response: OpenApiNode, headers: Headers): string | null {
    for (const [name, given] of Object.entries<OpenApiNode>(response.headers)) {
      const header = this.resolveReference(given);
      const text = headers.get(name);
      if (text === null) {
        if (header.required) return `the header ${name} is missing`;
        continue;
      }
      const { type, pattern, enum: values } = header.schema as OpenApiNode;
      if (type === 'integer' && !/^\d+$/.test(text)) return `the header ${name} is not a number: ${text}`;
      if (pattern && !new RegExp(pattern).test(text)) return `the header ${name} is out of form: ${text}`;
      if (values && !values.includes(text)) return `the header ${name} is out of form: ${text}`;
    }
    return null;
  }

  private findBodyViolation(
    response: OpenApiNode,
    pointer: string,
    { method, headers, body }: HttpExchange,
  ): string | null {
    if (method === 'HEAD' || response.content === undefined) {
      return body === null ? null : 'there is a body';
    }
    const type = headers.get('content-type')?.split(';')[0];
    if (!type || response.content[type] === undefined) return `the content type is not declared: ${type}`;
    if (response.content[type].schema === undefined) return null;
    const validate = this.getValidator(`${pointer}/${['content', escapePointerToken(type), 'schema'].join('/')}`);
    return validate(body) ? null : this.ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  private getValidator(pointer: string): ValidateFunction {
    let validate = this.validators.get(pointer);
    if (!validate) {
      validate = this.ajv.compile({ $ref: DOCUMENT_KEY + pointer });
      this.validators.set(pointer, validate);
    }
    return validate;
  }

  private resolveReference(part: OpenApiNode): OpenApiNode {
    return part.$ref ? this.resolvePointer(part.$ref as string) : part;
  }

  private resolvePointer(pointer: string): OpenApiNode {
    const names = pointer.slice(2).split('/').map(unescapePointerToken);
    return names.reduce((value, name) => value[name], this.document);
  }
}

function describeEventViolation(place: string, violation: string, data: unknown): string {
  return `openapi.json: ${place}: ${violation}\n${JSON.stringify(data).slice(0, 1_000)}`;
}

/** Returns a JSON pointer as a URI fragment (RFC 6901 §6). The names must not contain characters that need escaping. */
function toPointer(...names: (string | number)[]): string {
  return `#/${names.map((name) => escapePointerToken(String(name))).join('/')}`;
}

const escapePointerToken = (name: string) =>
  encodeURIComponent(name.replace(/~/g, '~0').replace(/\//g, '~1')).replace(/%2B/g, '+');
const unescapePointerToken = (name: string) => decodeURIComponent(name).replace(/~1/g, '/').replace(/~0/g, '~');

/** Rejects paths that cannot be decoded or that encode unreserved characters: they don't exist. */
function isServed(path: string): boolean {
  try {
    decodeURIComponent(path);
    const octets = path.match(/%[2-7][0-9a-f]/gi) ?? [];
    return !octets.some((octet) => /[\w.~-]/.test(decodeURIComponent(octet)));
  } catch {
    return false;
  }
}

/** Folder of the current build. The document of a build lies beside its folder. */
const CURRENT_BUILD = join(__dirname, '..', '..', '..', 'dist');

/** Validators by the folder of the build. Each document is read and compiled once, for all test files of a worker. */
const validators = shareInWorker('conformanceValidators', () => new Map<string, ConformanceValidator[]>());

/** Returns the validator of this build's External API. */
export function getCurrentValidator(): ConformanceValidator {
  return getBuildValidators(CURRENT_BUILD)[0]!;
}

/**
 * Validates a response against the documents of the build that sent it.
 * @param builds folders of the builds, any of which may have sent the response; undefined means the current build
 * @throws ConformanceError with the violation of the last build, if the response violates the documents of each
 */
export function assertConforms(
  httpExchange: HttpExchange,
  builds: readonly (string | undefined)[] = [undefined],
): void {
  let violation: string | null = null;
  for (const build of new Set(builds.map((folder) => folder ?? CURRENT_BUILD))) {
    violation = findFirstViolation(getBuildValidators(build), httpExchange);
    if (!violation) return;
  }
  if (violation) throw new ConformanceError(violation);
}

function findFirstViolation(candidates: readonly ConformanceValidator[], httpExchange: HttpExchange): string | null {
  for (const validator of candidates) {
    const violation = validator.findExchangeViolation(httpExchange);
    if (violation) return violation;
  }
  return null;
}

function getBuildValidators(build: string): ConformanceValidator[] {
  let found = validators.get(build);
  if (!found) {
    const checkout = join(build, '..');
    found = [new ConformanceValidator(readOpenApiDocument(checkout), EXTERNAL_API)];
    if (hasDeviceApiDocument(checkout)) {
      found.push(new ConformanceValidator(readDeviceApiDocument(checkout), DEVICE_API));
    }
    validators.set(build, found);
  }
  return found;
}
