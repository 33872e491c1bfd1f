/** Compares enumerations, limits, patterns and formats of two schemas. */

const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
/** Any new value of these in a request may reject what was accepted. */
const CONDITIONS = ['pattern', 'format', 'multipleOf', 'uniqueItems'];

export function compareValues(before, after, { direction, path }) {
  const changes = direction === 'response' ? compareSent(before, after) : compareAccepted(before, after);
  return changes.map((change) => ({ ...change, path }));
}

/** The contract allows new values (docs/guide/versioning.md), but not that all known ones are replaced. */
function compareSent(before, after) {
  if (!before.values) return [];
  if (!after.values) return [{ level: 'tolerated', rule: 'response-value-added', detail: 'any value' }];
  const added = findMissing(after.values, before.values);
  if (added.length === 0) return [];
  const detail = added.map((value) => JSON.stringify(value)).join(', ');
  const isReplaced = added.length === after.values.length;
  return [
    isReplaced
      ? { level: 'breaking', rule: 'response-values-replaced', detail }
      : { level: 'tolerated', rule: 'response-value-added', detail },
  ];
}

function compareAccepted(before, after) {
  const changes = [];
  const add = (rule, detail) => changes.push({ level: 'breaking', rule, detail });
  if (after.values) {
    const removed = before.values ? findMissing(before.values, after.values) : ['others'];
    if (removed.length > 0) add('request-value-removed', removed.map((value) => JSON.stringify(value)).join(', '));
  }
  const narrows = (keyword, isNarrower) => {
    const [was, is] = [before.schema[keyword], after.schema[keyword]];
    if (is === undefined || is === was || is === false) return;
    if (was === undefined || isNarrower(was, is)) add('request-limit-narrowed', `${keyword}: ${was ?? 'none'} → ${is}`);
  };
  for (const keyword of UPPER_LIMITS) narrows(keyword, (was, is) => is < was);
  for (const keyword of LOWER_LIMITS) narrows(keyword, (was, is) => is > was);
  for (const keyword of CONDITIONS) narrows(keyword, () => true);
  return changes;
}

const findMissing = (values, known) => values.filter((value) => !known.includes(value));
