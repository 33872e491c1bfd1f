import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import metaSchema from '@asyncapi/specs/schemas/3.0.0.json';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CAPABILITIES, RELAY_METHODS } from '@external-api/protocol';
import { findSocketViolation, readSocketDocument } from '../support/device/socket-document';

const ROOT = join(__dirname, '..', '..');
const MODULES = ['device-gateway', 'relay', 'relay-bus'].map((name) => join(ROOT, 'src', 'modules', name));
const DEVICE_ERRORS = join(ROOT, 'packages', 'protocol', 'src', 'device-error.ts');

describe('asyncapi.json', () => {
  const document = readSocketDocument();
  const { messages, schemas } = document.components;

  /** Returns the names of messages that the service sends or receives. */
  const listNames = (action: 'send' | 'receive') =>
    Object.values(document.operations)
      .filter((operation) => operation.action === action)
      .flatMap((operation) => operation.messages.map(({ $ref }) => messages[$ref.split('/').at(-1)!]!.name))
      .sort();

  it('is an AsyncAPI 3.0 document', () => {
    const ajv = addFormats(new Ajv({ strict: false, validateSchema: false, logger: false, meta: false }));
    const validate = ajv.compile(metaSchema);
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...document, operations: { a: { action: 'other' } } })).toBe(false);
  });

  it('contains exactly the messages of the code', () => {
    const sources = MODULES.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /(?<!\.spec)\.ts$/.test(path))
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    );
    const code = sources.join('\n');
    const sent = [...code.matchAll(/\.(?:emit(?:WithAck)?|sendMessage)\(\s*'([a-z:]+)'/g)].map(([, name]) => name!);
    expect(listNames('send')).toEqual([...new Set(sent)].sort());
    const received = /LIVE_PACKET = .*?\(([a-z|]+)\)/.exec(code)![1]!.split('|');
    expect(listNames('receive')).toEqual(received.sort());
  });

  it('has a result for each method', () => {
    const names = RELAY_METHODS.map((method) =>
      method.replace(/(?:^|\.)(.)/g, (_, first: string) => first.toUpperCase()),
    );
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(names.map((name) => `${name}Result`)));
  });

  it('contains exactly the methods, capabilities and error codes of the code', () => {
    const requests = Object.keys(schemas).filter((name) => /(?<!Relay)Request$/.test(name));
    const methods = requests.map((name) => schemas[name].properties.method.const as string);
    expect(methods.sort()).toEqual([...RELAY_METHODS].sort());
    const text = JSON.stringify(messages.hello);
    expect(JSON.parse(text).payload.properties.capabilities.items.enum.sort()).toEqual([...CAPABILITIES].sort());
    const code = readFileSync(DEVICE_ERRORS, 'utf8');
    const codes = /type DeviceErrorCode =([^;]+);/.exec(code)![1]!.match(/[a-z_]+/g)!;
    expect(schemas.RelayAcknowledgement.oneOf[1].properties.error.properties.code.examples).toEqual(codes);
  });

  it('validates messages and acknowledgements', () => {
    expect(findSocketViolation('relay:drain', { withinMs: 5_000 })).toBeNull();
    expect(findSocketViolation('relay:drain', { withinMs: '5' })).toContain('must be integer');
    expect(findSocketViolation('relay:drain', { withinMs: 5, more: 1 })).toContain('additional properties');
    expect(findSocketViolation('relay:other', {})).toContain('is not in the document');
    expect(findSocketViolation('relayAcknowledgement', { ok: true, result: { any: 1 } })).toBeNull();
    expect(findSocketViolation('SessionEndResult', { state: 'ended' })).toBeNull();
    expect(findSocketViolation('SessionEndResult', { state: 'idle' })).not.toBeNull();
    expect(
      findSocketViolation('relayAcknowledgement', { ok: false, error: { code: 'a b', message: '' } }),
    ).not.toBeNull();
  });
});
