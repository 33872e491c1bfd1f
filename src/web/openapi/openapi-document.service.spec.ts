import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Config } from '../../core/config';
import { EVENT_TYPES, EVENTS } from '../../core/events';
import { getComponentName } from './json-schema';
import { OpenApiDocumentService } from './openapi-document.service';

const document = new OpenApiDocumentService({ publicUrl: 'https://external-api.example' } as Config);
const api = JSON.parse(document.externalApi.text) as { components: { schemas: Record<string, any> } };

describe('samples of events', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  void ajv.addSchema(api, 'openapi');

  it.each(EVENT_TYPES)('are records of the API for %s, with documented values', (type) => {
    const name = getComponentName(EVENTS[type].data);
    const validate = ajv.getSchema(`openapi#/components/schemas/${name}`)!;
    const sample = document.buildEventSample(type) as Record<string, unknown>;
    void validate(sample);
    expect(validate.errors).toBeNull();
    const { properties } = api.components.schemas[name];
    expect(Object.keys(sample)).toEqual(Object.keys(properties));
    for (const [member, value] of Object.entries(sample).filter(([, each]) => each !== null)) {
      const values = properties[member]['x-extensible-enum'] as unknown[] | undefined;
      expect([member, values?.includes(value) ?? true]).toEqual([member, true]);
    }
  });

  it.each([
    ['session.ended', { state: 'ended', endedAt: expect.any(Number) }],
    ['turn.started', { state: 'running', usage: null, cost: null, endedAt: null }],
    ['turn.ended', { state: 'completed', endedAt: expect.any(Number) }],
    ['permission.requested', { state: 'pending', decidedAt: null }],
    ['permission.decided', { state: 'allowed', decidedAt: expect.any(Number), decidedBy: expect.any(Object) }],
    ['machine.offline', { state: 'offline' }],
    ['token.revoked', { state: 'revoked' }],
    ['relay.failed', { outcome: 'unknown', machineId: expect.stringMatching(/^mch_/) }],
  ] as const)('show the state after %s', (type, expected) => {
    expect(document.buildEventSample(type)).toMatchObject(expected);
  });
});
