import {
  approveDevice,
  askQuestion,
  assignDeviceToken,
  chooseSession,
  consent,
  endInvocationWhenPrinted,
  grantSession,
  joinWithoutDeviceProgram,
  requestAnotherPermission,
  requestPermission,
  sendMessage,
  sendMessagesUntilPrinted,
  sendMessagesWhenOpen,
  sendMessageToReceiver,
  startInvocation,
  startSession,
} from './guide-preparations';
import type { GuideReader } from './guide-reader';

/** What a reader does with a step of the guide. */
export type StepPlan = RunPlan | 'response' | NotRun;

/** Runs the step in every language. Without a plan of their own, blocks that only assign variables print nothing. */
export interface RunPlan {
  /** Matches the standard output in every language. */
  prints?: RegExp;
  /** Provides what the page requires at this place. */
  prepare?: (reader: GuideReader) => Promise<void>;
  /** The program doesn't end by itself: it is interrupted when it has printed {@link prints}. */
  isEndless?: boolean;
  /** Port that the program listens on, which one program can do at a time. */
  port?: number;
  /** What happens while the program runs. */
  meanwhile?: (reader: GuideReader, readOutputs: () => string) => Promise<void>;
}

export interface NotRun {
  /** Why nobody runs the block. */
  notRun: string;
}

interface PagePlan {
  /** Scopes of `TOKEN` that the page requires. Without them the page begins without a token. */
  scopes?: string[];
  steps: Record<string, StepPlan>;
}

/**
 * All fenced blocks of the guide, by page and heading: what they print, or why they are not run. `'response'` compares
 * the form of the JSON with the response that the step before has shown.
 */
