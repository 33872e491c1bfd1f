import { ForeignAccountDevice } from '../support/device/foreign-device';
import { HttpClient } from '../support/http-client';
import { Bystander, computeSlowdown } from './support/bystander';
import { DeviceApiEnvironment, isRenewing } from './support/fuzz/device-api-environment';
import { FuzzEnvironment } from './support/fuzz/fuzz-environment';
import { readFuzzedOperations, type FuzzedOperation } from './support/fuzz/fuzzed-operations';
import {
  createRepetitiveHeaderMutations,
  createRepetitiveTextMutations,
} from './support/fuzz/mutations/repetitive-texts';
import { RawRequestClient, type FuzzResponse } from './support/fuzz/raw-request-client';
import { copyDraft, setHeader, type RequestDraft } from './support/fuzz/request-draft';
import { SeededRandom } from './support/fuzz/seeded-random';

/** Few, so that the bystander waits for slow requests and not for many of them. */
const CONCURRENCY = 2;
const MAX_SLOWDOWN = 10;

jest.setTimeout(300_000);

interface Source {
  url: string;
  operations: readonly FuzzedOperation[];
  getDraft: (operation: FuzzedOperation, present?: RequestDraft) => RequestDraft | Promise<RequestDraft>;
}

/** Sends texts that patterns read in many ways to every field of both documents. */
describe('repetitive texts', () => {
  const random = new SeededRandom(1);

  const sendAll = async ({ operations, getDraft }: Source, client: RawRequestClient): Promise<FuzzResponse[]> => {
    const answers: FuzzResponse[] = [];
    const waiting = [...operations];
    const headers = createRepetitiveHeaderMutations();
    const workers = Array.from({ length: CONCURRENCY }, async () => {
      for (let operation = waiting.shift(); operation; operation = waiting.shift()) {
        let baseline = await getDraft(operation);
        // All operations share the code that reads headers.
        const mutations = [...createRepetitiveTextMutations(operation, baseline), ...headers.splice(0)];
        for (const mutation of mutations) {
          const draft = copyDraft(baseline);
          setHeader(draft, 'X-Forwarded-For', random.nextAddress());
          mutation.apply(draft);
          const answer = await client.sendDraft(draft);
          answers.push(answer);
          if (isRenewing(answer.status)) baseline = await getDraft(operation, baseline);
        }
      }
    });
    await Promise.all(workers);
    return answers;
  };

  const expectCalm = async (source: Source) => {
    const owner = await ForeignAccountDevice.signUp(new HttpClient(source.url));
    const { token } = await owner.createToken(['sessions:read']);
    const bystander = await Bystander.start(`${source.url}/external/v1/sessions`, token);
    const client = new RawRequestClient(source.url, CONCURRENCY);
    try {
      const calm = await bystander.measureBaseline();
      let answers: FuzzResponse[] = [];
      const attacked = await bystander.measureDuring(async () => (answers = await sendAll(source, client)));
      expect(answers.length).toBeGreaterThan(1_000);
      expect(answers.filter(({ status }) => status >= 500 && status !== 502 && status !== 503)).toEqual([]);
      expect(attacked.failures).toBe(0);
      expect(computeSlowdown(calm, attacked)).toBeLessThan(MAX_SLOWDOWN);
    } finally {
      await client.close();
      await bystander.stop();
    }
  };

  it('in the fields of openapi.json don’t slow other callers', async () => {
    const environment = await FuzzEnvironment.start();
    try {
      const operations = readFuzzedOperations(environment.document);
      const getDraft = (operation: FuzzedOperation) => environment.createBaselineDraft(operation);
      await expectCalm({ url: environment.url, operations, getDraft });
    } finally {
      await environment.stop();
    }
  });

  it('in the fields of device-openapi.json don’t slow other callers', async () => {
    const environment = await DeviceApiEnvironment.start();
    try {
      // Control calls run the code of the External API.
      const operations = readFuzzedOperations(environment.document).filter(({ id }) => !id.startsWith('control'));
      const getDraft = environment.createBaselineDraft.bind(environment);
      await expectCalm({ url: environment.url, operations, getDraft });
    } finally {
      await environment.stop();
    }
  });
});
