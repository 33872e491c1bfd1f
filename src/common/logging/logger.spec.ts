import { createLogger, PinoLoggerService } from './logger';

const DEBUG = 20;
const INFO = 30;

describe('the logger of the service', () => {
  let lines: Record<string, unknown>[];
  const log = (level = 'trace') => {
    lines = [];
    const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
    return new PinoLoggerService(createLogger(level, { write }));
  };

  it('writes the fields of an event with its message and the name of its source', () => {
    log().warn({ tokenId: 'tok_1' }, 'token rejected', 'Auth');
    expect(lines).toEqual([
      {
        level: 40,
        time: expect.any(Number),
        version: expect.any(String),
        tokenId: 'tok_1',
        msg: 'token rejected',
        context: 'Auth',
      },
    ]);
  });

  it.each([
    ['verbose', 10],
    ['debug', DEBUG],
    ['log', INFO],
    ['warn', 40],
    ['error', 50],
    ['fatal', 60],
  ] as const)('writes %s with the level %d', (name, level) => {
    log()[name]('started', 'Service');
    expect(lines).toMatchObject([{ level, msg: 'started', context: 'Service' }]);
  });

  it('writes what the framework does at its start for those only who debug', () => {
    const sources = ['InstanceLoader', 'NestApplication', 'NestFactory', 'RouterExplorer', 'RoutesResolver'];
    const logger = log();
    for (const source of [...sources, 'WebSocketsController', 'Service']) logger.log('started', source);
    expect(lines.map(({ level }) => level)).toEqual([...sources.map(() => DEBUG), DEBUG, INFO]);
    log('info').log('started', 'RouterExplorer');
    expect(lines).toEqual([]);
  });

  it('writes an error without the statement and the parameters of the driver', () => {
    const driverError = { code: '23505', query: 'INSERT INTO t', parameters: ['hunter2'], detail: 'Key (hunter2)' };
    const error = Object.assign(new Error('duplicate key'), driverError);
    const logger = log();
    logger.error({ err: error }, 'unexpected error', 'Problem');
    logger.error({ error }, 'write failed', 'Problem');
    logger.error(error, 'Problem');
    const written = { type: 'Error', message: 'duplicate key', stack: expect.any(String), code: '23505' };
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'unexpected error', err: written }),
      expect.objectContaining({ msg: 'write failed', error: written }),
      expect.objectContaining({ msg: 'duplicate key', err: written }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|INSERT/);
  });
});
