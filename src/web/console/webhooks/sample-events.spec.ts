import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Config } from '../../../core/config';
import { EVENT_TYPES } from '../../../core/events';
import { OpenApiDocumentService } from '../../openapi';
import { SampleEventBuilder } from './sample-events';

const document = new OpenApiDocumentService({ publicUrl: 'https://external-api.example' } as Config);
const builder = new SampleEventBuilder(document);
const types = EVENT_TYPES.filter((type) => type !== 'webhook.test');

/** Schemas of the records, by the first part of the event type. */
const SCHEMAS: Record<string, string> = {
  session: 'Session',
  message: 'Message',
  turn: 'Turn',
  permission: 'PermissionRequest',
  queued_message: 'QueuedMessage',
  machine: 'Machine',
  invocation: 'Invocation',
  artifact: 'Artifact',
  key_grant: 'KeyGrant',
  token: 'ExternalToken',
  webhook: 'Webhook',
};

describe('SampleEventBuilder', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  void ajv.addSchema(JSON.parse(document.externalApi.text) as object, 'openapi');

  it.each(types.filter((type) => !type.startsWith('relay.')))('builds a record of the API for %s', (type) => {
    const schema = SCHEMAS[type.split('.')[0]!]!;
    const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`)!;
    const sample = builder.buildSampleData(type);
    void validate(sample);
    expect(validate.errors).toBeNull();
    expect(Object.keys(sample)).toEqual(Object.keys(document.buildExample(schema)));
  });

  it.each([
    ['session.ended', { state: 'ended', endedAt: expect.any(Number) }],
    ['turn.started', { state: 'running', usage: null, cost: null, endedAt: null }],
    ['turn.ended', { state: 'completed', endedAt: expect.any(Number) }],
    ['permission.requested', { state: 'pending', decidedAt: null }],
    ['permission.decided', { state: 'allowed', decidedAt: expect.any(Number), decidedBy: expect.any(Object) }],
    ['machine.offline', { state: 'offline' }],
    ['token.revoked', { state: 'revoked' }],
    ['relay.failed', { outcome: 'timeout', machineId: expect.stringMatching(/^mch_/) }],
  ] as const)('shows the state after %s', (type, expected) => {
    expect(builder.buildSampleData(type)).toMatchObject(expected);
  });

  it('has no sample of a test event, whose data is the webhook itself', () => {
    expect(() => builder.buildSampleData('webhook.test')).toThrow('have no sample');
  });
});
