const CONTRACT = 'medium test/medium/relay-bus/contract.spec.ts';
const ATTACKS = 'medium test/medium/relay-bus/attacks.spec.ts';
const DISPATCHER = 'src/modules/relay-bus/redis/outgoing-call-dispatcher.ts';
const CODEC = 'src/modules/relay-bus/redis/envelope-codec.ts';

/** Calls to devices of other instances, through Redis. */
export default [
  {
    id: 'L3',
    breaks: 'A connection that is published again does not replace its own entry.',
    file: 'src/modules/relay-bus/redis/scripts/store-presence.lua',
    find: 'entry.epoch > tonumber(ARGV[2])',
    replace: 'entry.epoch >= tonumber(ARGV[2])',
    suites: ['medium test/medium/relay-bus/silent-connection.spec.ts'],
  },
  {
    id: 'L7',
    breaks: 'A cancellation before the call is routed never reaches the device.',
    file: DISPATCHER,
    find: '      this.forwardCancel(requestId, outgoingCall);\n',
    replace: '',
    suites: [CONTRACT],
  },
  {
    id: 'L13',
    breaks: 'A call with a key is cancelled when the instance of its caller dies.',
    file: 'src/modules/relay-bus/redis/origin-heartbeat.ts',
    find: '|| head.audit.keyed ',
    replace: '',
    suites: ['unit src/modules/relay-bus/redis/origin-heartbeat.spec.ts'],
  },
  {
    id: 'L14',
    breaks: 'The account device that connected first gets the messages.',
    file: 'src/modules/relay-bus/redis/presence-commands.ts',
    find: 'b.entry.epoch - a.entry.epoch',
    replace: 'a.entry.epoch - b.entry.epoch',
    suites: [CONTRACT],
  },
  {
    id: 'L25',
    breaks: 'A repeated answer ends a later attempt of its call.',
    file: DISPATCHER,
    find: 'if (call?.attempt === head.attempt && !call.isCompleted) {',
    replace: 'if (call && !call.isCompleted) {',
    suites: ['unit src/modules/relay-bus/redis/outgoing-call-dispatcher.spec.ts'],
  },
  {
    id: 'L26',
    breaks: 'An answer that comes twice in one packet ends its call twice.',
    file: DISPATCHER,
    find: 'if (call?.attempt === head.attempt && !call.isCompleted) {',
    replace: 'if (call?.attempt === head.attempt) {',
    suites: ['unit src/modules/relay-bus/redis/outgoing-call-dispatcher.spec.ts'],
  },
  {
    id: 'L27',
    breaks: 'Messages of parties without the key are accepted.',
    file: CODEC,
    find: 'if (!verifyMac(this.trust.keys, signed, match[2]!))',
    replace: 'if (false)',
    suites: [ATTACKS],
  },
  {
    id: 'L28',
    breaks: 'A message to one instance can be replayed to another.',
    file: CODEC,
    find: 'if (head.to !== undefined && head.to !== this.instanceId)',
    replace: 'if (false)',
    suites: [ATTACKS],
  },
  {
    id: 'L29',
    breaks: 'A call runs that was delayed beyond its deadline.',
    file: 'src/modules/relay-bus/redis/incoming-call-handler.ts',
    find: 'if (!this.clock.isBefore(head.acceptBy)) {',
    replace: 'if (!head) {',
    suites: [ATTACKS],
  },
  {
    id: 'L37',
    breaks: 'A text that is cut ends in half a character.',
    file: 'packages/protocol/src/truncate-text.ts',
    find: ".replace(/[\\ud800-\\udbff]$/, '')",
    replace: '',
    suites: ['unit src/modules/relay-bus/device-answer.spec.ts'],
  },
];
