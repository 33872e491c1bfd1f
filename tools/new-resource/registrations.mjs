/** Registers a resource, its scopes and its events in the shared files of the service. */
import { addEntries, addEntryAfter, addImport, addTableRows, applyEdits } from './edits.mjs';

/** Every webhook receives it without a scope, so lists of event types end with it. */
const LAST_EVENT_TYPE = 'webhook.test';

/**
 * Returns the texts of the shared files with the new entries by path.
 * @throws Error if a declaration or table is missing
 */
export function registrations(names, { scopes, eventTypes }) {
  return applyEdits([
    ...moduleEdits(names),
    ...scopes.added.flatMap((scope) => scopeEdits(scope, names)),
    ...(eventTypes.length > 0 ? eventEdits(eventTypes, scopes.read, names) : []),
  ]);
}

function moduleEdits(names) {
  const { Items, epoch } = names;
  const plural = names['items-file'];
  const migration = `Create${Items}${epoch}`;
  return [
    ['src/common/resources.ts', addEntries('RESOURCES', catalogueEntry(names))],
    ['src/app.module.ts', addImport(`${Items}Module`, `./modules/${plural}`)],
    ['src/app.module.ts', addEntryAfter('WebhooksModule', `${Items}Module,`)],
    ['migrations/index.ts', addImport(migration, `./${epoch}-create-${plural}`)],
    ['migrations/index.ts', addEntries('migrations', `${migration},`)],
  ];
}

function catalogueEntry(names) {
  const plural = names['items-file'];
  const what = names['items words'];
  return `'${plural}': {
    noun: '${names['item words']}',
    idPrefix: '${names.prefix}',
    tag: { name: '${names['Items words']}', description: 'The ${what} of the account.' },
    devicePermissions: {
      '${plural}.write': { account: 'any', machine: 'no', what: '${names.changes} ${what}' },
      '${plural}.read': { account: 'any', machine: 'no', what: 'read ${what} back' },
    },
  },`;
}

function scopeEdits(scope, names) {
  const what = names['items words'];
  const isRead = scope.endsWith(':read');
  const description = isRead ? `List ${what}` : `Create, change and delete ${what}`;
  const label = isRead ? `See your ${what}` : `Create, change and delete your ${what}`;
  return [
    ['src/access/auth/scopes.ts', addEntries('SCOPES', `'${scope}': '${description}',`)],
    ['src/web/console/components/scope-labels.ts', addEntries('SCOPE_LABELS', `'${scope}': { text: '${label}' },`)],
    ['docs/guide/authentication.md', addTableRows('Scope', [[`\`${scope}\``, description]])],
  ];
}

function eventEdits(types, scope, names) {
  const lines = (format) => types.map(format).join('\n  ');
  const quoted = types.map((type) => `'${type}'`);
  const label = (type) => `${names['A item']} is ${type.split('.')[1]}`;
  const eventAccess = 'src/modules/event-access';
  const labels = 'src/web/console/webhooks/event-labels.ts';
  const catalog = 'src/web/openapi/document/event-catalog.ts';
  const definition = (type) => `{ model: ${names.Item}Dto, when: '${label(type).toLowerCase()}' }`;
  return [
    [catalog, addImport(`${names.Item}Dto`, `../../../modules/${names['items-file']}`)],
    [
      catalog,
      addEntries(
        'EVENTS',
        lines((type) => `'${type}': ${definition(type)},`),
        LAST_EVENT_TYPE,
      ),
    ],
    [
      'src/core/events/domain-event.ts',
      addEntries(
        'EVENT_TYPES',
        lines((type) => `'${type}',`),
        LAST_EVENT_TYPE,
      ),
    ],
    [
      `${eventAccess}/event-access.ts`,
      addEntries(
        'REQUIRED_ACCESS',
        lines((type) => `'${type}': '${scope}',`),
        LAST_EVENT_TYPE,
      ),
    ],
    [
      `${eventAccess}/event-access.spec.ts`,
      addEntries(
        'SCOPED_EVENTS',
        lines((type) => `['${type}', '${scope}'],`),
      ),
    ],
    [
      labels,
      addEntries(
        'EVENT_LABELS',
        lines((type) => `'${type}': '${label(type)}',`),
        LAST_EVENT_TYPE,
      ),
    ],
    [labels, addEntries('EVENT_GROUPS', `{ name: '${names['Items words']}', types: [${quoted.join(', ')}] },`)],
    [
      'docs/guide/webhooks.md',
      addTableRows(
        'Types',
        [[types.map((type) => `\`${type}\``).join(', '), `\`${scope}\``]],
        `\`${LAST_EVENT_TYPE}\``,
      ),
    ],
  ];
}
