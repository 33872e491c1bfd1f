import ts from '../typescript-api.mjs';

/** The reference device, the quickstart and the setup are programs of their own, with their own environment. */
const PROGRAMS = ['clients/device/src/', 'clients/quickstart/src/', 'src/programs/setup/'];
/** The proxies of clients are those of their environment. The service passes its own. */
const ENVIRONMENT_READERS = ['src/core/config/', 'packages/forward-proxy/src/', ...PROGRAMS];

/** Besides repositories. All but the first have a reason. */
const STATEMENT_OWNERS = [
  'src/core/database/',
  'src/core/config/',
  ...PROGRAMS,
  // The admin program runs these without the modules and their repositories.
  'src/modules/accounts/account-admin.service.ts',
  'src/modules/accounts/invitations.service.ts',
  'src/modules/relay/audit/relay-call-reader.ts',
  'src/modules/webhooks/subscriptions/secret-reencryption.service.ts',
  // These manage tables, not rows: partitions, and what is left of deleted webhooks in any table.
  'src/modules/webhooks/deliveries/attempt-partition.service.ts',
  'src/modules/webhooks/deliveries/deleted-webhook-cleanup.ts',
];

/** Returns the reads of `process.env` outside of the configuration. */
export function findEnvironmentReads({ path, source }) {
  if (isBelow(path, ENVIRONMENT_READERS) || !source.text.includes('process.env')) return [];
  return findNodes(path, source, (node) => ts.isPropertyAccessExpression(node) && isEnvironment(node));
}

/** Returns the places that look up the handler of a call, apart from `RouteFact`, which does so once. */
export function findHandlerLookUps({ path, source }) {
  if (path === 'src/common/http/route-fact.ts' || !source.text.includes('.getHandler')) return [];
  return findNodes(path, source, (node) => ts.isPropertyAccessExpression(node) && node.name.text === 'getHandler');
}

/** Returns the entities and repositories that a module exports to others. */
export function findExportedTables({ path, source }) {
  if (!/^src\/\w+\/[\w-]+\/index\.ts$/.test(path)) return [];
  return findNodes(path, source, (node) => ts.isExportSpecifier(node) && /(Entity|Repository)$/.test(node.name.text));
}

/** Returns the SQL statements outside of repositories and their infrastructure. */
export function findForeignStatements({ path, source }) {
  if (isBelow(path, STATEMENT_OWNERS) || path.endsWith('.repository.ts')) return [];
  return findNodes(path, source, (node) => ts.isCallExpression(node) && isStatement(node.expression));
}

const isBelow = (path, owners) => owners.some((owner) => path.startsWith(owner));

const isEnvironment = ({ expression, name }) =>
  ts.isIdentifier(expression) && expression.text === 'process' && name.text === 'env';

function isStatement(callee) {
  if (ts.isIdentifier(callee)) return callee.text === 'streamRows';
  return ts.isPropertyAccessExpression(callee) && ['query', 'queryRows'].includes(callee.name.text);
}

function findNodes(path, source, matches) {
  const found = [];
  const visit = (node) => {
    if (matches(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ path, name: `line ${line + 1}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
