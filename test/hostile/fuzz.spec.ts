import { setTimeout as sleep } from 'node:timers/promises';
import { readOpenApiDocument } from '../support/conformance';
import { setHeader } from './support/fuzz/request-draft';
import { FuzzEnvironment } from './support/fuzz/fuzz-environment';
import {
  assertNoViolations,
  assertSuccess,
  combineMutations,
  FUZZ_CONCURRENCY,
  FUZZ_SEED,
  FuzzRunner,
} from './support/fuzz/fuzz-runner';
import { createMutations } from './support/fuzz/mutations';
import { createMalformedRequests } from './support/fuzz/mutations/malformed-requests';
import { readFuzzedOperations, type FuzzedOperation } from './support/fuzz/fuzzed-operations';
import { findMalformedRequestViolation, ResponseValidator } from './support/fuzz/response-validator';
import { SeededRandom } from './support/fuzz/seeded-random';
import { sendRawBytes, RawRequestClient } from './support/fuzz/raw-request-client';

/** Requests per operation with several mutations at once. */
const COMBINED = 25;
/** Limits of the number of requests in a run, which is about 8,200. */
const MIN_REQUESTS = 7_000;
const MAX_REQUESTS = 10_000;

/** Sends requests generated from the served document and validates their responses with it. */
describe('a fuzz of every operation in openapi.json', () => {
  let environment: FuzzEnvironment;
  let rawRequestClient: RawRequestClient;
  let responseValidator: ResponseValidator;
  let operations: Map<string, FuzzedOperation>;
  let fuzzRunner: FuzzRunner;
  let malformedCount = 0;

  beforeAll(async () => {
    environment = await FuzzEnvironment.start();
    rawRequestClient = new RawRequestClient(environment.url, FUZZ_CONCURRENCY);
    responseValidator = new ResponseValidator(environment.document);
    fuzzRunner = new FuzzRunner(rawRequestClient, responseValidator);
    operations = new Map(readFuzzedOperations(environment.document).map((each) => [each.id, each]));
  });
  afterAll(async () => {
    await rawRequestClient?.close();
    await environment?.stop();
  });

  it('detects an undocumented response', async () => {
    const requestDraft = environment.createBaselineDraft(operations.get('getMe')!);
    setHeader(requestDraft, 'Authorization', null);
    const answer = await rawRequestClient.sendDraft(requestDraft);
    const problem = answer.body as object;
    expect(responseValidator.findViolation(requestDraft, answer)).toBeNull();
    const judge = (changes: object) => responseValidator.findViolation(requestDraft, { ...answer, ...changes });
    const without = (name: string) => {
      const headers = new Headers(answer.headers);
      headers.delete(name);
      return { headers };
    };
    expect(judge({ status: 500 })).toMatch(/^500/);
    expect(judge({ status: 418 })).toMatch(/status/);
    expect(judge({ body: { ...problem, extra: 1 } })).toMatch(/unevaluated/);
    expect(judge({ body: { ...problem, code: undefined } })).toMatch(/code/);
    expect(judge({ body: { ...problem, requestId: 'req_01m7xsah51f6ctt8c84t8wbh7e' } })).toMatch(/requestId/);
    expect(judge(without('x-request-id'))).toMatch(/X-Request-Id/);
    expect(judge(without('www-authenticate'))).toMatch(/WWW-Authenticate/);
    expect(findMalformedRequestViolation('')).toMatch(/no answer/);
    expect(findMalformedRequestViolation('HTTP/1.1 200 OK\r\n\r\n')).toMatch(/200/);
  });

  const ids = readFuzzedOperations(readOpenApiDocument()).map(({ id }) => id);

  // Runs before the mutations, which use up single resources.
  it.each(ids)('%s succeeds with a valid request', async (id) => {
    const operation = operations.get(id)!;
    const requestDraft = environment.createBaselineDraft(operation);
    const answer = await rawRequestClient.sendDraft(requestDraft);
    assertSuccess(responseValidator.findViolation(requestDraft, answer), answer);
  });

  it.each(ids)('%s answers every spoiled request as documented', async (id) => {
    const operation = operations.get(id)!;
    const seededRandom = new SeededRandom(FUZZ_SEED * 1_000 + ids.indexOf(id));
    const baseline = environment.createBaselineDraft(operation);
    const mutations = createMutations(operation, baseline, environment.listCredentials(operation), seededRandom);
    const cases = [...mutations.map((mutation) => [mutation]), ...combineMutations(mutations, COMBINED, seededRandom)];
    await fuzzRunner.runCases(cases, { getDraft: () => baseline });
  });

  // The HTTP parser rejects these requests for all operations alike.
  it.each(['getMe', 'sendMessage', 'issueToken', 'createExternalToken'])(
    '%s rejects bytes that aren’t valid HTTP',
    async (id) => {
      const edges = Object.entries(createMalformedRequests(environment.createBaselineDraft(operations.get(id)!)));
      const violations = await Promise.all(
        edges.map(async ([name, bytes]) => {
          const violation = findMalformedRequestViolation(await sendRawBytes(environment.url, bytes));
          return violation && `${name}: ${violation}`;
        }),
      );
      malformedCount += edges.length;
      assertNoViolations(
        violations.filter((violation) => violation !== null),
        edges.length,
      );
    },
  );

  it('logs no unexpected error and leaves the service running', async () => {
    // The log line of the last response may be delayed.
    await sleep(100);
    const unexpected = environment.logs.filter((line) => line.includes('unexpected error'));
    expect(unexpected).toEqual([]);
    expect(environment.service.isRunning).toBe(true);
    const { status } = await rawRequestClient.sendDraft(environment.createBaselineDraft(operations.get('getMe')!));
    expect(status).toBe(200);
    const sentCount = fuzzRunner.sentCount + malformedCount;
    expect(sentCount).toBeGreaterThan(MIN_REQUESTS);
    expect(sentCount).toBeLessThan(MAX_REQUESTS);
  });
});
