import { getReferences, sortByDependency, type ForeignKey } from './foreign-keys';

const createKey = (table: string, referencedTable: string): ForeignKey => ({
  table,
  column: `${referencedTable}_id`,
  referencedTable,
  onDelete: 'cascade',
});

/** Sorts references such as `messages > sessions`, and returns the tables that refer to accounts. */
function sortTables(...references: string[]): string[] {
  const keys = references.map((reference) => {
    const [table, referencedTable] = reference.split(' > ');
    return createKey(table!, referencedTable!);
  });
  return getReferences(sortByDependency(keys), 'accounts').map(({ table }) => table);
}

describe('foreign keys in the order of deletion', () => {
  it('put a table before the tables that it refers to, also over others', () => {
    const account = ['devices > accounts', 'sessions > accounts', 'grants > accounts', 'machines > accounts'];
    const others = ['machines > devices', 'sessions > machines', 'shares > sessions', 'grants > shares'];
    const expected = ['grants', 'sessions', 'machines', 'devices'];
    expect(sortTables(...account, ...others)).toEqual(expected);
    expect(sortTables(...[...others, ...account].reverse())).toEqual(expected);
  });

  it('end for tables that refer to each other or to themselves', () => {
    const tables = sortTables('apps > accounts', 'users > accounts', 'users > apps', 'apps > users', 'apps > apps');
    expect(tables.sort()).toEqual(['apps', 'users']);
  });
});