export const GUIDE_PLAN: Record<string, PagePlan> = {
  'getting-started': {
    steps: {
      'getting-started: 1. Get a token': { notRun: 'The console shows this token. The next block creates one.' },
      'getting-started: 1. Get a token 2': {},
      'getting-started: 2. Check the token': { prints: /my-script/ },
      'getting-started: 3. Find a machine': { prints: /mch_\w+/ },
      'getting-started: 3. Find a machine 2': {},
      'getting-started: 4. Run a command': { prints: /Linux|Darwin/ },
      'getting-started: 4. Run a command 2': 'response',
    },
  },
  authentication: {
    steps: {
      'authentication: Authentication': { notRun: 'It shows a header.' },
      'authentication: Device tokens': { meanwhile: approveDevice(({ ada }) => ada) },
      'authentication: Device tokens 2': {},
      'authentication: Create a token over HTTP': { prints: /svc_pat_\w+/ },
      'authentication: Create a token over HTTP 2': 'response',
      'authentication: Limit a token to machines': {
        notRun: 'It shows a body. test/e2e/credentials/machine-limit.spec.ts sends such bodies.',
      },
    },
  },
  errors: {
    scopes: ['machines:read'],
    steps: {
      'errors: Errors': { notRun: 'It shows the form of errors.' },
      'errors: Handle an error': { prints: /status 404/ },
      'errors: Retry': { prints: /mch_\w+/ },
      'errors: Violations': { notRun: 'It shows a part of an error.' },
    },
  },
  limits: {
    scopes: ['profile:read'],
    steps: {
      'limits: Rate limits': { notRun: 'It shows headers.' },
      'limits: Rate limits 2': { prints: /^x-ratelimit-remaining: \d+\r?$/im },
    },
  },
  relay: {
    scopes: ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke'],
    steps: {
      'relay: Send a message': {},
      'relay: Send a message 2': { prints: /You said: Please fix the failing test\./ },
      'relay: Retry': {},
      'relay: Retry 2': { prints: /Linux|Darwin/ },
    },
  },
  pagination: {
    scopes: ['sessions:read'],
    steps: {
      'pagination: Pagination': { notRun: 'It shows a page.' },
      'pagination: Read a whole list': { prints: /^\W*(id\W+)?ses_\w+/m },
    },
  },
  versioning: {
    scopes: ['profile:read'],
    steps: {
      'versioning: Deprecated routes': { notRun: 'It shows headers.' },
      'versioning: Deprecated routes 2': { prints: /deprecations"?: ?(\[\]|0)/ },
    },
  },
  agents: {
    scopes: [
      'machines:read',
      'machines:invoke',
      'sessions:read',
      'sessions:write',
      'sessions:content',
      'sessions:approve',
    ],
    steps: {
      'agents: Run a device with an agent': {
        notRun: 'It needs OpenCode. The machine of the test runs its own agent.',
      },
      'agents: Rules': { notRun: 'It shows a file that a device reads when it starts.' },
      'agents: Start a session': {},
      'agents: Start a session 2': { prints: /ses_\w+/ },
      'agents: Start a session 3': {},
      'agents: Continue a session of the terminal': { prints: /nextCursor/ },
      'agents: Continue a session of the terminal 2': { notRun: 'It needs a session of Claude Code.' },
      'agents: Choose model, effort and mode': { prints: /model.*small/s },
      'agents: Choose model, effort and mode 2': { prints: /effort.*high/s },
      'agents: Send a message and wait': { prints: /turn_\w+/ },
      'agents: Send a message and wait 2': {},
      'agents: Send a message and wait 3': { prints: /completed/ },
      'agents: Send pictures and files': { prints: /turn_\w+/ },
      'agents: While the agent works': { prepare: sendMessage('wait 60000'), prints: /turn_\w+/ },
      'agents: Decide on permission requests': { prepare: requestPermission, prints: /pending/ },
      'agents: Decide on permission requests 2': {},
      'agents: Decide on permission requests 3': { prints: /greeting\.txt/ },
      'agents: Decide on permission requests 4': {},
      'agents: Decide on permission requests 5': { prints: /allowed/ },
      'agents: Decide on permission requests 6': { prepare: requestAnotherPermission, prints: /rejected/ },
      'agents: Decide on permission requests 7': 'response',
      'agents: Answer questions': { prepare: askQuestion },
      'agents: Answer questions 2': { prints: /Choose a database/ },
      'agents: Answer questions 3': { notRun: 'It shows the content of the question.' },
      'agents: Answer questions 4': {},
      'agents: Answer questions 5': { prints: /allowed/ },
      'agents: Cancel a turn': { prepare: sendMessage('wait 60000'), prints: /cancelled/ },
      'agents: End the session': { prints: /ended/ },
    },
  },
  invocations: {
    scopes: ['machines:read', 'machines:invoke'],
    steps: {
      'invocations: Start': {},
      'invocations: Start 2': { prints: /inv_\w+/ },
      'invocations: Wait for the end': {},
      'invocations: Wait for the end 2': { prints: /completed/ },
      'invocations: Read the output': { prints: /^12 tests passed\.$/m },
      'invocations: Follow the output': {
        prepare: startInvocation('until [ -e followed ]; do echo 34 tests passed.; sleep 1; done'),
        meanwhile: endInvocationWhenPrinted(/34 tests passed\.|MzQgdGVzdHMgcGFzc2VkLg/),
        prints: /(34 tests passed\.|MzQgdGVzdHMgcGFzc2VkLg).*invocation\.ended.*completed/s,
      },
      'invocations: Follow the output 2': { notRun: 'It shows an event.' },
      'invocations: Cancel': { prepare: startInvocation('sleep 60'), prints: /cancelled/ },
    },
  },
  'queued-messages': {
    scopes: ['sessions:read', 'sessions:write'],
    steps: {
      'queued-messages: Queue a message': {},
      'queued-messages: Queue a message 2': { prints: /qmsg_\w+/ },
      'queued-messages: Follow a message': { prints: /queued_message/ },
      'queued-messages: Cancel a message': {},
      'queued-messages: Cancel a message 2': { prints: /^(204\n)?$/ },
    },
  },
  'event-streams': {
    scopes: ['sessions:read', 'sessions:content'],
    steps: {
      'event-streams: Read and resume': {
        prepare: chooseSession,
        meanwhile: sendMessagesUntilPrinted,
        prints: /turn\.ended.*turn_\w+.*completed/s,
        isEndless: true,
      },
      'event-streams: Read and resume 2': { notRun: 'It shows events.' },
      'event-streams: While an agent writes': {},
      'event-streams: While an agent writes 2': {
        prepare: grantSession,
        meanwhile: sendMessagesWhenOpen('say one,\nwait 400\nsay two,\nwait 400\nsay three', 'say four'),
        prints: /^one,two,three\nfour\n$|event: message\.created\ndata: .*"content":"four"/m,
        isEndless: true,
      },
      'event-streams: What else the agent does': {
        meanwhile: sendMessagesWhenOpen('plan Build|Test\nslow-tool 700\nsay done'),
        prints: /event: delta\ndata: .*"kind":"tool"/,
        isEndless: true,
      },
    },
  },
  encryption: {
    scopes: ['sessions:read', 'sessions:content'],
    steps: {
      'encryption: Granting': { prepare: startSession },
      'encryption: Granting 2': { prepare: sendMessage('All 214 tests pass.', 25_000), prints: /grt_\w+/ },
      'encryption: Grant over plain HTTP': { prepare: joinWithoutDeviceProgram, prints: /grt_\w+/ },
      'encryption: Grant over plain HTTP 2': 'response',
      'encryption: Reading': {},
      'encryption: Reading 2': { prints: /All 214 tests pass\./ },
      'encryption: Reading 3': 'response',
      'encryption: Reading 4': { notRun: 'It shows a response that the programs below decrypt.' },
      'encryption: A reader from scratch': {},
      'encryption: A reader from scratch 2': { prints: /grt_\w+/ },
      'encryption: A reader from scratch 3': { prints: /grt_\w+/ },
      'encryption: A reader from scratch 4': { prints: /^#1 user: All 214 tests pass\.$/m },
    },
  },
  webhooks: {
    scopes: ['webhooks:manage', 'sessions:read'],
    steps: {
      'webhooks: Subscribe': { prints: /whsec_[\w+/=]+/ },
      'webhooks: Slack and ntfy': { prints: /"format":"ntfy"/ },
      'webhooks: Headers': { prints: /"headerNames":\["authorization"\]/ },
      'webhooks: On your own computer': { prepare: chooseSession },
      'webhooks: Receive': { notRun: 'It shows a delivery.' },
      'webhooks: Receive 2': {
        port: 4401,
        meanwhile: sendMessageToReceiver,
        prints: /^turn\.ended turn_\w+$/m,
        isEndless: true,
      },
    },
  },
  oauth: {
    scopes: ['profile:read'],
    steps: {
      'oauth: Register an app': { prints: /^Client ID +svc_oapp_\w+\nClient secret +svc_ocs_\w+$/m },
      'oauth: Register an app 2': { prepare: assignDeviceToken, prints: /svc_oapp_\w+.*svc_ocs_\w+/s },
      'oauth: Register an app 3': {},
      'oauth: 1. Request authorization': {},
      'oauth: 1. Request authorization 2': { prints: /code_challenge=[\w-]{43}&/ },
      'oauth: 1. Request authorization 3': { notRun: "The browser shows this URL. The test's person has consented." },
      'oauth: 1. Request authorization 4': { prepare: consent },
      'oauth: 2. Exchange the code for tokens': { prints: /svc_oat_\w+.*svc_ort_\w+/s },
      'oauth: 2. Exchange the code for tokens 2': 'response',
      'oauth: 2. Exchange the code for tokens 3': {},
      'oauth: 3. Refresh': { prints: /svc_oat_\w+.*svc_ort_\w+/s },
      'oauth: Revoke and introspect': { prints: /active\W+true/i },
      'oauth: Revoke and introspect 2': { prints: /^\{\}$/m },
      'oauth: When it fails': { notRun: 'It shows an error.' },
    },
  },
};

/** Pages whose blocks other tests run. */
export const PAGES_WITH_OWN_TESTS = ['client', 'install', 'cli', 'tools', 'integrations'];
