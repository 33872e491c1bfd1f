import type { AccountApi } from '../content/account-api';
import type { ArtifactMetadata } from '../content/records';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { ArtifactTitleReader } from './artifact-title-reader';

const createArtifact = (n: number) =>
  ({ id: `art_${n}`, version: 1, tag: `ses_1/turn_1/${n}.png`, sessionId: 'ses_1', sizeBytes: 9 }) as ArtifactMetadata;

describe('the titles of artifacts', () => {
  let failures: Error[];
  let callCount: number;
  let titles: ArtifactTitleReader;

  beforeEach(() => {
    jest.useFakeTimers();
    failures = [];
    callCount = 0;
    const getAll = () => {
      callCount++;
      const failure = failures.shift();
      return failure ? Promise.reject(failure) : Promise.resolve([{ id: 'turn_2' }, { id: 'turn_1' }]);
    };
    titles = new ArtifactTitleReader({ getAll } as unknown as AccountApi, null);
  });
  afterEach(() => jest.useRealTimers());

  const readAll = async () => {
    const reading = Promise.all([1, 2].map((n) => titles.readTitle(createArtifact(n))));
    await jest.runAllTimersAsync();
    return reading;
  };

  it('read the turns of a session once', async () => {
    expect(await readAll()).toEqual(['File 1 of turn 1', 'File 2 of turn 1']);
    expect(await readAll()).toEqual(['File 1 of turn 1', 'File 2 of turn 1']);
    expect(callCount).toBe(1);
  });

  it('are read again after failures that may pass', async () => {
    failures = [new ServiceError(429, {}), new UnreachableError(), new ServiceError(503, {})];
    expect(await readAll()).toEqual(['File 1 of turn 1', 'File 2 of turn 1']);
    expect(callCount).toBe(4);
  });

  it('do without what can’t be read', async () => {
    failures = Array.from({ length: 4 }, () => new UnreachableError());
    failures.push(new ServiceError(404, {}));
    expect(await readAll()).toEqual(['File 1 of a turn', 'File 2 of a turn']);
    expect(callCount).toBe(5);
  });
});
