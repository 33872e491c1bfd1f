/** Requests that the HTTP server refuses by itself, and metrics. */
export default [
  {
    id: 'H1',
    breaks: 'Chunk extensions that are too long are a malformed request.',
    file: 'src/common/http/server/client-error-handler.ts',
    find: '  HPE_CHUNK_EXTENSIONS_OVERFLOW:',
    replace: '  HPE_CHUNK_EXTENSIONS:',
    suites: ['e2e-embedded test/e2e/http/malformed-requests.spec.ts'],
  },
  {
    id: 'H2',
    breaks: 'The refusal of a tunnel lacks the header Allow.',
    file: 'src/common/http/server/client-error-handler.ts',
    find: "'This server does not support tunnels.', { headers: { Allow: '' } }",
    replace: "'This server does not support tunnels.'",
    suites: ['e2e-embedded test/e2e/http/upgrades.spec.ts'],
  },
  {
    id: 'H3',
    breaks: 'Refused calls count as allowed in the metric of the buckets.',
    file: 'src/core/metrics/http-metrics.ts',
    find: "isLimited ? 'refused' : 'allowed'",
    replace: "isLimited ? 'allowed' : 'allowed'",
    suites: ['unit src/core/metrics/http-metrics.spec.ts'],
  },
  {
    id: 'H4',
    breaks: 'Gauges show the values of before an outage of the database.',
    file: 'src/core/metrics/database-gauges.ts',
    find: '      this.values = null;\n',
    replace: '',
    suites: ['unit src/core/metrics/database-gauges.spec.ts'],
  },
  {
    id: 'H5',
    breaks: 'Scripts in browsers do not see that a response was replayed.',
    file: 'src/constant-headers.ts',
    find: "  'Idempotency-Replayed',\n",
    replace: '',
    suites: ['e2e-embedded test/e2e/http/cors.spec.ts'],
  },
];
