import { setTimeout as sleep } from 'node:timers/promises';
import { DEVICE_API, readDeviceApiDocument } from '../support/conformance';
import { IS_FULL_RUN } from '../support/scale';
import { DeviceApiEnvironment, isRenewing } from './support/fuzz/device-api-environment';
import { readFuzzedOperations } from './support/fuzz/fuzzed-operations';
import { assertSuccess, combineMutations, FUZZ_CONCURRENCY, FUZZ_SEED, FuzzRunner } from './support/fuzz/fuzz-runner';
import { createMutations } from './support/fuzz/mutations';
import { RawRequestClient } from './support/fuzz/raw-request-client';
import { setHeader } from './support/fuzz/request-draft';
import { ResponseValidator } from './support/fuzz/response-validator';
import { SeededRandom } from './support/fuzz/seeded-random';

/**
 * Mutations of an operation, which the seed selects; `npm run test:full` applies all. Control calls run the code that
 * the other fuzz test calls.
 */
const MUTATIONS = 18;
const MUTATIONS_OF_CONTROL = 5;
/** Requests per operation with several mutations at once. */
const COMBINED = 2;

/** Sends requests generated from the document of the device API and validates their responses with it. */
describe('a fuzz of every operation in device-openapi.json', () => {
  let environment: DeviceApiEnvironment;
  let rawRequestClient: RawRequestClient;
  let responseValidator: ResponseValidator;
  let fuzzRunner: FuzzRunner;
  const operations = readFuzzedOperations(readDeviceApiDocument());

  beforeAll(async () => {
    environment = await DeviceApiEnvironment.start();
    rawRequestClient = new RawRequestClient(environment.url, FUZZ_CONCURRENCY);
    responseValidator = new ResponseValidator(environment.document, DEVICE_API);
    fuzzRunner = new FuzzRunner(rawRequestClient, responseValidator);
  });
  afterAll(async () => {
    await rawRequestClient?.close();
    await environment?.stop();
  });

  // Runs before the mutations, which use up single resources.
  it.each(operations.map(({ id }) => id))('%s succeeds with a valid request', async (id) => {
    const requestDraft = await environment.createBaselineDraft(operations.find((each) => each.id === id)!);
    const answer = await rawRequestClient.sendDraft(requestDraft);
    assertSuccess(responseValidator.findViolation(requestDraft, answer), answer);
  });

  it.each(operations.map(({ id }) => id))('%s answers spoiled requests as documented', async (id) => {
    const operation = operations.find((each) => each.id === id)!;
    const seededRandom = new SeededRandom(FUZZ_SEED * 1_000 + operations.indexOf(operation));
    let baseline = await environment.createBaselineDraft(operation);
    const all = createMutations(operation, baseline, environment.listCredentials(baseline), seededRandom);
    const count = id.startsWith('control') ? MUTATIONS_OF_CONTROL : MUTATIONS;
    const mutations = IS_FULL_RUN ? all : seededRandom.sampleValues(all, count);
    const cases = [...mutations.map((mutation) => [mutation]), ...combineMutations(all, COMBINED, seededRandom)];
    await fuzzRunner.runCases(cases, {
      getDraft: () => {
        if (operation.security === 'none') setHeader(baseline, 'X-Forwarded-For', seededRandom.nextAddress());
        return baseline;
      },
      handleAnswer: async ({ status }) => {
        if (isRenewing(status)) baseline = await environment.createBaselineDraft(operation, baseline);
      },
    });
  });

  it('logs no unexpected error and leaves the service running', async () => {
    // The log line of the last response may be delayed.
    await sleep(100);
    expect(environment.logs.filter((line) => line.includes('unexpected error'))).toEqual([]);
    expect(environment.isRunning).toBe(true);
    const requestDraft = await environment.createBaselineDraft(operations.find(({ id }) => id === 'listDevices')!);
    expect((await rawRequestClient.sendDraft(requestDraft)).status).toBe(200);
    expect(fuzzRunner.sentCount).toBeGreaterThan(operations.length * MUTATIONS_OF_CONTROL);
  });
});
