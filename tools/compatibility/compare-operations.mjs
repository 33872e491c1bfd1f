/** Compares one operation of two releases: parameters, request body, responses and security. */
import { compareSchemas } from './compare-schemas.mjs';
import { resolveReference } from './schemas.mjs';

/** Compares two operations, each with the parameters of its path. @param documents of both releases */
export function compareOperations(before, after, documents) {
  const renamed = before.operationId !== after.operationId;
  return [
    ...(renamed
      ? [{ level: 'breaking', rule: 'operation-id-changed', detail: `${before.operationId} → ${after.operationId}` }]
      : []),
    ...compareParameters(before, after, documents),
    ...compareRequestBodies(before, after, documents),
    ...compareResponses(before, after, documents),
    ...compareSecurity(before, after, documents),
  ];
}

function compareParameters(before, after, documents) {
  const changes = [];
  const [old, current] = [indexParameters(before, documents.before), indexParameters(after, documents.after)];
  for (const [key, parameter] of old) {
    const add = (rule) => changes.push({ level: 'breaking', rule, path: key });
    const other = current.get(key);
    if (!other) {
      add('parameter-removed');
      continue;
    }
    if (other.required && !parameter.required) add('parameter-became-required');
    changes.push(...compareSchemas(parameter.schema, other.schema, { documents, direction: 'request', path: key }));
  }
  for (const [key, { required }] of current) {
    if (old.has(key)) continue;
    const rule = required ? 'parameter-required-added' : 'parameter-added';
    changes.push({ level: required ? 'breaking' : 'compatible', rule, path: key });
  }
  return changes;
}

/** Indexes parameters by place and name. Those of the path are matched by position: their names are never sent. */
function indexParameters({ parameters = [], pathNames = [] }, document) {
  const resolved = parameters.map((parameter) => resolveReference(parameter, document));
  return new Map(
    resolved.map((parameter) => {
      const name = parameter.in === 'path' ? pathNames.indexOf(parameter.name) + 1 : parameter.name;
      return [`${parameter.in} parameter ${name}`, parameter];
    }),
  );
}

function compareRequestBodies(before, after, documents) {
  const old = resolveReference(before.requestBody, documents.before);
  const current = resolveReference(after.requestBody, documents.after);
  if (!old && !current) return [];
  if (!current) return [{ level: 'breaking', rule: 'request-body-removed' }];
  if (!old?.required && current.required) return [{ level: 'breaking', rule: 'request-body-became-required' }];
  return compareContent(old?.content, current.content, { documents, direction: 'request', place: 'request' });
}

function compareResponses(before, after, documents) {
  const changes = [];
  for (const [status, response] of Object.entries(before.responses)) {
    const isSuccess = status < '400';
    if (!after.responses[status]) {
      const level = isSuccess ? 'breaking' : 'compatible';
      changes.push({ level, rule: isSuccess ? 'success-status-removed' : 'error-status-removed', path: status });
      continue;
    }
    const old = resolveReference(response, documents.before);
    const current = resolveReference(after.responses[status], documents.after);
    for (const name of Object.keys(old.headers ?? {})) {
      const isKept = current.headers?.[name] !== undefined;
      if (!isKept) changes.push({ level: 'breaking', rule: 'response-header-removed', path: `${status} ${name}` });
    }
    changes.push(...compareContent(old.content, current.content, { documents, direction: 'response', place: status }));
  }
  for (const status of Object.keys(after.responses)) {
    if (before.responses[status]) continue;
    changes.push({ level: 'tolerated', rule: 'status-added', path: status });
  }
  return changes;
}

export function compareContent(before = {}, after = {}, { documents, direction, place }) {
  return Object.entries(before).flatMap(([mediaType, { schema }]) => {
    const other = after[mediaType];
    if (!other) return [{ level: 'breaking', rule: `${direction}-media-type-removed`, path: `${place} ${mediaType}` }];
    return compareSchemas(schema, other.schema, { documents, direction }).map((change) => ({
      ...change,
      path: `${place} ${change.path}`.trim(),
    }));
  });
}

/** Each way to authenticate that was sufficient must still be. */
function compareSecurity(before, after, documents) {
  const old = before.security ?? documents.before.security ?? [];
  const current = after.security ?? documents.after.security ?? [];
  if (current.length === 0) return [];
  const isSufficient = (given) =>
    current.some((wanted) =>
      Object.entries(wanted).every(
        ([name, scopes]) => scopes.every((scope) => given[name]?.includes(scope)) && given[name],
      ),
    );
  const insufficient = (old.length > 0 ? old : [{}]).filter((given) => !isSufficient(given));
  return insufficient.map((given) => ({
    level: 'breaking',
    rule: 'security-added',
    detail: `${JSON.stringify(given)} → ${JSON.stringify(current)}`,
  }));
}
