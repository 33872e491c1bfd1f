import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shareInWorker } from '../worker-state';

const FILE = join(__dirname, '..', '..', '..', 'docs', 'protocol', 'asyncapi.json');
const KEY = 'asyncapi.json';

interface SocketDocument {
  operations: Record<string, { action: 'send' | 'receive'; messages: { $ref: string }[] }>;
  components: { messages: Record<string, { name?: string }>; schemas: Record<string, any> };
}

const violations: string[] = [];

export function readSocketDocument(): SocketDocument {
  return JSON.parse(readFileSync(FILE, 'utf8')) as SocketDocument;
}

/** Returns the violations of a message, or of a schema, where unknown members are violations; null: none. */
export function findSocketViolation(name: string, payload: unknown): string | null {
  const { ajv, validators } = shareInWorker('socketValidators', compileValidators);
  const validate = validators.get(name);
  if (!validate) return `asyncapi.json: ${name} is not in the document`;
  if (validate(payload)) return null;
  return `asyncapi.json: ${name}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(payload)?.slice(0, 1_000)}`;
}

/** Validates a message, or a part of it by a schema. A violation fails the present test when it ends. */
export function recordSocketViolation(name: string, payload: unknown): void {
  const violation = findSocketViolation(name, payload);
  if (violation) violations.push(violation);
}

/** @throws Error with the violations since the last call */
export function throwSocketViolations(): void {
  const found = violations.splice(0);
  if (found.length > 0) throw new Error(found.join('\n\n'));
}

function compileValidators(): { ajv: Ajv2020; validators: Map<string, ValidateFunction> } {
  const document = readSocketDocument();
  refuseUnknownMembers(document.components);
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
  ajv.addSchema(document, KEY);
  const { messages, schemas } = document.components;
  const compile = (pointer: string) => ajv.compile({ $ref: `${KEY}#/components/${pointer}` });
  const validators = new Map([
    ...Object.entries(messages).map(([key, { name }]) => [name ?? key, compile(`messages/${key}/payload`)] as const),
    ...Object.keys(schemas).map((name) => [name, compile(`schemas/${name}`)] as const),
  ]);
  return { ajv, validators };
}

function refuseUnknownMembers(node: any): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node.required) && node.properties) node.additionalProperties = false;
  for (const value of Object.values(node)) refuseUnknownMembers(value);
}
