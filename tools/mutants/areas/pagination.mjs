const PAGINATION = 'e2e-embedded test/e2e/pages/pagination.spec.ts';
const READER = 'src/core/database/keyset/keyset-page.reader.ts';

/** Pages and cursors of all lists. */
export default [
  {
    id: 'P1',
    breaks: 'Rows of the same millisecond are missing on the next page.',
    file: READER,
    find: "      [`${alias}.id`, 'text'],\n",
    replace: '',
    suites: [PAGINATION],
  },
  {
    id: 'P2',
    breaks: 'A cursor is accepted with other filters.',
    file: READER,
    find: '.every(([name, value]) => cursor.filters[name] === value)',
    replace: '.every(() => true)',
    suites: ['unit src/core/database/keyset/keyset-page.reader.spec.ts'],
  },
  {
    id: 'P3',
    breaks: 'A full last page promises another one.',
    file: READER,
    find: 'rows.length > size',
    replace: 'rows.length >= size',
    suites: ['unit src/core/database/keyset/keyset-page.reader.spec.ts'],
  },
  {
    id: 'P4',
    breaks: 'A cursor of another account is accepted.',
    file: READER,
    find: 'cursor.list === scope &&',
    replace: "cursor.list.split(':')[0] === scope.split(':')[0] &&",
    suites: ['unit src/core/database/keyset/keyset-page.reader.spec.ts'],
  },
  {
    id: 'P5',
    breaks: 'A forged cursor is accepted.',
    file: 'src/core/database/keyset/cursor.service.ts',
    find: 'if (!isGenuine)',
    replace: 'if (false)',
    suites: ['unit src/core/database/keyset/cursor.service.spec.ts'],
  },
  {
    id: 'P6',
    breaks: 'A cursor is accepted with another order.',
    file: READER,
    find: '(order === undefined || order === cursor.order) &&',
    replace: '',
    suites: ['unit src/core/database/keyset/keyset-page.reader.spec.ts'],
  },
  {
    id: 'P7',
    breaks: 'A page of large items exceeds the maximum of bytes.',
    file: READER,
    find: 'OR page_bytes <= ',
    replace: 'OR page_bytes * 0 <= ',
    suites: ['e2e-embedded test/e2e/pages/content-pages.spec.ts'],
  },
  {
    id: 'P8',
    breaks: 'The list of offline machines leaves out those that were never connected.',
    file: 'src/modules/machines/machines.repository.ts',
    find: "`coalesce(p.online, false) = ${bind(value === 'online')}`",
    replace: "`p.online = ${bind(value === 'online')}`",
    suites: ['e2e-embedded test/e2e/pages/filters.spec.ts'],
  },
];
