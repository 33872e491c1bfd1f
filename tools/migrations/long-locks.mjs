import ts from '../typescript-api.mjs';

/** The last migration that landed before these rules. */
const LAST_EXEMPT_EPOCH = 1795450010000;

const ALTER_TABLE = /^ALTER TABLE (?<table>\w+)\b/i;
/** Patterns of statements, with the table that they lock, what they contain, exceptions, and what to do instead. */
const RULES = [
  {
    pattern: /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)\S+ ON (?:ONLY )?(?<table>\w+)/i,
    message: 'CREATE INDEX locks out writers: use createIndexConcurrently of concurrent-indexes.ts',
  },
  {
    pattern: ALTER_TABLE,
    parts: [/\bADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)\b/i],
    message: 'ADD CONSTRAINT reads the whole table: add it NOT VALID, and validate it in the next migration',
    isAllowed: (text) => /\bNOT VALID\b/i.test(text),
  },
  {
    pattern: ALTER_TABLE,
    parts: [/\bADD (?:CONSTRAINT \w+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)\b/i],
    message: 'ADD UNIQUE builds an index: create it concurrently, and add the constraint USING INDEX',
    isAllowed: (text) => /\bUSING INDEX\b/i.test(text),
  },
  {
    pattern: ALTER_TABLE,
    parts: [/\bADD COLUMN\b/i, /\b(?:CHECK|REFERENCES|UNIQUE|GENERATED|PRIMARY KEY)\b/i],
    message: 'a constraint or generated value of a new column reads or writes the whole table: add it apart',
  },
  {
    pattern: ALTER_TABLE,
    parts: [
      /\bDEFAULT\b/i,
      /\b(?:clock_timestamp|statement_timestamp|timeofday|random|gen_random_uuid|nextval|pg_current_xact_id)\b/i,
    ],
    message: 'a volatile default writes the whole table: add the column without it, then set the default',
  },
  {
    pattern: ALTER_TABLE,
    parts: [/\bALTER (?:COLUMN )?\w+ (?:SET DATA )?TYPE\b/i],
    message: 'ALTER TYPE may write the whole table: add a column, and drop the old one in a later release',
  },
  {
    pattern: ALTER_TABLE,
    parts: [/\bSET NOT NULL\b/i],
    message: 'SET NOT NULL reads the whole table: validate CHECK (column IS NOT NULL) first, in an earlier migration',
    isAllowed: (text) => /-- validated by \w+/.test(text),
  },
  {
    pattern: /^(?:UPDATE|DELETE FROM) (?:ONLY )?(?<table>\w+)/i,
    message: 'one statement for all rows locks them until it ends: change batches, with LIMIT and transaction = false',
    isAllowed: (text) => /\bLIMIT\b/i.test(text),
  },
  {
    pattern: /^(?:LOCK TABLE|VACUUM FULL|CLUSTER|REINDEX (?!.*CONCURRENTLY))/i,
    message: 'the statement locks its table until it ends',
  },
];

export function isLandedBeforeRules(name) {
  return Number(name.slice(0, 13)) <= LAST_EXEMPT_EPOCH;
}

/** Returns the rules that the `up` of a migration breaks. Tables that it creates are empty, and may be locked. */
export function findLongLocks(source) {
  const statements = collectStatements(source);
  const created = new Set(
    statements.map((text) => /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(text)?.[1]).filter(Boolean),
  );
  const problems = statements.flatMap((text) =>
    RULES.flatMap(({ pattern, parts = [], message, isAllowed }) => {
      const match = pattern.exec(text);
      if (!match || !parts.every((part) => part.test(text)) || created.has(match.groups?.table) || isAllowed?.(text))
        return [];
      return [`${message}: ${text.slice(0, 80)}`];
    }),
  );
  if (/Concurrently\(/.test(source) && !/^[ \t]*transaction = false;/m.test(source))
    problems.push('CONCURRENTLY needs transaction = false');
  if (/\bNOT VALID\b/i.test(source) && /\bVALIDATE CONSTRAINT\b/i.test(source))
    problems.push('VALIDATE CONSTRAINT holds the lock of ADD CONSTRAINT: validate in a migration of its own');
  return problems;
}

/** Returns the texts of the file that are SQL statements, in one line each, without those of `down`. */
function collectStatements(source) {
  const found = [];
  const file = ts.createSourceFile('migration.ts', source, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isMethodDeclaration(node) && node.name.getText(file) === 'down') return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const text = node.getText(file).slice(1, -1);
      found.push(
        ...text.split(';').map((statement) =>
          statement
            .replace(/\$\{[^${}]*\}/g, 'x')
            .replace(/\s+/g, ' ')
            .trim(),
        ),
      );
    } else ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
