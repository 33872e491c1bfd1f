import { FrequentStatements } from './frequent-statements';

describe('FrequentStatements', () => {
  const findName = (text: string, executions = 10, statements = new FrequentStatements()) => {
    let name: string | undefined;
    for (let n = 0; n < executions; n++) name = statements.countExecution(text);
    return name;
  };

  it('names a text from its sixth execution', () => {
    expect(findName('SELECT 1 WHERE $1', 5)).toBeUndefined();
    expect(findName('SELECT 1 WHERE $1', 6)).toBe('frequent_1');
  });

  it('gives each text a name of its own, and the same one each time', () => {
    const statements = new FrequentStatements();
    const names = ['SELECT a', 'SELECT b', 'SELECT a'].map((text) => findName(text, 10, statements));
    expect(names).toEqual(['frequent_1', 'frequent_2', 'frequent_1']);
  });

  it.each([
    'SELECT count(*) FROM a WHERE id = $1',
    'SELECT * FROM (SELECT a.id FROM a WHERE id = $1) weighed ORDER BY id',
    'INSERT INTO a (id) SELECT * FROM unnest($1::text[]) RETURNING id',
    'UPDATE a SET n = 1 FROM (SELECT * FROM b) AS b WHERE id = $1',
    "SELECT id FROM a WHERE at >= now() - $1 * interval '1 second'",
    "WITH a AS (SELECT id FROM b LIMIT 1) UPDATE b SET until = now() + $1 * interval '1 second' FROM a RETURNING b.id",
    'UPDATE a SET n = 1 WHERE id = $1 RETURNING id, (n + 1) * 2 AS double',
  ])('names %s, whose result has the same columns after a migration', (text) => {
    expect(findName(text)).toBe('frequent_1');
  });

  it.each([
    'SELECT * FROM a WHERE id = $1',
    'SELECT * FROM (SELECT a.* FROM a WHERE id = $1) weighed ORDER BY id',
    'SELECT * FROM (SELECT a.id FROM a) weighed JOIN (SELECT * FROM b WHERE id = $1) b USING (id)',
    'SELECT a.*, b.name FROM a JOIN b USING (id)',
    'SELECT id, * FROM a WHERE id = $1',
    'SELECT DISTINCT * FROM a WHERE id = $1',
    'SELECT DISTINCT ON (kind, id) * FROM a WHERE id = $1',
    'INSERT INTO a (id) VALUES ($1) RETURNING *',
    'UPDATE a SET n = 1 WHERE id = $1 RETURNING id, *',
    'WITH taken AS (DELETE FROM a RETURNING *) SELECT id FROM taken',
  ])('never names %s, whose result changes with the table', (text) => expect(findName(text)).toBeUndefined());

  it('names a bounded number of texts, and counts a bounded number', () => {
    const statements = new FrequentStatements();
    const names = Array.from({ length: 300 }, (_, n) => findName(`SELECT ${n}`, 10, statements));
    expect(names.filter((name) => name !== undefined)).toHaveLength(200);
    const busy = new FrequentStatements();
    for (let n = 0; n < 5_000; n++) busy.countExecution(`SELECT ${n}`);
    expect(busy['executions'].size).toBeLessThanOrEqual(1_000);
  });
});
