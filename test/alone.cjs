/**
 * Test files that verify times of docs/protocol/relay.md#failure-table, or compare latencies of attack and calm. A run
 * of several files runs these after all others, one at a time, because nothing else may load the machine meanwhile.
 */
exports.ALONE = [
  'test/hostile/(bad-tokens|bodies|bus|device-sockets|unread-responses)\\.spec',
  'test/multi-instance/relay/',
];
