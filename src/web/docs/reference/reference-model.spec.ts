import type { OpenApiDocument } from './openapi-types';
import { API_REFERENCE, DEVICE_API_REFERENCE } from './reference-definitions';
import { writeOverviewMarkdown, writeTagMarkdown } from './reference-markdown';
import { buildReferenceModel, type ReferenceOperation } from './reference-model';
import { buildRequestSamples } from './request-samples';
import { writeOperationMarkdown } from './operation-markdown';

const PROBLEM = {
  description: '`not_found`: x',
  content: { 'application/problem+json': { examples: { not_found: { value: { code: 'not_found' } } } } },
};
const DOCUMENT: OpenApiDocument = {
  info: { title: 'API', version: '1', description: 'An API.' },
  servers: [{ url: 'https://host.example/external/v1' }],
  tags: [{ name: 'Things', description: 'All things.' }, { name: 'Empty' }],
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'changeThing',
        tags: ['Things'],
        summary: 'Change a thing',
        security: [{ bearer: ['things:write'] }],
        'x-required-scopes': ['things:write'],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'thg 1' },
          { $ref: '#/components/parameters/Idempotency-Key' },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { type: 'object', properties: { text: {} } },
              example: { text: "it's", ok: true, none: null },
            },
          },
        },
        responses: {
          '200': { description: 'Done.', content: { 'application/json': { example: { a: 1 } } } },
          '404': { $ref: '#/components/responses/NotFound' },
          '429': { description: 'Too many.' },
        },
      },
    },
    '/v1/stream': {
      servers: [{ url: 'https://host.example' }],
      get: {
        operationId: 'stream',
        tags: ['Things'],
        security: [{ bearer: [] }, { oauth: [] }],
        responses: { '200': { description: 'Events.', content: { 'text/event-stream': {} } } },
      },
    },
  },
  webhooks: {
    'thing.changed': {
      post: {
        operationId: 'thingChanged',
        summary: 'A thing has changed',
        requestBody: { content: { 'application/json': { example: { type: 'thing.changed' } } } },
        responses: {},
      },
    },
  },
  components: {
    parameters: { 'Idempotency-Key': { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } } },
    responses: { NotFound: PROBLEM },
  },
};

