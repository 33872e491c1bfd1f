/** Calls `GET /me` with the packed TypeScript client, or with `fetch` and the same headers, for a fixed time. */
const { pathToFileURL } = require('node:url');

const { CLIENT_MODULE, BASE_URL, TOKEN } = process.env;

async function createCalls() {
  const { ExternalApiClient } = await import(pathToFileURL(CLIENT_MODULE));
  const client = new ExternalApiClient({ baseUrl: BASE_URL, token: TOKEN });
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${TOKEN}`,
    'user-agent': 'external-api-client',
  };
  return {
    client: () => client.me(),
    fetch: async () => {
      const response = await fetch(`${BASE_URL}/external/v1/me`, { headers });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    },
  };
}

const pendingCalls = createCalls();

process.on('message', async (message) => {
  if (!message.calls) return;
  const { side, inFlight, seconds } = message.calls;
  try {
    const call = (await pendingCalls)[side];
    const start = performance.now();
    const cpu = process.cpuUsage();
    let calls = 0;
    const repeatCall = async () => {
      for (; performance.now() - start < seconds * 1_000; calls++) {
        const { data } = await call();
        if (!data.account) throw new Error('unexpected response');
      }
    };
    await Promise.all(Array.from({ length: inFlight }, repeatCall));
    const { user, system } = process.cpuUsage(cpu);
    const elapsedSeconds = (performance.now() - start) / 1_000;
    process.send({ calls: { perSecond: calls / elapsedSeconds, cpuUsPerCall: (user + system) / calls } });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
