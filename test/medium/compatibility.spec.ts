import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '../support/temp-folder';

const ROOT = join(__dirname, '..', '..');

type Node = Record<string, any>;
type Edit = (operation: Node, document: Node) => void;

/** Document of the release that the edits of a test change. */
function createDocument(): Node {
  const note = {
    type: 'object',
    required: ['id', 'state'],
    properties: { id: { type: 'string' }, state: { enum: ['open', 'closed'] }, size: { type: 'integer' } },
  };
  const content = { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Note' }] } } };
  const body = {
    type: 'object',
    required: ['text'],
    properties: {
      text: { type: 'string', maxLength: 10 },
      color: { enum: ['red', 'blue'] },
      count: { type: ['number', 'null'] },
      next: { $ref: '#/components/schemas/Tree' },
    },
  };
  const tree = { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } };
  const post = {
    operationId: 'createNote',
    security: [{ bearer: ['notes:write'] }],
    parameters: [
      { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
      { in: 'query', name: 'order', schema: { type: 'string' } },
    ],
    requestBody: { content: { 'application/json': { schema: body }, 'text/plain': { schema: { type: 'string' } } } },
    responses: {
      '200': { headers: { ETag: {} }, content },
      '403': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Forbidden' } } } },
    },
  };
  const problem = (code: string) => ({ type: 'object', properties: { code: { const: code } } });
  return {
    paths: { '/boxes/{id}/notes': { post }, '/notes': { get: { operationId: 'listNotes', responses: {} } } },
    webhooks: { 'note.created': { post: { requestBody: { content } } } },
    components: { schemas: { Note: note, Tree: tree, Forbidden: problem('forbidden'), Late: problem('late') } },
  };
}

const getBody = (post: Node) => post.requestBody.content['application/json'].schema;
const getNote = (document: Node) => document.components.schemas.Note;

const BREAKING: [rule: string, edit: Edit][] = [
  ['operation-removed', (_post, document) => delete document.paths['/notes']],
  ['operation-id-changed', (post) => (post.operationId = 'addNote')],
  ['parameter-removed', (post) => post.parameters.pop()],
  ['parameter-required-added', (post) => post.parameters.push({ in: 'query', name: 'limit', required: true })],
  ['parameter-became-required', (post) => (post.parameters[1].required = true)],
  ['request-type-narrowed', (post) => (post.parameters[1].schema.type = 'integer')],
  ['request-type-narrowed', (post) => (getBody(post).properties.count.type = 'number')],
  ['request-type-narrowed', (post) => (getBody(post).properties.count.type = ['integer', 'null'])],
  ['request-property-removed', (post) => delete getBody(post).properties.color],
  ['request-property-required-added', (post) => addRequired(getBody(post), 'size')],
  ['request-property-became-required', (post) => getBody(post).required.push('color')],
  ['request-value-removed', (post) => getBody(post).properties.color.enum.pop()],
  ['request-value-removed', (post) => (getBody(post).properties.text.enum = ['a'])],
  ['request-limit-narrowed', (post) => (getBody(post).properties.text.maxLength = 9)],
  ['request-limit-narrowed', (post) => (getBody(post).properties.text.minLength = 1)],
  ['request-limit-narrowed', (post) => (getBody(post).properties.text.pattern = '^a')],
  ['request-media-type-removed', (post) => delete post.requestBody.content['text/plain']],
  ['request-body-became-required', (post) => (post.requestBody.required = true)],
  ['request-body-removed', (post) => delete post.requestBody],
  ['response-property-removed', (_post, document) => delete getNote(document).properties.size],
  ['response-property-became-optional', (_post, document) => getNote(document).required.pop()],
  ['response-became-nullable', (_post, document) => (getNote(document).properties.id.type = ['string', 'null'])],
  ['response-became-nullable', (_post, document) => makeNullable(getNote(document).properties, 'id')],
  ['response-type-changed', (_post, document) => (getNote(document).properties.size.type = 'number')],
  ['response-values-replaced', (_post, document) => (getNote(document).properties.state.enum = ['new'])],
  ['response-variant-removed', (_post, document) => setForbidden(document, ['Late', 'Tree'])],
  ['response-media-type-removed', (post) => (post.responses['200'].content = {})],
  ['response-header-removed', (post) => delete post.responses['200'].headers.ETag],
  ['success-status-removed', (post) => renameStatus(post, '200', '201')],
  ['security-added', (post) => post.security[0].bearer.push('notes:admin')],
  ['security-added', (_post, document) => (document.paths['/notes'].get.security = [{ bearer: [] }])],
  ['webhook-removed', (_post, document) => delete document.webhooks['note.created']],
];

const TOLERATED: [rule: string, edit: Edit][] = [
  ['response-value-added', (_post, document) => getNote(document).properties.state.enum.push('new')],
  ['response-variant-added', (_post, document) => setForbidden(document, ['Forbidden', 'Late'])],
  ['status-added', (post) => (post.responses['409'] = {})],
];

const COMPATIBLE: [rule: string, edit: Edit][] = [
  ['operation-added', (_post, document) => (document.paths['/boxes'] = { get: { responses: {} } })],
  ['parameter-added', (post) => post.parameters.push({ in: 'query', name: 'limit' })],
  ['request-property-added', (post) => (getBody(post).properties.size = { type: 'integer' })],
  ['response-property-added', (_post, document) => (getNote(document).properties.size2 = {})],
  ['error-status-removed', (post) => delete post.responses['403']],
];

/** Edits after which no caller sees a difference. */
const EQUIVALENT: Edit[] = [
  (_post, document) => renamePathParameter(document),
  (post) => (getBody(post).properties.text.maxLength = 11),
  (_post, document) => (getNote(document).properties.state.enum = ['open']),
  (post, document) => (post.responses['200'].content['application/json'].schema = getNote(document)),
  (post) => post.security.push({ oauth: [] }),
];

describe('check:compatibility', () => {
  let folder: string;
  beforeEach(() => {
    folder = createTempFolder();
    cpSync(join(ROOT, 'tools'), join(folder, 'tools'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    // The numbers of releases are compared, not their texts.
    writeJson('docs/releases/0.9.0/openapi.json', { paths: { '/gone': { get: { responses: {} } } } });
    writeJson('docs/releases/0.10.0/openapi.json', createDocument());
    writeJson('docs/releases/intended-changes.json', []);
  });

  function writeJson(path: string, value: unknown): void {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
  }

  function checkEdit(edit: Edit, intended: unknown[] = []) {
    const document = createDocument();
    edit(document.paths['/boxes/{id}/notes'].post as Node, document);
    writeJson('openapi.json', document);
    writeJson('docs/releases/intended-changes.json', intended);
    const args = [join(folder, 'tools', 'check-compatibility.mjs'), '--list'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  it.each(BREAKING)('fails on %s (%#)', (rule, edit) => {
    const { status, stdout, stderr } = checkEdit(edit);
    expect(stderr).toMatch(new RegExp(`^Breaking since 0\\.10\\.0: .*: ${rule}( \\(|$)`, 'm'));
    expect(stdout).not.toContain('\n0 breaking');
    expect(status).toBe(1);
  });

  it('compares the document of the device API once a release has one', () => {
    writeJson('docs/protocol/device-openapi.json', { paths: {} });
    expect(checkEdit(() => {}).status).toBe(0);
    writeJson('docs/releases/0.10.0/device-openapi.json', createDocument());
    const { status, stderr } = checkEdit(() => {});
    expect([status, stderr]).toEqual([1, expect.stringContaining('0.10.0: GET /notes: operation-removed')]);
  });

  it.each(TOLERATED)('lists %s', (rule, edit) => {
    const { status, stdout, stderr } = checkEdit(edit);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`[1-9] tolerated changes since 0\\.10\\.0\\n.*: ${rule}`));
  });

  it.each(COMPATIBLE)('accepts %s', (rule, edit) => {
    const { status, stdout, stderr } = checkEdit(edit);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`[1-9] compatible changes since 0\\.10\\.0\\n.*: ${rule}`));
  });

  it.each(EQUIVALENT.map((edit) => [edit]))('reports nothing for equivalent documents (%#)', (edit) => {
    const { status, stdout } = checkEdit(edit);
    expect(stdout.match(/^\d+ \w+/gm)).toEqual(['0 breaking', '0 tolerated', '0 compatible']);
    expect(status).toBe(0);
  });

  it('accepts intended changes with a reason, and no other entries', () => {
    const edit: Edit = (_post, document) => delete document.paths['/notes'];
    const change = 'GET /notes: operation-removed';
    expect(checkEdit(edit, [{ change, reason: 'Nobody called it.' }]).status).toBe(0);
    expect(checkEdit(edit, [{ change: 'GET /notes*', reason: 'Nobody called it.' }]).status).toBe(0);
    const withoutReason = checkEdit(edit, [{ change, reason: ' ' }]);
    expect([withoutReason.status, withoutReason.stderr]).toEqual([
      1,
      `docs/releases/intended-changes.json: Without a reason: ${change}\n`,
    ]);
    const unused = checkEdit(() => {}, [{ change, reason: 'Nobody called it.' }]);
    expect([unused.status, unused.stderr]).toEqual([
      1,
      `docs/releases/intended-changes.json: Matches no breaking change: ${change}\n`,
    ]);
  });
});

function addRequired(schema: Node, name: string): void {
  schema.properties[name] = { type: 'integer' };
  schema.required.push(name);
}

function makeNullable(properties: Node, name: string): void {
  properties[name] = { anyOf: [properties[name], { type: 'null' }] };
}

function setForbidden(document: Node, names: string[]): void {
  const oneOf = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  document.paths['/boxes/{id}/notes'].post.responses['403'].content['application/json'].schema = { oneOf };
}

function renameStatus({ responses }: Node, from: string, to: string): void {
  responses[to] = responses[from];
  delete responses[from];
}

function renamePathParameter({ paths }: Node): void {
  paths['/boxes/{boxId}/notes'] = paths['/boxes/{id}/notes'];
  delete paths['/boxes/{id}/notes'];
  paths['/boxes/{boxId}/notes'].post.parameters[0].name = 'boxId';
}