describe('the reference of a document', () => {
  const model = buildReferenceModel(DOCUMENT, API_REFERENCE);
  const [change, stream] = model.tags[0]!.operations;

  it('groups operations by tag, without empty tags, and appends the events of webhooks', () => {
    expect(model.tags.map(({ slug, operations }) => [slug, operations.map(({ id }) => id)])).toEqual([
      ['things', ['changeThing', 'stream']],
      ['webhook-events', ['thing.changed']],
    ]);
    expect(model.tags[1]!.operations[0]).toMatchObject({
      method: '',
      path: 'thing.changed',
      summary: 'A thing has changed',
    });
  });

  it('resolves paths, parameters and credentials', () => {
    expect([change!.path, stream!.path]).toEqual(['/external/v1/things/{id}', '/v1/stream']);
    expect(change!.parameters.map(({ name, in: place }) => [name, place])).toEqual([
      ['id', 'path'],
      ['Idempotency-Key', 'header'],
    ]);
    expect([change!.credential, stream!.credential]).toEqual(['personal-token', 'token']);
  });

  it('sends what a reader can send from a browser', () => {
    const operation = (security: Record<string, string[]>[], more = {}) => ({
      get: { security, tags: ['Things'], responses: {}, ...more },
    });
    const schema = { properties: { signature: { type: 'string' } } };
    const paths = {
      '/open': operation([]),
      '/device': operation([{ device: [] }, { login: [], csrf: [] }]),
      '/signed': operation([], { requestBody: { content: { 'application/json': { schema } } } }),
      '/redirect': operation([], { responses: { 303: { description: 'Elsewhere.' } } }),
    };
    const read = (definition: typeof API_REFERENCE) =>
      buildReferenceModel({ ...DOCUMENT, paths, webhooks: {} }, definition).tags[0]!.operations;
    expect(read(API_REFERENCE).map(({ sending }) => sending)).toEqual(['offered', 'offered', 'offered', 'none']);
    const ofDevices = read(DEVICE_API_REFERENCE);
    expect(ofDevices.map(({ sending }) => sending)).toEqual(['offered', 'device-only', 'device-only', 'none']);
    expect(ofDevices.map(({ acceptsLogin }) => acceptsLogin)).toEqual([false, true, false, false]);
    expect(buildRequestSamples(ofDevices[1]!, model.publicUrl)[0]!.code).toContain('Bearer $DEVICE_TOKEN');
  });

  it('has an entry per error code, and one for a response without codes', () => {
    expect(change!.errors.map(({ status, code, title }) => [status, code, title])).toEqual([
      ['404', 'not_found', 'Not found'],
      ['429', null, 'Too many.'],
    ]);
  });

  it('writes the same request in four languages', () => {
    const [curl, js, python, go] = buildRequestSamples(change!, model.publicUrl).map(({ code }) => code);
    expect(curl).toBe(`curl -H "Authorization: Bearer $TOKEN" \\
  -H "Idempotency-Key: $(openssl rand -hex 16)" \\
  -H 'Content-Type: application/json' \\
  -d '{
  "text": "it'\\''s",
  "ok": true,
  "none": null
}' \\
  'https://host.example/external/v1/things/thg%201'`);
    expect(js).toContain("method: 'POST'");
    expect(js).toContain('Authorization: `Bearer ${process.env.TOKEN}`');
    expect(js).toContain("'Idempotency-Key': crypto.randomUUID()");
    expect(python).toContain('"none": None');
    expect(python).toContain('"ok": True');
    expect(python).toContain('import uuid');
    expect(go).toContain('request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))');
    for (const code of [curl, js, python, go])
      expect(code).toContain('https://host.example/external/v1/things/thg%201');
  });

  it('reads streams in the samples instead of waiting for their end', () => {
    const [curl, js, python] = buildRequestSamples(stream!, model.publicUrl).map(({ code }) => code);
    expect(curl).toContain('curl -N ');
    expect(js).toContain('for await (const text of response.body');
    expect(python).toContain('stream=True');
  });

  it('writes the first page and the page of a tag as Markdown', () => {
    const line = '- [Change a thing](/docs/reference/things/changeThing): `POST /external/v1/things/{id}`';
    const overview = writeOverviewMarkdown(model);
    expect(overview).toContain('# API reference\n\nAll requests go to `https://host.example`.');
    expect(overview).toContain(`## [Things](/docs/reference/things)\n\nAll things.\n\n${line}`);
    expect(writeTagMarkdown(model.tags[0]!)).toContain(`# Things\n\nAll things.\n\n${line}`);
  });

  it('says which operations and fields are deprecated, as Markdown', () => {
    const note = '**Deprecated.** See [Deprecations](https://host.example/docs/deprecations).';
    const write = (operation: ReferenceOperation) => writeOperationMarkdown(operation, model.publicUrl);
    const parameters = change!.parameters.map((field, index) => ({ ...field, isDeprecated: index === 0 }));
    expect(write({ ...change!, isDeprecated: true, parameters })).toMatch(
      /`POST \/external\/v1\/things\/\{id\}`\n\n\*\*Deprecated\.\*\*/,
    );
    expect(write({ ...change!, isDeprecated: true })).toContain(note);
    expect(write({ ...change!, parameters })).toContain('- `id` (string, path, required, deprecated)');
    expect(write(change!)).not.toMatch(/deprecated/i);
  });

  it('writes operations and events as Markdown', () => {
    const markdown = writeOperationMarkdown(change!, model.publicUrl);
    expect(markdown).toContain('# Change a thing\n\n`POST /external/v1/things/{id}`');
    expect(markdown).toContain('Credential: Personal access token\n\nScopes: `things:write`\n');
    expect(markdown).toContain('- `id` (string, path, required)');
    expect(markdown).toContain('- 404 [`not_found`](https://host.example/docs/errors#not_found)');
    expect(writeOperationMarkdown(model.tags[1]!.operations[0]!, model.publicUrl)).toContain(
      'Webhook event `thing.changed`',
    );
  });
});
