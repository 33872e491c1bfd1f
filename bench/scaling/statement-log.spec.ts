import { countStatements } from './statement-log';

const lines = (...texts: string[]) => texts.join('\n');

describe('countStatements', () => {
  it('counts a statement outside a transaction as one of its own', () => {
    const log = lines('5f.1a:LOG:  execute <unnamed>: SELECT 1', '5f.1b:LOG:  statement: SELECT 2');
    expect(countStatements(log, 'ff')).toEqual({ statements: 2, transactions: 2 });
  });

  it('counts what lies between BEGIN and COMMIT as one transaction, also where sessions take turns', () => {
    const log = lines(
      '5f.1a:LOG:  statement: START TRANSACTION',
      '5f.1b:LOG:  statement: BEGIN',
      '5f.1a:LOG:  execute <unnamed>: INSERT INTO a VALUES ($1)',
      "5f.1a:DETAIL:  parameters: $1 = 'x'",
      '5f.1b:LOG:  execute <unnamed>: ROLLBACK TO SAVEPOINT s',
      '5f.1b:LOG:  statement: ROLLBACK',
      '5f.1a:LOG:  statement: COMMIT',
      '5f.1a:LOG:  execute <unnamed>: SELECT 1',
    );
    expect(countStatements(log, 'ff')).toEqual({ statements: 7, transactions: 3 });
  });

  it('counts a statement of several lines once, and those of its own session not at all', () => {
    const log = lines('5f.1a:LOG:  execute <unnamed>: SELECT *', '\tFROM a', '5f.ff:LOG:  statement: SHOW x');
    expect(countStatements(log, 'ff')).toEqual({ statements: 1, transactions: 1 });
  });
});
