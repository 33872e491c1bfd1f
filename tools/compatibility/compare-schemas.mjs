/** Compares what two releases accept in requests (`request`) and send in responses and events (`response`). */
import { listVariants } from './schemas.mjs';
import { compareValues } from './compare-values.mjs';

/** Compares two schemas. @param documents of both releases @param direction `request` or `response` */
export function compareSchemas(before, after, { documents, direction, path = '', seen = new Set() }) {
  if (before === undefined || after === undefined) return [];
  const pair = `${direction} ${before.$ref} ${after.$ref}`;
  if (before.$ref && after.$ref) {
    if (seen.has(pair)) return [];
    seen = new Set([...seen, pair]);
  }
  const context = { documents, direction, path, seen };
  const oldVariants = listVariants(before, documents.before);
  const newVariants = listVariants(after, documents.after);
  if (oldVariants.length === 1 && newVariants.length === 1) {
    return compareVariant(oldVariants[0], newVariants[0], context);
  }
  return compareVariants(oldVariants, newVariants, context);
}

/**
 * Each old variant of a request must match a new one. In a response, variants may be added, and those that were sent
 * must still exist. Variants are matched by their component's name, or by what they contain.
 */
function compareVariants(oldVariants, newVariants, context) {
  const { direction, path } = context;
  const results = oldVariants.map((before) =>
    newVariants.map((after) => ({ before, after, changes: compareVariant(before, after, context) })),
  );
  const matched = results.map((candidates, index) => findMatch(candidates, oldVariants[index]));
  const changes = matched.flatMap((match, index) => {
    if (match) return match.changes;
    return [{ level: 'breaking', rule: `${direction}-variant-removed`, path, detail: describe(oldVariants[index]) }];
  });
  const known = new Set(matched.map((match) => match?.after));
  const level = direction === 'response' ? 'tolerated' : 'compatible';
  const added = newVariants.filter((variant, index) => {
    const isSimilar = results.some((candidates) => !candidates[index].changes.some(isBreaking));
    return !known.has(variant) && !isSimilar;
  });
  for (const variant of added) {
    changes.push({ level, rule: `${direction}-variant-added`, path, detail: describe(variant) });
  }
  return changes;
}

function findMatch(candidates, before) {
  const match = candidates.find(({ changes }) => !changes.some(isBreaking));
  return match ?? candidates.find(({ after }) => before.name !== undefined && after.name === before.name);
}

function compareVariant(before, after, context) {
  return [
    ...compareTypes(before, after, context),
    ...compareValues(before, after, context),
    ...compareProperties(before, after, context),
    ...compareMembers(before, after, context),
  ];
}

function compareTypes(before, after, { direction, path }) {
  const isResponse = direction === 'response';
  const [given, allowed] = isResponse ? [after, before] : [before, after];
  if (!allowed.types) return [];
  const types = given.types ? [...given.types] : ['any'];
  const covers = (type) => allowed.types.has(type) || (type === 'integer' && allowed.types.has('number'));
  const others = types.filter((type) => !covers(type));
  if (others.length === 0) return [];
  const detail = `${describeTypes(before)} → ${describeTypes(after)}`;
  if (!isResponse) return [{ level: 'breaking', rule: 'request-type-narrowed', path, detail }];
  const rule = others.every((type) => type === 'null') ? 'response-became-nullable' : 'response-type-changed';
  return [{ level: 'breaking', rule, path, detail }];
}

function compareProperties(before, after, context) {
  const { direction, path } = context;
  const changes = [];
  const add = (level, rule, name) =>
    changes.push({ level, rule: `${direction}-property-${rule}`, path: join(path, name) });
  for (const [name, schema] of Object.entries(before.properties)) {
    const [was, is] = [before.required.has(name), after.required.has(name)];
    if (after.properties[name] === undefined) add('breaking', 'removed', name);
    else if (direction === 'response' && was && !is) add('breaking', 'became-optional', name);
    else if (direction === 'request' && !was && is) add('breaking', 'became-required', name);
    changes.push(...compareSchemas(schema, after.properties[name], { ...context, path: join(path, name) }));
  }
  for (const name of Object.keys(after.properties)) {
    if (before.properties[name] !== undefined) continue;
    const isRequired = direction === 'request' && after.required.has(name);
    add(isRequired ? 'breaking' : 'compatible', isRequired ? 'required-added' : 'added', name);
  }
  return changes;
}

/** Compares the items of arrays and the values of maps. */
function compareMembers(before, after, context) {
  const keywords = { items: '[]', additionalProperties: '{}' };
  return Object.entries(keywords).flatMap(([keyword, suffix]) => {
    const [left, right] = [before.schema[keyword], after.schema[keyword]];
    if (typeof left !== 'object' || typeof right !== 'object') return [];
    return compareSchemas(left, right, { ...context, path: context.path + suffix });
  });
}

const isBreaking = ({ level }) => level === 'breaking';
const describe = (variant) => variant.name ?? describeTypes(variant);
const describeTypes = ({ types }) => (types ? [...types].join('|') : 'any');
const join = (path, name) => (path ? `${path}.${name}` : name);
