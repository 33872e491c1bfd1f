import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTestAgent } from '../../../clients/device/src/agent/testing/test-agents';
import { describeWith, itWith } from '../../support/dependencies';
import { GUIDE_PLAN, PAGES_WITH_OWN_TESTS, type RunPlan, type StepPlan } from '../../support/guide/guide-plan';
import { GoSamples } from '../../support/guide/guide-programs';
import { GuideReader } from '../../support/guide/guide-reader';
import {
  listGuidePages,
  readGuideSteps,
  SAMPLE_LANGUAGES,
  type GuideStep,
  type SampleLanguage,
} from '../../support/guide/guide-steps';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

const PAGES = listGuidePages().filter((page) => !PAGES_WITH_OWN_TESTS.includes(page));
/** Runs tests whose samples this machine can run. */
const TESTS = { sh: it, js: it, python: itWith('python3'), go: itWith('go') };
const languages = SAMPLE_LANGUAGES.filter((language) => TESTS[language] !== it.skip);
const USERNAMES: Record<SampleLanguage, string> = { sh: 'ada', js: 'grace', python: 'guido', go: 'rob' };

it('the guide has a plan for every fenced block, and no plan without one', () => {
  const planned = Object.values(GUIDE_PLAN).flatMap(({ steps }) => Object.keys(steps));
  const printed = PAGES.flatMap((page) => readGuideSteps(page, '{host}').map(({ name }) => name));
  expect(printed.sort()).toEqual(planned.sort());
});

/**
 * Follows the guide four times at once, with its commands and once with the samples of each language. Each reader also
 * runs the commands that have no samples.
 */
describeWith('curl', 'openssl')('the guide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guide-go-'));
  const readers: GuideReader[] = [];
  const results = new Map<string, Promise<void>>();
  let service: Service;

  beforeAll(async () => {
    await buildTestAgent();
    service = await Service.start({
      RATE_LIMIT_RELAY: '100000',
      RATE_LIMIT_METADATA: '100000',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    });
    const pages = new Map(PAGES.map((page) => [page, readGuideSteps(page, service.url)]));
    const goBlocks = [...pages.values()].flat().flatMap(({ blocks }) => blocks.filter(isGo));
    const goSamples = languages.includes('go') ? GoSamples.build(join(folder, 'go'), goBlocks) : undefined;
    for (const language of languages)
      readers.push(
        await GuideReader.start(service, language, USERNAMES[language], { ada: readers[0]?.account, goSamples }),
      );
    for (const reader of readers) followPages(reader, pages);
  });
  afterAll(async () => {
    await Promise.allSettled(results.values());
    for (const reader of readers) await reader.stop();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  /** Starts to read all pages in their order. The tests wait for the results. */
  function followPages(reader: GuideReader, pages: ReadonlyMap<string, GuideStep[]>): void {
    let previous: Promise<unknown> = Promise.resolve();
    for (const [page, steps] of pages) {
      const result = previous.then(() => followPage(reader, page, steps));
      results.set(`${page} ${reader.language}`, result);
      previous = result.catch(() => undefined);
    }
  }

  for (const language of SAMPLE_LANGUAGES)
    TESTS[language].each(PAGES)(`runs as printed in ${language}: %s`, (page) => results.get(`${page} ${language}`));
});

async function followPage(reader: GuideReader, page: string, steps: GuideStep[]): Promise<void> {
  const { scopes } = GUIDE_PLAN[page] ?? {};
  await reader.openPage(scopes);
  let response = '';
  for (const step of steps) {
    const plan = getStepPlan(step.name);
    if (plan === 'response') {
      // Only curl shows responses as they are.
      if (reader.language !== 'sh') continue;
      const { code, location } = step.blocks[0]!;
      expect([location, describeForm(JSON.parse(response))]).toEqual([location, describeForm(JSON.parse(code))]);
    } else if (isRun(plan)) response = await followStep(reader, step, plan);
  }
}

async function followStep(
  reader: GuideReader,
  step: GuideStep,
  { prepare, prints, isEndless, port, meanwhile }: RunPlan,
): Promise<string> {
  const block = reader.chooseBlock(step);
  if (!block) return '';
  await prepare?.(reader);
  const run = () =>
    reader.runBlock(block, {
      interruptAt: isEndless ? prints : undefined,
      meanwhile: meanwhile && ((readOutputs) => meanwhile(reader, readOutputs)),
    });
  const output = await (port ? withFreePort(port, run) : run());
  if (prints ? !prints.test(output) : output !== '')
    throw new Error(`${block.location}: expected ${prints ?? 'no output'}\n${output}`);
  return output;
}

function getStepPlan(name: string): StepPlan {
  return GUIDE_PLAN[name.split(':', 1)[0]!]?.steps[name] ?? { notRun: 'It has no plan, which fails another test.' };
}

function isRun(plan: StepPlan): plan is RunPlan {
  return typeof plan === 'object' && !('notRun' in plan);
}

const isGo = ({ language }: { language: string }) => language === 'go';

/** Returns the value with the types of its members in place of their values. `null` is of any type. */
function describeForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(describeForm);
  if (typeof value !== 'object' || value === null) return value === null ? expect.anything() : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, describeForm(member)]));
}

let portUse: Promise<unknown> = Promise.resolve();

/** Runs a program that listens on a port after all others that do, of this file and of other tests on this computer. */
function withFreePort<T>(port: number, run: () => Promise<T>): Promise<T> {
  const use = portUse.then(async () => {
    await waitFor(async () => {
      const probe = createServer().listen(port);
      await once(probe, 'listening');
      await new Promise((resolve) => probe.close(resolve));
    }, 60_000);
    return run();
  });
  portUse = use.catch(() => undefined);
  return use;
}
