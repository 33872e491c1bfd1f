import { OBJECT_DEFINITION, type LiveSchema, type SchemaSnapshot } from './schema-catalog';

/** Difference between a database and the schema that the migrations define. */
export interface SchemaDifference {
  status: 'missing' | 'changed' | 'invalid' | 'extra';
  /** Object such as `table messages`. */
  object: string;
  /** Part of it, such as `index messages_turn_idx`. Null if it is the object itself. */
  part: string | null;
  expected: string | null;
  found: string | null;
  /** Whether it can break the service or slow it down. An operator may add other tables and indexes. */
  isDrift: boolean;
  /** SQL that repairs it without a long lock. Null if a person has to decide. */
  repair: string | null;
}

/** Compares a database with its expected schema. Leaves out the parts of missing and extra objects. */
export function findSchemaDifferences(expected: SchemaSnapshot, live: LiveSchema): SchemaDifference[] {
  const objects = [...new Set([...Object.keys(expected), ...Object.keys(live.snapshot)])].sort();
  return objects.flatMap((object) => {
    const [before, now] = [expected[object], live.snapshot[object]];
    const parts = before && now ? Object.keys({ ...before, ...now }).sort() : [OBJECT_DEFINITION];
    return parts.flatMap((part) => {
      const found = now?.[part] ?? null;
      const isInvalid = found !== null && live.invalidIndexes.has(nameOf(part));
      return compareDefinitions(object, part, before?.[part] ?? null, found, isInvalid) ?? [];
    });
  });
}

/** Returns one line for people. */
export function formatSchemaDifference(difference: SchemaDifference): string {
  const { status, object, part, expected, found, isDrift, repair } = difference;
  const subject = `${status}${isDrift ? '' : ' (allowed)'}: ${part === null ? object : `${part} of ${object}`}`;
  const details = {
    missing: `expected ${expected}`,
    changed: `found ${found}, expected ${expected}`,
    invalid: 'PostgreSQL does not use it, because its creation was interrupted',
    extra: `found ${found}`,
  }[status];
  return `${subject}: ${details}${repair === null ? '' : `. Repair: ${repair}`}`;
}

function compareDefinitions(
  object: string,
  part: string,
  expected: string | null,
  found: string | null,
  isInvalid: boolean,
): SchemaDifference | null {
  if (expected === found && !isInvalid) return null;
  const status = isInvalid ? 'invalid' : found === null ? 'missing' : expected === null ? 'extra' : 'changed';
  const isDrift = status !== 'extra' || canAffectWrites(part, found!);
  const repair = status === 'extra' ? null : planRepair(status, object, part, expected, found);
  return { status, object, part: part === OBJECT_DEFINITION ? null : part, expected, found, isDrift, repair };
}

/** An extra column, constraint, trigger, rule or unique index can refuse or change what the service writes. */
function canAffectWrites(part: string, found: string): boolean {
  return /^(?:column|constraint|trigger|rule) /.test(part) || found.startsWith('CREATE UNIQUE INDEX');
}

function planRepair(
  status: 'missing' | 'changed' | 'invalid',
  object: string,
  part: string,
  expected: string | null,
  found: string | null,
): string | null {
  const name = nameOf(part);
  if (status === 'invalid') return `${expected === null ? 'DROP' : 'REINDEX'} INDEX CONCURRENTLY ${name}`;
  const table = nameOf(object);
  if (part.startsWith('index ') && status === 'missing') {
    // PostgreSQL can't build the index of a partitioned table concurrently.
    return expected!.includes(' ON ONLY ') ? null : expected!.replace(' INDEX ', ' INDEX CONCURRENTLY ');
  }
  if (!part.startsWith('constraint ')) return null;
  const validation = `ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`;
  if (found === `${expected} NOT VALID`) return validation;
  const isQuickToAdd = status === 'missing' && /^(?:CHECK|FOREIGN KEY) /.test(expected!);
  return isQuickToAdd ? `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${expected} NOT VALID; ${validation}` : null;
}

function nameOf(part: string): string {
  return part.slice(part.indexOf(' ') + 1);
}
