/** Compares the OpenAPI documents of two releases. */
import { compareContent, compareOperations } from './compare-operations.mjs';
import { resolveReference } from './schemas.mjs';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/**
 * Returns all changes, each once.
 * `level` is `breaking`, `tolerated` (clients must accept it: docs/guide/versioning.md) or `compatible`.
 * @returns {{ level: string, rule: string, operation: string, path?: string, detail?: string }[]}
 */
export function compareDocuments(before, after) {
  const documents = { before, after };
  const changes = [
    ...comparePathItems(indexOperations(before), indexOperations(after), documents),
    ...compareWebhooks(documents),
  ];
  const byText = new Map(changes.map((change) => [formatChange(change), change]));
  return [...byText.values()];
}

/** Returns one line that names the change. */
export function formatChange({ rule, operation, path, detail }) {
  return [operation, path, rule].filter(Boolean).join(': ') + (detail ? ` (${detail})` : '');
}

function comparePathItems(old, current, documents) {
  const changes = [];
  for (const [key, operation] of old) {
    const other = current.get(key);
    const found = other
      ? compareOperations(operation, other, documents)
      : [{ level: 'breaking', rule: 'operation-removed' }];
    changes.push(...found.map((change) => ({ operation: operation.key, ...change })));
  }
  for (const [key, operation] of current) {
    if (!old.has(key)) changes.push({ level: 'compatible', rule: 'operation-added', operation: operation.key });
  }
  return changes;
}

/** Indexes operations by method and path. The names of path parameters don't matter. */
function indexOperations(document) {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const key = `${method.toUpperCase()} ${path}`;
      const pathNames = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);
      const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
      return [key.replace(/\{[^{}]+\}/g, '{}'), { ...item[method], key, pathNames, parameters }];
    }),
  );
  return new Map(operations);
}

/** The service sends these, so their bodies are compared like responses. */
function compareWebhooks(documents) {
  const current = documents.after.webhooks ?? {};
  return Object.entries(documents.before.webhooks ?? {}).flatMap(([name, { post }]) => {
    const operation = `webhook ${name}`;
    if (!current[name]) return [{ level: 'breaking', rule: 'webhook-removed', operation }];
    const old = resolveReference(post.requestBody, documents.before);
    const body = resolveReference(current[name].post.requestBody, documents.after);
    const changes = compareContent(old?.content, body?.content, { documents, direction: 'response', place: 'body' });
    return changes.map((change) => ({ operation, ...change }));
  });
}
