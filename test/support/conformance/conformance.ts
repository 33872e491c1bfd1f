import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { Operations } from './operations';
import { closed, readDocument, type Json } from './strict-document';

const ROOT = '/external/v1';
const NAME = 'openapi.json';

/** An exchange as it was seen on the wire. */
export interface Exchange {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  headers: Headers;
  /** Parsed where it is JSON; null: empty */
  body: unknown;
}

/** Holds answers of the External API against its document: a field too many is a fault, as is one too few. */
export class Conformance {
  private readonly document: Json;
  private readonly operations: Operations;
  private readonly ajv: Ajv2020;
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(document: Json = readDocument()) {
    this.document = closed(document);
    this.operations = new Operations(this.document);
    this.ajv = addFormats(new Ajv2020({ strict: false, validateSchema: false, logger: false }));
    this.ajv.addSchema(this.document, NAME);
  }

  /** @throws Error that says how the answer departs from the document */
  check(exchange: Exchange): void {
    const path = exchange.path.split('?')[0]!;
    if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return;
    const fault = this.fault(exchange, path.slice(ROOT.length));
    if (fault) {
      const { method, status, body } = exchange;
      const shown = JSON.stringify(body)?.slice(0, 1_000);
      throw new Error(`openapi.json: ${method} ${path} → ${status}: ${fault}\n${shown}`);
    }
  }

  private fault(exchange: Exchange, path: string): string | null {
    const { method, status, headers } = exchange;
    if (!headers.has('x-request-id')) return 'there is no X-Request-Id';
    if (method === 'OPTIONS') return status === 204 ? null : 'a preflight is answered with 204';
    const found = this.operations.find(path);
    if (!found || !isDecodable(path)) return status === 404 ? null : 'the path is not in the document';
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = found.item[verb] as Json | undefined;
    if (!operation) return status === 405 ? null : 'the method is not in the document';
    const declared = operation.responses[status] as Json | undefined;
    if (!declared) return 'the status is not declared';
    const pointer = (declared.$ref as string | undefined) ?? pointerTo('paths', found.path, verb, 'responses', status);
    const response = this.at(pointer);
    return this.headerFault(response, headers) ?? this.bodyFault(response, pointer, exchange);
  }

  private headerFault(response: Json, headers: Headers): string | null {
    for (const [name, given] of Object.entries<Json>(response.headers)) {
      const header = this.resolve(given);
      const text = headers.get(name);
      if (text === null) {
        if (header.required) return `the header ${name} is missing`;
        continue;
      }
      const { type, pattern, enum: values } = header.schema as Json;
      if (type === 'integer' && !/^\d+$/.test(text)) return `the header ${name} is not a number: ${text}`;
      if (pattern && !new RegExp(pattern).test(text)) return `the header ${name} is out of form: ${text}`;
      if (values && !values.includes(text)) return `the header ${name} is out of form: ${text}`;
    }
    return null;
  }

  private bodyFault(response: Json, pointer: string, { method, headers, body }: Exchange): string | null {
    if (method === 'HEAD' || response.content === undefined) {
      return body === null ? null : 'there is a body';
    }
    const type = headers.get('content-type')?.split(';')[0];
    if (!type || response.content[type] === undefined) return `the content type is not declared: ${type}`;
    if (response.content[type].schema === undefined) return null;
    const validate = this.validator(`${pointer}/${['content', escape(type), 'schema'].join('/')}`);
    return validate(body) ? null : this.ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  private validator(pointer: string): ValidateFunction {
    let validate = this.validators.get(pointer);
    if (!validate) {
      validate = this.ajv.compile({ $ref: NAME + pointer });
      this.validators.set(pointer, validate);
    }
    return validate;
  }

  private resolve(part: Json): Json {
    return part.$ref ? this.at(part.$ref as string) : part;
  }

  private at(pointer: string): Json {
    const names = pointer.slice(2).split('/').map(unescape);
    return names.reduce((value, name) => value[name], this.document);
  }
}

/** A JSON pointer as a URI fragment (RFC 6901 §6), of names without characters that a fragment would escape. */
function pointerTo(...names: (string | number)[]): string {
  return `#/${names.map((name) => escape(String(name))).join('/')}`;
}

const escape = (name: string) => encodeURIComponent(name.replace(/~/g, '~0').replace(/\//g, '~1')).replace(/%2B/g, '+');
const unescape = (name: string) => decodeURIComponent(name).replace(/~1/g, '/').replace(/~0/g, '~');

/** The router takes a path that cannot be decoded for one that does not exist. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

let shared: Conformance | undefined;

/** Checks against the committed document, which is read and compiled once. */
export function assertConforms(exchange: Exchange): void {
  (shared ??= new Conformance()).check(exchange);
}
